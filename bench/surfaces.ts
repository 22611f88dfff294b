// What the surfaces cost those who use them: type check, bundle and command line, each with its bound.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { routesModule, surfaceDeclarations } from '../scripts/client_surface.ts'
import type { Operations } from '../src/contract/operation.ts'
import { operations } from '../src/operations.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const bounds = { instantiations: 50_000, checkMs: 1_000, bundleBytes: 12_000, callMs: 150 }
const wantedOperations = 250
const rounds = 9

function tell(what: string, value: number, unit: string, most: number): void {
  const isOver = value > most
  if (isOver) process.exitCode = 1
  process.stdout.write(`${what}: ${value.toFixed(0)} ${unit} (${isOver ? 'over' : 'at most'} ${most})\n`)
}

/** The registry again under other names, until there are as many operations as there will be. */
function manyOperations(): Operations {
  const known = Object.entries(operations as Operations)
  const all: [string, Operations[string]][] = []
  for (let copy = 0; all.length < wantedOperations; copy++) {
    const suffix = copy === 0 ? '' : String(copy)
    all.push(...known.map(([id, one]) => [id.replace(/^\w+/, area => area + suffix), one] as (typeof known)[number]))
  }
  return Object.fromEntries(all.slice(0, wantedOperations))
}

const program = `import { createClient } from 'atrium/client'
const client = createClient({ baseUrl: '' })
export const items = client.call('api_keys.list', { workspaceId: '' }).then(({ items }) => items[0]?.scopes)
for await (const { name } of client.pages('api_keys.list', { workspaceId: '' })) name.trim()
for await (const { name } of client.api_keys.list({ workspaceId: '' })) name.trim()
`

function typeCheck(): void {
  writeFileSync(join(folder, 'program.mts'), program)
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--extendedDiagnostics', '--module', 'nodenext']
  const words = [...flags, '--target', 'es2024', '--types', '', 'program.mts']
  const times: number[] = []
  let instantiations = 0
  for (let round = 0; round < rounds; round++) {
    const said = execFileSync(join(root, 'node_modules/.bin/tsc'), words, { cwd: folder, encoding: 'utf8' })
    instantiations = Number(/Instantiations: +(\d+)/.exec(said)?.[1])
    times.push(Number(/Total time: +([\d.]+)s/.exec(said)?.[1]) * 1000)
  }
  tell(
    `type check of a program, ${wantedOperations} operations`,
    instantiations,
    'instantiations',
    bounds.instantiations,
  )
  tell('type check, least time', Math.min(...times), 'ms', bounds.checkMs)
}

async function bundle(): Promise<void> {
  const entry = join(folder, 'node_modules/atrium/dist/client/client.js')
  const options = { write: false, lib: { entry, formats: ['es' as const] } }
  const built = await build({ configFile: false, logLevel: 'error', root: folder, build: options })
  const [{ output } = { output: [] }] = [built].flat() as { output: { code?: string }[] }[]
  const bytes = gzipSync(output.map(({ code = '' }) => code).join('')).length
  tell(`browser bundle of the client, ${wantedOperations} operations, gzip`, bytes, 'bytes', bounds.bundleBytes)
}

/** A service that answers at once, so that only the command line is measured. */
async function commandLine(): Promise<void> {
  const answer = JSON.stringify({ success: true, message: null, error: null, result: { items: [], count: 0 } })
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const env = { PATH: process.env.PATH, HOME: folder, ATRIUM_BASE_URL: `http://127.0.0.1:${port}` }
  const least = async (file: string, words: string[]) => {
    const times: number[] = []
    for (let round = -2; round < rounds; round++) {
      const start = performance.now()
      await promisify(execFile)(file, words, { env })
      if (round >= 0) times.push(performance.now() - start)
    }
    return Math.min(...times)
  }
  const bare = await least(process.execPath, ['-e', '0'])
  const call = await least(join(root, 'bin/atrium'), ['--offline', 'scopes', 'list'])
  tell('a call of the command line, above node -e 0', call - bare, 'ms', bounds.callMs)
  server.close().closeAllConnections()
}

/** The package as it is built, with the client as it will be with all operations. */
function install(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  const home = join(folder, 'node_modules/atrium')
  mkdirSync(join(home, 'dist/client'), { recursive: true })
  execFileSync('cp', ['-r', join(root, 'dist/client'), join(root, 'dist/contract'), join(home, 'dist')])
  symlinkSync(join(root, 'package.json'), join(home, 'package.json'))
  writeFileSync(join(home, 'dist/client/routes.js'), routesModule(manyOperations()))
  writeFileSync(join(home, 'dist/client/surface.d.ts'), surfaceDeclarations(manyOperations()))
}

try {
  install()
  typeCheck()
  await bundle()
  await commandLine()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
