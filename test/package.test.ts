// The packed file in an empty folder: compiled JavaScript that runs by itself.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestPlatform } from './helpers/platform.ts'
import { listen } from './helpers/terminal.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'atrium-package-'))
const modules = join(folder, 'node_modules')
const atrium = join(modules, '.bin/atrium')
const bundledNode = join(root, 'node_modules/.bin/node')
const env = { PATH: `${dirname(bundledNode)}:${process.env.PATH}`, HOME: folder }
let running: TestPlatform
let baseUrl: string

/** Its dependencies are linked from here, so that nothing is fetched; what it does not declare it cannot find. */
beforeAll(async () => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  const packed = readdirSync(folder).find(name => name.endsWith('.tgz')) ?? ''
  mkdirSync(join(modules, '.bin'), { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, packed), '-C', modules, '--transform', 's/^package/atrium/'])
  const { dependencies } = JSON.parse(readFileSync(join(modules, 'atrium/package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync('../atrium/bin/atrium', atrium)
  symlinkSync(bundledNode, join(modules, '.bin/node'))
  running = await platform()
  baseUrl = await listen(running)
}, 300_000)
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true, force: true })
})

async function output(file: string, words: string[], more: object = {}): Promise<string> {
  const { execFile } = await import('node:child_process')
  const { promisify } = await import('node:util')
  const { stdout } = await promisify(execFile)(file, words, { cwd: folder, env: { ...env, ...more } })
  return stdout
}

describe('the package', () => {
  it('carries JavaScript, declarations, migrations and the document, and no sources', () => {
    const files = readdirSync(join(modules, 'atrium'), { recursive: true }).map(String)
    expect(files).toEqual(expect.arrayContaining(['bin/atrium', 'dist/atrium.js', 'dist/openapi.json']))
    expect(files).toEqual(expect.arrayContaining(['dist/client/client.d.ts', 'LICENSE']))
    expect(files.some(name => /^dist\/areas\/.*\.sql$/.test(name))).toBe(true)
    expect(files.filter(name => /(?<!\.d)\.ts$|\.test\./.test(name))).toEqual([])
  })

  it('runs its command', async () => {
    expect(await output(atrium, ['--version'])).toBe('0.0.1\n')
    expect(await output(atrium, ['--help'])).toContain('api_keys')
    const scopes = await output(atrium, ['scopes', 'list', '--jq', '.count'], { ATRIUM_BASE_URL: baseUrl })
    expect(scopes).toBe('70\n')
    expect(await output(atrium, ['config', '-o', 'json'])).toContain('DATABASE_URL')
  }, 120_000)

  it('is a library', async () => {
    writeFileSync(
      join(folder, 'try.mjs'),
      `import { createClient } from 'atrium/client'
      const { count } = await createClient({ baseUrl: '${baseUrl}' }).scopes.list()
      console.log(count)`,
    )
    expect(await output(bundledNode, ['try.mjs'])).toBe('70\n')
  })

  it('has types for the library', async () => {
    writeFileSync(
      join(folder, 'try.ts'),
      `import { createClient } from 'atrium/client'
      const client = createClient({ baseUrl: '' })
      export const email: Promise<string | null> = client.auth.whoami().then(user => user.email)
      // @ts-expect-error a path field is missing
      client.api_keys.list({})`,
    )
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
      'try.ts',
    ]
    expect(await output(join(root, 'node_modules/.bin/tsc'), flags)).toBe('')
  }, 120_000)

  it('brings a database up to date', async () => {
    const said = await output(atrium, ['migrate'], { DATA_DIR: join(folder, 'data') })
    expect(said).toContain('create_users')
  }, 240_000)
})
