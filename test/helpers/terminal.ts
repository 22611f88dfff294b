// The command line in a test: a listening platform, and a terminal whose streams the test holds.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll } from 'vitest'
import type { Document } from '../../src/cli/digest.ts'
import type { Keyring } from '../../src/cli/keyring.ts'
import { run } from '../../src/cli/run.ts'
import { serverCommands } from '../../src/cli_server/commands.ts'
import { openapi } from '../../src/contract/openapi.ts'
import { areas } from '../../src/operations.ts'
import { platform, type TestPlatform } from './platform.ts'

/** A listening platform and a command line that is logged in to it as the owner of three keys; both go with the file. */
export async function ownersCommandLine(scopes: string) {
  const running = await platform()
  const baseUrl = await listen(running)
  const line = await commandLine(baseUrl)
  afterAll(async () => {
    await running.close()
    await line.remove()
  })
  const { atrium } = line
  const owner = await running.user('ada@example.com')
  await atrium('login --token -', { stdin: `${owner.token}\n` })
  for (const name of ['Alpha key', 'Beta key', 'Gamma key']) {
    await atrium(['api_keys', 'post', '--name', name, '--scopes', scopes])
  }
  return { running, baseUrl, owner, line, atrium }
}

export type Ran = { code: number; stdout: string; stderr: string }

export type RunOptions = {
  env?: Record<string, string>
  stdin?: string
  /** All three streams are a terminal. */
  tty?: boolean
  columns?: number
  signal?: AbortSignal
  /** Told what is written to stderr, as it is written. */
  hear?: (text: string) => void
  /** Ctrl-C as soon as something is on stdout: for what never ends by itself. */
  stopAtOutput?: boolean
}

export async function listen(platform: Pick<TestPlatform, 'app'>): Promise<string> {
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`
}

/** A command line with a folder of its own for logins and cache. */
export async function commandLine(baseUrl: string, document: Document = bundledDocument(), keyring?: Keyring) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-cli-'))
  const bundled = { key: () => 'test', load: async () => document }
  const atrium = async (words: string[] | string, options: RunOptions = {}): Promise<Ran> => {
    const [out, err] = [[] as string[], [] as string[]]
    const stop = new AbortController()
    const { tty = false, columns = 120 } = options
    const stdin = Object.assign(Readable.from([options.stdin ?? '']), { isTTY: tty })
    const code = await run(
      {
        argv: typeof words === 'string' ? words.split(' ') : words,
        env: { ATRIUM_CONFIG_DIR: folder, ATRIUM_BASE_URL: baseUrl, ...options.env },
        stdin,
        stdout: {
          write: (text: string) => {
            out.push(text)
            if (options.stopAtOutput) stop.abort()
          },
          isTTY: tty,
          columns,
        },
        stderr: {
          write: (text: string) => {
            err.push(text)
            options.hear?.(text)
          },
          isTTY: tty,
          columns,
        },
        signal: options.signal ?? stop.signal,
        keyring: async () => keyring,
      },
      { version: '0.0.1', bundled, local: serverCommands },
    )
    return { code, stdout: out.join(''), stderr: err.join('') }
  }
  return { atrium, folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export function bundledDocument(): Document {
  return openapi(areas, 'http://127.0.0.1:3000') as unknown as Document
}

/** The one JSON line that a failure is when nobody looks at it. */
export function failureIn({ stderr }: Ran): {
  code: number
  kind: string
  message: string
  next?: string
  status?: number
} {
  return JSON.parse(stderr).error
}
