// The packed file in an empty folder: compiled JavaScript that runs by itself.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
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
    const sources = files.filter(name => /(?<!\.d)\.ts$|\.test\./.test(name) && !name.startsWith('examples/'))
    expect(sources).toEqual([])
  })

  it('carries its documentation, and every link between its pages leads somewhere', () => {
    const home = join(modules, 'atrium')
    const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: home })]
    expect(pages).toEqual(expect.arrayContaining(['docs/client.md', 'docs/cli.md', 'docs/mcp.md']))
    const broken = pages.flatMap(page => {
      const links = [...readFileSync(join(home, page), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      return links.filter(([, to = '']) => !existsSync(join(home, dirname(page), to))).map(([, to]) => `${page}: ${to}`)
    })
    expect(broken).toEqual([])
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

  it('carries a client of routes and named types, without a schema or the server behind it', () => {
    const reached = (entry: string, suffix: string) => {
      const found = new Set<string>()
      const visit = (file: string) => {
        if (found.has(file)) return
        found.add(file)
        if (!file.startsWith('/')) return
        for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/from ['"]([^'"]+)['"]/g)) {
          visit(from.startsWith('.') ? join(dirname(file), from.replace(/\.js$/, suffix)) : from)
        }
      }
      visit(join(modules, 'atrium/dist/client', entry))
      return [...found].map(file => relative(join(modules, 'atrium/dist'), file))
    }
    const allowed = ['contract/content.js', 'contract/operation.js']
    expect(reached('client.js', '.js').filter(name => !name.startsWith('client/'))).toEqual(allowed)
    const declared = readFileSync(join(modules, 'atrium/dist/client/surface.d.ts'), 'utf8')
    expect(declared).toContain('export interface ApiKey {')
    expect(declared).toContain('/** List the API keys of a workspace.')
    expect(declared).toContain("list(input: OperationMap['api_keys.list']['input'], options?: CallOptions): ListCall<")
    expect(reached('surface.d.ts', '.d.ts').filter(name => !name.startsWith('client/'))).toEqual([])
  })

  it('has types for the library that cost little to check', async () => {
    writeFileSync(
      join(folder, 'try.mts'),
      `import { type ApiKey, createClient, type OperationMap } from 'atrium/client'
      const client = createClient({ baseUrl: '' })
      export const email: Promise<string | null> = client.auth.whoami().then(user => user.email)
      export const keys: Promise<ApiKey[]> = client.call('api_keys.list', { workspaceId: '' }).then(({ items }) => items)
      export const input: OperationMap['teams.post']['input'] = { workspaceId: '', name: '', slug: '' }
      for await (const { name } of client.pages('api_keys.list', { workspaceId: '' })) name.trim()
      for await (const { name } of client.api_keys.list({ workspaceId: '' })) name.trim()
      for await (const chunk of client.audit_logs.export({ workspaceId: '' })) chunk.length.toFixed()
      // @ts-expect-error a path field is missing
      client.api_keys.list({})
      // @ts-expect-error no list
      client.pages('auth.whoami')`,
    )
    const said = await output(join(root, 'node_modules/.bin/tsc'), [
      ...['--noEmit', '--strict', '--extendedDiagnostics', '--module', 'nodenext', '--target', 'es2024'],
      ...['--types', '', 'try.mts'],
    ])
    expect(said).not.toContain('error')
    expect(Number(/Instantiations: +(\d+)/.exec(said)?.[1])).toBeLessThan(50_000)
  }, 120_000)

  it('makes a small bundle for browsers', async () => {
    const built = await build({
      configFile: false,
      logLevel: 'error',
      root: folder,
      build: { write: false, lib: { entry: join(modules, 'atrium/dist/client/client.js'), formats: ['es'] } },
    })
    const [{ output: parts } = { output: [] }] = [built].flat() as { output: { code?: string }[] }[]
    expect(gzipSync(parts.map(({ code = '' }) => code).join('')).length).toBeLessThan(12_000)
  }, 120_000)

  it('brings a database up to date', async () => {
    const said = await output(atrium, ['migrate'], { DATA_DIR: join(folder, 'data') })
    expect(said).toContain('create_users')
  }, 240_000)
})
