// Holds the served OpenAPI document against three validators and three generators, each client of which makes one call.
// Usage: node scripts/check_document.ts http://127.0.0.1:3000
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const packages = {
  '@apidevtools/swagger-parser': '13.1.0',
  '@hey-api/openapi-ts': '0.99.0',
  '@redocly/cli': '2.73.0',
  '@seriousme/openapi-schema-validator': '2.11.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  typescript: '5.9.3',
}

/** A range of orval's leads to releases of which not every registry has all parts. */
const overrides = { '@scalar/openapi-parser': '0.29.8' }

const baseUrl = process.argv[2] ?? 'http://127.0.0.1:3000'
const tools = join(import.meta.dirname, '../node_modules/.cache/document_tools')
const work = join(tools, `run-${process.pid}`)
const document = join(work, 'openapi.json')

/** Fetched once, beside the project's own packages: they would double its size. */
function install(): void {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: packages, overrides }, null, 2)
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'package.json'), manifest)
  const isThere = Object.keys(packages).every(name => existsSync(join(tools, 'node_modules', name)))
  if (!isThere)
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: tools, stdio: 'inherit' })
  mkdirSync(work, { recursive: true })
  symlinkSync(join(tools, 'node_modules'), join(work, 'node_modules'))
  writeFileSync(join(work, 'package.json'), '{"type":"module"}')
}

function run(command: string, ...words: string[]): string {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' }
  const path = join(tools, 'node_modules/.bin', command)
  return execFileSync(process.execPath, [path, ...words], { cwd: work, env, encoding: 'utf8', stdio: 'pipe' })
}

async function validate(): Promise<void> {
  // Every id begins with the name of its kind: `/issues/{workspaceId}/rules/{id}` is never `/…/{id}/alerts`.
  // And where a wrong item is refused by itself, the document lets it be anything beside what it should be.
  const skipped = ['no-ambiguous-paths', 'no-illogical-composition-keywords'].flatMap(rule => ['--skip-rule', rule])
  const said = run('redocly', 'lint', '--format', 'json', ...skipped, document)
  const { totals } = JSON.parse(said.slice(said.indexOf('{'))) as { totals: { errors: number; warnings: number } }
  if (totals.errors + totals.warnings > 0) throw new Error(`redocly: ${said}`)
  writeFileSync(
    join(work, 'validate.mjs'),
    `import { readFileSync } from 'node:fs'
import SwaggerParser from '@apidevtools/swagger-parser'
import { Validator } from '@seriousme/openapi-schema-validator'
const read = () => JSON.parse(readFileSync('openapi.json', 'utf8'))
await SwaggerParser.validate(read())
const { valid, errors } = await new Validator().validate(read())
if (!valid) throw new Error(JSON.stringify(errors))`,
  )
  execFileSync(process.execPath, ['validate.mjs'], { cwd: work, stdio: 'inherit' })
}

type Described = { requestBody?: { content: Record<string, unknown> } }

/** Orval hands bytes or an object to fetch as they are, which does not compile: it is shown the first form only. */
function withOneBody(openapi: { paths: Record<string, Record<string, Described>> }): object {
  for (const { requestBody } of Object.values(openapi.paths).flatMap(path => Object.values(path))) {
    if (requestBody) requestBody.content = Object.fromEntries(Object.entries(requestBody.content).slice(0, 1))
  }
  return openapi
}

function generate(): void {
  run('openapi-typescript', document, '-o', 'types.ts')
  const plugins = ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript']
  writeFileSync(
    join(work, 'hey.config.mjs'),
    `export default ${JSON.stringify({ input: document, output: 'hey', plugins })}`,
  )
  run('openapi-ts', '-f', 'hey.config.mjs')
  writeFileSync(join(work, 'one_body.json'), JSON.stringify(withOneBody(JSON.parse(readFileSync(document, 'utf8')))))
  const orval = {
    atrium: { input: join(work, 'one_body.json'), output: { target: 'orval.ts', client: 'fetch', baseUrl } },
  }
  writeFileSync(join(work, 'orval.config.mjs'), `export default ${JSON.stringify(orval)}`)
  run('orval', '--config', 'orval.config.mjs')
}

/** The same call by each: the public list of scopes, whose count the types know to be a number. */
const program = `import createClient from 'openapi-fetch'
import type { paths } from './types'
import { client } from './hey/client.gen'
import { scopesList } from './hey'
import { scopesList as byOrval } from './orval'

const one = await createClient<paths>({ baseUrl: '${baseUrl}' }).GET('/v1/scopes')
client.setConfig({ baseUrl: '${baseUrl}' })
const two = await scopesList()
const three = await byOrval()
const counts: (number | undefined)[] = [
  one.data?.result.count,
  two.data?.result.count,
  three.status === 200 ? three.data.result.count : undefined,
]
process.stdout.write(JSON.stringify(counts))
`

async function call(): Promise<string> {
  writeFileSync(join(work, 'program.ts'), program)
  writeFileSync(join(work, 'globals.d.ts'), 'declare const process: { stdout: { write(text: string): void } }\n')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
  run('tsc', ...flags, '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', 'globals.d.ts', 'program.ts')
  await build({
    configFile: false,
    logLevel: 'error',
    root: work,
    ssr: { noExternal: true },
    build: {
      ssr: 'program.ts',
      outDir: 'out',
      target: 'es2022',
      rollupOptions: { output: { entryFileNames: 'program.mjs' } },
    },
  })
  return await output(join(work, 'out/program.mjs'))
}

async function output(file: string): Promise<string> {
  const { execFile } = await import('node:child_process')
  const { promisify } = await import('node:util')
  return (await promisify(execFile)(process.execPath, [file])).stdout
}

install()
try {
  writeFileSync(document, await (await fetch(`${baseUrl}/v1/openapi.json`)).text())
  await validate()
  generate()
  const counts = JSON.parse(await call()) as unknown[]
  const { result } = (await (await fetch(`${baseUrl}/v1/scopes`)).json()) as { result: { count: number } }
  if (counts.length !== 3 || counts.some(count => count !== result.count)) throw new Error(`calls: ${counts}`)
  process.stdout.write('The document is valid for three validators; three generated clients compile and call.\n')
} finally {
  rmSync(work, { recursive: true, force: true })
}
