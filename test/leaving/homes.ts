// A filled workspace of one installation as an archive, and a second installation to send it to.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { sealOf } from '../../src/areas/workspaces/carrying/archive.ts'
import type { Sql } from '../../src/kit/sql.ts'
import { sql } from '../../src/kit/sql.ts'
import { zipOf } from '../../src/kit/zip.ts'
import { type World, world } from '../calls.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { storedIn } from '../helpers/stored.ts'
import { fillEverything } from './filling.ts'
import { exported, filesIn, linesOf } from './zips.ts'

export type Homes = {
  /** Of the installation that the archive is of, which is closed by then. */
  w: World
  zip: Buffer
  files: Map<string, Buffer>
  here: TestPlatform
  /** The owner, who has an account on both. */
  owner: TestCaller
  addressOf(id: string): string | undefined
  /** Few imports of one person are let in within a minute. */
  stranger(): Promise<TestCaller>
  send(bytes: Uint8Array, by: TestCaller, query?: Record<string, unknown>): Promise<Answer>
  /** What the database here has, but for what passes. */
  everything(): Promise<string[]>
}

const env = { RATE_LIMIT: '1000000' }

/** `also` adds to the workspace before it leaves. */
export async function twoHomes(
  also: (w: World) => Promise<void> = async () => {},
  onStatement?: (statement: Sql) => void,
): Promise<Homes> {
  const there = await platform({ env })
  const w = await world(there)
  await fillEverything(w, w.owner)
  await also(w)
  const zip = await exported(w, w.owner)
  const files = filesIn(zip)
  await there.close()
  const here = await platform({ env, ...(onStatement && { onStatement }) })
  const addressOf = (id: string) =>
    linesOf(files, 'people.ndjson').find(person => person.id === id)?.address as string | undefined
  const owner = await here.user(addressOf(w.owner.userId) ?? '')
  // Their first workspace here must not have the slug that the archive brings.
  await here.database.query(sql`update workspaces set slug = 'elsewhere' where id = ${owner.workspaceId}`)
  let strangers = 0
  return {
    ...{ w, zip, files, here, owner, addressOf },
    stranger: () => here.user(`stranger${strangers++}@here.example.com`),
    send: (bytes, by, query = {}) => here.call('workspaces.import', { ...query, content: { kind: 'zip', bytes } }, by),
    async everything() {
      const passing = /^jobs\.|idempotency|sessions|tries|ledger_followers/
      const stored = await storedIn(here, table => passing.test(table))
      return stored.map(({ table, column, value }) => `${table}.${column} ${value}`).sort()
    },
  }
}

export const enemy = generateKeyPairSync('ed25519')

export type Manifest = Record<string, unknown> & { tables: { area: string; table: string; columns: string[] }[] }

/** The archive with other contents, under a list that is right and signed by somebody. */
export async function packed(
  files: ReadonlyMap<string, Buffer>,
  changes: Record<string, string | Buffer>,
  isListed = true,
  alter: (manifest: Manifest) => Manifest = manifest => manifest,
): Promise<Buffer> {
  const all = new Map([...files].filter(([path]) => path !== 'manifest.json'))
  for (const [path, text] of Object.entries(changes)) all.set(path, Buffer.from(text))
  const manifest = alter(linesOf(files, 'manifest.json')[0] as Manifest)
  const { x } = enemy.publicKey.export({ format: 'jwk' })
  const listed = [...all].map(([path, bytes]) => {
    return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  const tables = manifest.tables.map(one => {
    const lines = String(all.get(`areas/${one.area}/${one.table}.ndjson`)).split('\n').length - 1
    return { ...one, rows: lines }
  })
  const line = JSON.stringify(isListed ? { ...manifest, tables, files: listed, publicKey: x } : manifest)
  const signature = isListed
    ? sign(null, Buffer.from(sealOf(line)), enemy.privateKey).toString('base64url')
    : (linesOf(files, 'manifest.json')[1] as { signature: string }).signature
  const parts = [...all].map(([path, bytes]) => ({ path, bytes: bytes as Uint8Array }))
  parts.push({ path: 'manifest.json', bytes: Buffer.from(`${line}\n${JSON.stringify({ signature })}\n`) })
  const chunks: Uint8Array[] = []
  for await (const chunk of zipOf(each(parts))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* each<T>(values: readonly T[]) {
  yield* values
}
