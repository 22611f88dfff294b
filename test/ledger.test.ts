// For every operation that the ledger keeps: one entry on success, one on refusal, none of a failure, and no secret in any.

import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAudited, type Operation } from '../src/contract/operation.ts'
import { sql } from '../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { rowOf, type World, world } from './calls.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
})
afterAll(() => p.close())

const operationOf = (id: string) => lookUp(id) as Operation
const audited = operationIds.filter(id => isAudited(operationOf(id)))
const refusable = operationIds.filter(id => operationOf(id).access !== 'public')

type Row = { chain: string; seq: number; entry: string; personal: unknown; action: string; outcome: string }

/** Entries after a point; the order of writing is that of the clock and, within a chain, of its sequence. */
async function entriesSince(known: ReadonlySet<string>): Promise<Row[]> {
  const rows = await p.database.query<Row & { id: string }>(
    sql`select id, chain, seq, entry, personal, action, outcome from ledger`,
  )
  return rows.filter(row => !known.has(row.id))
}

async function known(): Promise<Set<string>> {
  const rows = await p.database.query<{ id: string }>(sql`select id from ledger`)
  return new Set(rows.map(row => row.id))
}

/** The values that stand under a field marked secret, in what was sent and in what came back. */
function secretsIn(schema: TSchema | undefined, value: unknown): string[] {
  const marks = schema as { 'x-secret'?: boolean; properties?: Record<string, TSchema> } | undefined
  if (marks?.['x-secret']) return typeof value === 'string' && value.length > 0 ? [value] : []
  return Object.entries(marks?.properties ?? {}).flatMap(([name, part]) =>
    secretsIn(part, (value as Record<string, unknown> | undefined)?.[name]),
  )
}

describe('on success', () => {
  it.each(audited)('%s leaves exactly one entry, without a secret', async id => {
    const operation = operationOf(id)
    const caller = operation.access === 'public' ? null : ((await rowOf(id).by?.(here)) ?? here.owner)
    const input = await rowOf(id).input(here, caller ?? here.owner)
    // Logging out changes something only for whoever is logged in.
    const by = operation.cookie === 'clear' ? await p.session(here.member.userId) : caller
    const before = await known()
    const answer = await p.call(id, input, by)
    expect(answer.error).toBeNull()
    const entries = await entriesSince(before)
    const own = entries.filter(entry => entry.action === id)
    expect(own).toHaveLength(1)
    expect(own[0]?.outcome).toBe('success')
    const told = JSON.parse(own[0]?.entry ?? '')
    expect(told.actor.surface).toBe('rest')
    expect(told.requestId).toMatch(/^req_/)
    expect(told.target).toMatchObject({ object: expect.any(String), id: expect.any(String) })
    // What an account leaves behind says nothing of the person.
    const tellsBefore = /\.(patch|put|del)$/.test(id) && id !== 'auth.del' && id !== 'auth.sessions.del'
    if (tellsBefore) expect(told.changes.some((change: object) => 'before' in change)).toBe(true)
    const text = JSON.stringify(entries)
    for (const secret of [...secretsIn(operation.body, input), ...secretsIn(operation.result, answer.result)]) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('on refusal', () => {
  it.each(refusable)('%s leaves exactly one entry that says why', async id => {
    const caller = (await rowOf(id).by?.(here)) ?? here.owner
    const input = await rowOf(id).input(here, caller)
    // A key without scopes may do nothing but show itself and ask what it may do.
    const key = await p.key(here.owner, { scopes: [] })
    const before = await known()
    const answer = await p.call(id, input, key)
    const { access, credentials = ['key'] } = operationOf(id)
    if (access === 'credential' && credentials.includes('key')) return expect(answer.status).toBe(200)
    expect(answer.status).toBe(403)
    const entries = await entriesSince(before)
    expect(entries).toHaveLength(1)
    const told = JSON.parse(entries[0]?.entry ?? '')
    expect(told).toMatchObject({ action: id, outcome: 'denied', reason: answer.error?.metadata.reason ?? 'credential' })
    expect(JSON.stringify(entries)).not.toContain(key.token)
  })
})

describe('on failure', () => {
  it('leaves nothing of a transaction that was rolled back', async () => {
    const before = await known()
    const { workspaceId, owner } = here
    await p.call('teams.post', { workspaceId, name: 'Taken', slug: 'taken' }, owner)
    expect((await p.call('teams.post', { workspaceId, name: 'Taken', slug: 'taken' }, owner)).status).toBe(409)
    expect((await p.call('teams.post', { workspaceId, name: 'T' }, owner)).status).toBe(400)
    const gone = 'team_000000000000000000000000'
    expect((await p.call('teams.del', { workspaceId, id: gone }, owner)).status).toBe(404)
    expect(await entriesSince(before)).toHaveLength(1)
  })
})

describe('refusals in number', () => {
  it('are written each up to a hundred a minute per credential, then one in a hundred', async () => {
    const key = await p.key(here.owner, { scopes: [] })
    const before = await known()
    // A minute has just begun, so that all of it is there.
    p.advance(60_000 - (p.now().getTime() % 60_000))
    for (let index = 0; index < 300; index++) await p.call('teams.list', { workspaceId: here.workspaceId }, key)
    const entries = await entriesSince(before)
    expect(entries).toHaveLength(102)
    expect(entries.filter(entry => JSON.parse(entry.entry).omitted === 99)).toHaveLength(2)
  })
})
