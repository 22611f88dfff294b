// Who may import whom: the table of ARCHITECTURE.md as data, held against every import line.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operationIds } from '../src/operations.ts'

const root = join(import.meta.dirname, '..')

type Room = {
  room: string
  files: RegExp
  /** Targets: files from the root of the repository, packages by their name. `<area>` is the file's own area. */
  may: readonly string[]
}

/** Packages that belong to one room of the server; no other may import them. */
const drivers = ['pg', '@electric-sql/pglite', '@electric-sql/pglite-pgvector', 'redis', '@clickhouse/client']

const commandLinePackages = ['commander', 'yaml', 'jq-wasm', 'openid-client']

/** The rooms of the server, lowest first: each may import itself and those before it. */
const serverOrder = ['config', 'watch', 'ledger', 'credentials', 'work', 'upkeep', 'request', 'doors']

const serverRooms: readonly Room[] = serverOrder.map((name, index) => ({
  room: `server/${name}`,
  files: new RegExp(`^src/server/${name}[./]`),
  may: [
    ...serverOrder.slice(0, index + 1).map(lower => `src/server/${lower}(.ts|/*)`),
    'src/kit/*',
    'src/operations.ts',
    'src/contract/*',
    'node:*',
    'package:*',
    ...(name === 'request' || name === 'doors' ? ['src/client/request.ts'] : []),
    ...(name === 'doors' ? ['src/mcp/*'] : []),
  ],
}))

/** What an area is made of, beside its contract. */
const ofAreas = [
  'typebox',
  'src/contract/*',
  'src/kit/*',
  'node:crypto',
  'src/operations.ts',
  'src/areas/<area>/*',
  'src/areas/*/contract.ts',
  'src/areas/*/store.ts',
]

