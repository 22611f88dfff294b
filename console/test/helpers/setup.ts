// Builds the console, starts a service on an empty folder, and stops it afterwards.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import { chromiumPath } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    url: string
    /** The directory below which the service reads repositories. */
    code: string
  }
}

const root = join(import.meta.dirname, '../../..')
const example = join(import.meta.dirname, '../example')
/** Service and console have one area more than the product: one that says nothing but its contract. */
const node = ['--disable-warning=ExperimentalWarning', '--import', pathToFileURL(join(example, 'mount.ts')).href]
const startMs = 240_000

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!chromiumPath()) {
    process.stdout.write('No Chromium here: the console is not tested. Install one, or set CHROMIUM_PATH.\n')
    provide('url', '')
    provide('code', '')
    return
  }
  if (process.env.CONSOLE_BUILT !== 'true') {
    execFileSync(process.execPath, [...node, join(example, 'build.ts')], {
      cwd: root,
      stdio: 'inherit',
      // The test runner's own mode would build React for development.
      env: { ...process.env, NODE_ENV: 'production' },
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'atrium-console-'))
  const code = join(folder, 'code')
  mkdirSync(code)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const service = spawn(process.execPath, [...node, join(root, 'src/main.ts')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      ANONYMOUS_RATE_LIMIT: '100000',
      RATE_LIMIT: '100000',
      // So that the tests can come from elsewhere than the browser: mails are limited by source.
      TRUSTED_PROXIES: '127.0.0.1',
      REPOSITORY_DIRS: code,
      // The targets of integrations are receivers of the tests.
      OUTBOUND_ALLOW: '127.0.0.1',
      // Nobody pays unless a test says so.
      BILLING_PROVIDERS: 'none manual',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    const ended = new Promise(resolve => service.once('exit', resolve))
    service.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  await ready(url, service).catch(async error => {
    await stop()
    throw error
  })
  provide('url', url)
  provide('code', code)
  return stop
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(Number(process.env.CONSOLE_TEST_PORT ?? 0), '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function ready(url: string, service: ChildProcess): Promise<void> {
  for (const end = Date.now() + startMs; Date.now() < end; ) {
    if (service.exitCode !== null) throw new Error(`The service ended with ${service.exitCode}.`)
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    if (answer?.ok) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('The service did not start in time.')
}
