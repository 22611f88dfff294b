// What a workspace leaves with: every table is carried or left behind for a reason, and every row is in the file.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkExport } from '../../src/contract/ledger_verifier.ts'
import { sql } from '../../src/kit/sql.ts'
import { areas, carried, leftBehind } from '../../src/operations.ts'
import { type World, world } from '../calls.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { fillEverything } from './filling.ts'
import { exported, filesIn, linesOf } from './zips.ts'

let p: TestPlatform
let w: World
let zip: Buffer
let files: Map<string, Buffer>
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  w = await world(p)
  await fillEverything(w, w.owner)
  zip = await exported(w, w.owner)
  files = filesIn(zip)
}, 300_000)
afterAll(() => p.close())

/** The server's own: none of them is of a workspace, but for the ledger, which is carried as a signed file. */
const ofServer = [
  'blob_pieces',
  'blobs',
  'idempotency_keys',
  'instance',
  'ledger',
  'ledger_followers',
  'ledger_heads',
  'mailbox',
  'migrations',
]

describe('every table', () => {
  it('is carried or left behind with a reason, and not both', async () => {
    const { rows } = await p.database.plain(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not exists (select from pg_inherits i where i.inhrelid = c.oid) order by 1`)
    const told = [...carried.map(({ table }) => table), ...leftBehind.keys(), ...ofServer].sort()
    expect(told).toEqual(rows.map(({ name }) => name).sort())
  })

  it('that is carried names columns that there are', async () => {
    for (const { table, without = [], secrets = [], stilled = {}, within = {}, needs, unless } of carried) {
      const { rows } = await p.database.plain(
        `select column_name as name from information_schema.columns where table_name = '${table}'`,
      )
      const names = rows.map(({ name }) => name)
      for (const name of [
        ...without,
        ...secrets,
        ...Object.keys(stilled),
        ...Object.keys(within),
        ...[needs ?? [], unless ?? []].flat(),
      ]) {
        expect(names, `${table}.${name}`).toContain(name)
      }
    }
  })
})

describe('an export', () => {
  it('has a file for each table, with as many rows as the workspace has', async () => {
    const missing: string[] = []
    for (const { table, area, needs, unless } of carried) {
      const path = `areas/${area}/${table}.ndjson`
      expect(files.has(path), path).toBe(true)
      const { rows } = await p.database.plain(
        `select column_name from information_schema.columns where table_name = '${table}' and column_name = 'workspace_id'`,
      )
      if (rows.length === 0) continue
      const { rows: counted } = await p.database.plain(
        `select count(*)::int as count from "${table}" where workspace_id = '${w.workspaceId}'
          and ${needs ?? 'workspace_id'} is not null ${unless ? `and ${unless} is null` : ''}`,
      )
      const found = linesOf(files, path).length
      if (found !== counted[0]?.count) missing.push(`${table}: ${found} of ${counted[0]?.count}`)
    }
    expect(missing).toEqual([])
  })

  it('is of a workspace in which every area has something', () => {
    const empty = areas
      .filter(({ carries }) => Object.keys(carries).length > 0)
      .filter(({ name, carries }) =>
        Object.keys(carries).every(table => linesOf(files, `areas/${name}/${table}.ndjson`).length === 0),
      )
    expect(empty.map(({ name }) => name)).toEqual([])
  })

  it('lists each file with its size and hash, and signs the list', () => {
    type Listed = { files: { path: string; size: number; sha256: string }[] }
    const [{ files: listed }, end] = linesOf(files, 'manifest.json') as unknown as [Listed, { signature: string }]
    expect(listed.map(({ path }) => path).sort()).toEqual(
      [...files.keys()].filter(one => one !== 'manifest.json').sort(),
    )
    for (const { path, size, sha256 } of listed) {
      const bytes = files.get(path) as Buffer
      expect([path, bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([path, size, sha256])
    }
    expect(end.signature.length).toBeGreaterThan(60)
  })

  it('has the ledger as a file that anybody can verify', async () => {
    const check = await checkExport((files.get('ledger.ndjson') ?? '').toString('utf8').split('\n'))
    expect(check).toMatchObject({ ok: true, problem: null, chain: w.workspaceId })
    expect(check.checked).toBeGreaterThan(50)
  })

  it('has nothing that opens anything', async () => {
    const text = [...files.values()].map(bytes => bytes.toString('latin1')).join('\n')
    const tokens = text.match(/\b(atr|sess|inv|tt|art|run|hook)_(?!id_)[0-9A-Za-z_-]{40,}/g)
    expect(tokens ?? []).toEqual([])
    const { rows } = await p.database.plain(`
      select hash from api_key_secrets union select hash from sessions union select hash from telemetry_token_secrets`)
    expect(rows.filter(({ hash }) => text.includes(String(hash)))).toEqual([])
  })

  it('holds nothing that would act by itself', () => {
    expect(linesOf(files, 'areas/automations/automations.ndjson').every(({ enabled }) => enabled === false)).toBe(true)
    const statuses = linesOf(files, 'areas/threads/agent_runs.ndjson').map(({ status }) => status)
    expect(statuses.filter(status => !['succeeded', 'failed', 'cancelled'].includes(String(status)))).toEqual([])
  })

  it('leaves behind what is private to others, and what hangs on it', async () => {
    const thread = { workspaceId: w.workspaceId, name: 'Mine alone', visibility: 'private' }
    const { result } = await p.call('threads.post', thread, w.member)
    const other = filesIn(await exported(w, w.admin))
    const text = [...other.values()].map(bytes => bytes.toString('latin1')).join('\n')
    expect(text.includes('Mine alone')).toBe(false)
    expect(linesOf(other, 'areas/threads/threads.ndjson').map(({ id }) => id)).not.toContain(result.id)
  })

  it('leaves behind files that nobody has sent yet', async () => {
    const pending = await p.database.query<{ id: string }>(
      sql`select id from message_files where workspace_id = ${w.workspaceId} and message_id is null`,
    )
    const ids = linesOf(files, 'areas/threads/message_files.ndjson').map(({ id }) => id)
    expect(pending.length).toBeGreaterThan(0)
    expect(pending.filter(({ id }) => ids.includes(id))).toEqual([])
  })

  it('tells nothing of people whom somebody only names in a text', async () => {
    const other = await p.user('elsewhere@example.com')
    await p.call('labels.post', { workspaceId: w.workspaceId, name: 'Look', description: other.userId }, w.owner)
    const again = filesIn(await exported(w, w.owner))
    expect(String(again.get('areas/labels/labels.ndjson'))).toContain(other.userId)
    expect(linesOf(again, 'people.ndjson').map(({ id }) => id)).not.toContain(other.userId)
  })

  it('is fetched by nobody but who asked for it', async () => {
    const { result } = await p.call('workspaces.exports.post', { workspaceId: w.workspaceId }, w.owner)
    const path = { workspaceId: w.workspaceId, exportId: result.id }
    expect((await p.call('workspaces.exports.get', path, w.admin)).status).toBe(404)
    expect((await p.call('workspaces.exports.file', path, w.admin)).status).toBe(404)
    expect((await p.call('workspaces.exports.file', path, w.member)).status).toBe(403)
    expect((await p.call('workspaces.exports.post', { workspaceId: w.workspaceId }, w.member)).status).toBe(403)
  })

  it('is removed after a day', async () => {
    p.advance(25 * 3_600_000)
    await p.platform.jobs.enqueue()('workspaces.forgetExports', {})
    await expect
      .poll(async () => (await p.database.query(sql`select 1 as one from workspace_file_pieces`)).length, {
        timeout: 20_000,
      })
      .toBe(0)
  })
})