/** The first room that a file belongs to is its room. */
const rooms: readonly Room[] = [
  { room: 'contract', files: /^src\/contract\//, may: ['typebox', 'src/contract/*'] },
  {
    room: 'areas/*/contract.ts',
    files: /^src\/areas\/\w+\/(\w+\/)?contract\.ts$/,
    may: ['typebox', 'src/contract/*', 'src/areas/*/contract.ts'],
  },
  {
    room: 'kit',
    files: /^src\/kit\//,
    may: [
      'typebox',
      'src/contract/*',
      'src/kit/*',
      'node:*',
      '@node-rs/argon2',
      'ipaddr.js',
      '@marcbachmann/cel-js',
      're2js',
      'micromark',
      'micromark-extension-gfm',
      'yaml',
      'ai',
      '@ai-sdk/(openai-compatible|anthropic)',
      'stripe',
    ],
  },
  {
    room: 'areas/integrations/mcp',
    files: /^src\/areas\/integrations\/mcp\//,
    // Other servers' tools: the official client, and schemas that strangers wrote.
    may: [...ofAreas, '@modelcontextprotocol/client', 'ajv'],
  },
  {
    room: 'areas/automations/definition',
    files: /^src\/areas\/automations\/definition\//,
    may: [
      ...ofAreas,
      'src/areas/integrations/(event_kinds|mcp/arguments|mcp/schemas).ts',
      'src/areas/events/visibility.ts',
      'croner',
    ],
  },
  {
    room: 'areas/*/{handlers,store,jobs}.ts',
    files: /^src\/areas\//,
    may: [
      ...ofAreas,
      // Code is read from mirrors, not from tables.
      'src/areas/repositories/reading/*',
      'src/areas/repositories/pushing/*',
      // Rows of datasets are written in batches, not by statements of one's own.
      'src/areas/datasets/rows/(row|writing).ts',
      // Who calls whom is asked of rows in pieces, whichever engine has them.
      'src/areas/datasets/querying/calls.ts',
      // What was found waits with the account until the graph takes it.
      'src/areas/cloud_accounts/syncs/applying.ts',
      // Errors in rows are alerts, and take the way of all alerts.
      'src/areas/issues/alerts/(receiving|resolving).ts',
      // The host of a repository is asked with the token of an integration, which goes nowhere else.
      'src/areas/integrations/hosts/(credentials|faults).ts',
      // Buttons that are pressed elsewhere do what the person could do here.
      'src/areas/agent_tools/approvals/deciding.ts',
      'src/areas/issues/acknowledging.ts',
      // What is told to automations is what integrations are told; what comes in is read and checked the same way.
      'src/areas/integrations/(event_kinds|standing).ts',
      'src/areas/integrations/inbound/(payloads|signatures).ts',
      'src/areas/integrations/mcp/arguments.ts',
      // Subscriptions are charged by invoices; both speak to the same provider and count the same days.
      'src/areas/billing/(invoicing|lines|custom/payments|stripe/\\w+|usage/\\w+).ts',
      // What is sent elsewhere is what a member with the same scopes would be told.
      'src/areas/events/visibility.ts',
    ],
  },
  { room: 'registry', files: /^src\/registry\.ts$/, may: ['src/areas/*/contract.ts'] },
  { room: 'operations', files: /^src\/operations\.ts$/, may: ['src/registry.ts', 'src/contract/*'] },
  { room: 'client', files: /^src\/client\//, may: ['src/operations.ts', 'src/contract/*', 'src/client/*'] },
  {
    room: 'mcp',
    files: /^src\/mcp\//,
    may: ['src/client/*', 'src/operations.ts', 'src/contract/*', 'src/mcp/*', 'typebox', '@modelcontextprotocol/*'],
  },
  {
    room: 'cli',
    files: /^src\/cli\//,
    may: ['src/client/(request|transport).ts', 'src/contract/*', 'src/cli/*', 'node:*', ...commandLinePackages],
  },
  {
    room: 'server/backends',
    files: /^src\/server\/backends\//,
    may: [
      'src/server/backends/*',
      'src/server/request/limits.ts',
      'src/kit/*',
      'src/contract/errors.ts',
      'node:*',
      ...drivers,
    ],
  },
  ...serverRooms,
  {
    room: 'server',
    files: /^src\/server\/[^/]*$/,
    may: ['src/server/(?!backends)*', 'src/kit/*', 'src/operations.ts', 'src/contract/*', 'node:*', 'package:*'],
  },
  {
    room: 'cli_server',
    files: /^src\/cli_server\//,
    may: ['src/cli/*', 'src/cli_server/*', 'src/kit/*', 'src/server/*', 'src/main.ts', 'node:*', 'nodemailer'],
  },
  {
    room: 'atrium',
    files: /^src\/atrium\.ts$/,
    may: ['src/cli/*', 'src/cli_server/*', 'src/contract/*', 'src/operations.ts', 'node:*'],
  },
  { room: 'main', files: /^src\/main\.ts$/, may: ['src/server/*', 'src/kit/*', 'node:*', 'pino'] },
  { room: 'console', files: /^console\//, may: ['src/client/*', 'console/*', 'node:*', 'package:*'] },
]

type Import = { from: string; to: string }

const files = globSync(['src/**/*.ts', 'console/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: path => /node_modules|dist/.test(path),
})
  .map(path => path.split('\\').join('/'))
  .filter(path => !/\.test\.tsx?$/.test(path) && !/^console\/(.*(vite\.config|\.test)|test\/example\/)/.test(path))
  .sort()
const texts = new Map(files.map(path => [path, readFileSync(join(root, path), 'utf8')]))

function importsOf(from: string): Import[] {
  const text = texts.get(from) ?? ''
  const lines = text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\()'([^'\n]+)'/g)
  return [...lines].map(([, to = '']) => ({ from, to: resolve(from, to) }))
}

function resolve(from: string, to: string): string {
  if (to.startsWith('.')) return posix.join(posix.dirname(from), to)
  if (builtinModules.includes(to)) return `node:${to}`
  if (to.startsWith('node:')) return to
  return to.split('/', to.startsWith('@') ? 2 : 1).join('/')
}

function isAllowed({ from, to }: Import, may: readonly string[]): boolean {
  const area = /^src\/areas\/(\w+)\//.exec(from)?.[1] ?? ''
  return may.some(pattern => {
    if (pattern === 'package:*') return !/^(src|console|test)\/|^node:/.test(to) && !drivers.includes(to)
    const source = pattern.replace('<area>', area).replaceAll('.', '\\.').replaceAll('[^/]*', '\0')
    return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('\0', '[^/]*')}$`).test(to)
  })
}

describe('imports', () => {
  it('gives every file a room', () => {
    expect(files.filter(path => !rooms.some(({ files }) => files.test(path)))).toEqual([])
  })

  it.each(rooms)('of $room stay within what it may import', ({ room, may }) => {
    const own = files.filter(path => rooms.find(({ files }) => files.test(path))?.room === room)
    const strays = own.flatMap(importsOf).filter(line => !isAllowed(line, may))
    expect(strays).toEqual([])
  })

  it('between areas have no circle', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to } of files.flatMap(importsOf)) {
      const [one, other] = [from, to].map(path => /^src\/areas\/(\w+)\//.exec(path)?.[1])
      if (one && other && one !== other) edges.set(one, (edges.get(one) ?? new Set()).add(other))
    }
    const circles: string[] = []
    const visit = (area: string, trail: string[]) => {
      if (trail.includes(area)) return void circles.push([...trail.slice(trail.indexOf(area)), area].join(' → '))
      for (const next of edges.get(area) ?? []) visit(next, [...trail, area])
    }
    for (const area of edges.keys()) visit(area, [])
    expect(circles).toEqual([])
  })
})

/** Files in which a text occurs, among those of the given rooms. */
function occurrences(text: RegExp, among: RegExp): string[] {
  return files.filter(path => among.test(path) && text.test(texts.get(path) ?? ''))
}

describe('sources', () => {
  it('open with one sentence about themselves', () => {
    const silent = files.filter(path => !/^(#!.*\n)?\/[/*]/.test(texts.get(path) ?? ''))
    expect(silent).toEqual([])
  })

  it('have at most 300 lines', () => {
    const lengths = files
      .filter(path => /^(src|console\/src)\//.test(path))
      .map(path => ({ path, lines: (texts.get(path) ?? '').trimEnd().split('\n').length }))
    expect(lengths.length).toBeGreaterThan(900)
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([])
  })

  it('read the environment in main.ts and on the command line only', () => {
    expect(occurrences(/process\.env\b/, /^src\/(?!main\.ts|cli\/)/)).toEqual([])
  })

  it('take time and identity from the context in areas', () => {
    expect(occurrences(/\bDate\.now\(|new Date\(\)|\brandomUUID\(|\bMath\.random\(/, /^src\/areas\//)).toEqual([])
  })

  it('have no default export but handlers.ts and jobs.ts', () => {
    expect(occurrences(/^export default\b/m, /^src\/(?!areas\/\w+\/(\w+\/)?(handlers|jobs)\.ts)/)).toEqual([])
  })

  it('ask for no single operation where all are read alike', () => {
    const ids = operationIds.map(id => id.replaceAll('.', '\\.')).join('|')
    expect(occurrences(new RegExp(`[!=]==? '(${ids})'`), /^src\/(contract|kit|server|client|mcp|cli)\//)).toEqual([])
  })

  it('reach the network in these places only; addresses that strangers chose go through the guard', () => {
    const places = {
      'src/server/doors/undo_page.ts': 'a script for the browser, which asks this server',
      'src/server/upkeep/control.ts': 'a socket in the data directory',
      'src/server/watch/tracing.ts': 'the collector that the operator configured',
      'src/server/work/git/environment.ts': 'the certificates that git trusts',
      'src/server/work/mail.ts': 'the mail server that the operator configured',
      'src/server/work/outbound.ts': 'the guard itself',
    }
    const calls =
      /(await|return|=>|=|\() *fetch\(|import\('nodemailer'\)|^import (?!type).*'(node:(https?|http2|net|tls|dgram|dns).*|nodemailer)'$/m
    const found = occurrences(calls, /^src\/(contract|kit|areas|mcp|server\/(?!backends\/))/)
    expect(found).toEqual(Object.keys(places))
  })

  it('load what asks a model, another MCP server or Stripe when one is asked, and not before', () => {
    expect(occurrences(/from '(ai|@ai-sdk\/.*|@modelcontextprotocol\/client)'/, /^src\//)).toEqual([])
    expect(occurrences(/^(import|export) (?!type).*from 'stripe'/m, /^src\//)).toEqual([])
  })

  it('have no drawer for everything', () => {
    const drawers = /\/(types|constants|utils?|helpers?|service|controller|index|common|manager)\.ts$/
    expect(files.filter(path => drawers.test(path))).toEqual([])
  })
})

describe('docs/security.md', () => {
  it('names tests and sources that are there', () => {
    const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
    const named = [...text.matchAll(/`((?:src|test)\/[\w/.]+\.ts)`/g)].map(match => match[1] as string)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([])
  })
})
