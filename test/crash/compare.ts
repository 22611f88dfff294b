// What the service has, held against what the writers know.

import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { type ChainRow, checkRow, genesis, type Start } from '../../src/contract/ledger_verifier.ts'
import type { Database } from '../../src/kit/db.ts'
import { sql } from '../../src/kit/sql.ts'
import { type Client, client, type Life } from './writers.ts'

type Item = Record<string, unknown> & { id: string }

async function all(send: Client, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const { result } = await send('GET', `${path}?perPage=100&page=${page}&orderBy=created&order=asc`)
    items.push(...(result.items as Item[]))
    if (items.length >= (result.count as number)) return items
  }
}

async function entries(send: Client, workspaceId: string, action: string): Promise<number> {
  const { result } = await send('GET', `/audit_logs/${workspaceId}?perPage=1&action=${action}&outcome=success`)
  return result.count as number
}

/** Everything acknowledged is there, once, and nothing else is; each write stands once in a whole ledger. */
export async function compare(baseUrl: string, token: string, life: Life): Promise<void> {
  const send = client(baseUrl, token)
  const { workspaceId, acknowledged, unsure } = life
  await compareTeams(send, life)
  const invites = await all(send, `/workspace_members/${workspaceId}/invites`)
  const known = [...life.invites].map(([email, id]) => `${email} ${id}`).sort()
  expect(invites.map(({ email, id }) => `${email} ${id}`).sort()).toEqual(known)
  for (const session of life.sessions.values()) await client(baseUrl, session)('GET', '/auth/whoami')

  expect(await entries(send, workspaceId, 'teams.post')).toBe(life.teams.size)
  expect(await entries(send, workspaceId, 'workspace_members.invites.post')).toBe(life.invites.size)
  for (const [action, least, more] of [
    ['teams.patch', acknowledged.patches, unsure.patches],
    ['teams.del', acknowledged.deletes, unsure.deletes],
  ] as const) {
    const count = await entries(send, workspaceId, action)
    expect(count).toBeGreaterThanOrEqual(least)
    expect(count).toBeLessThanOrEqual(least + more)
  }
  const { result } = await send('GET', `/audit_logs/${workspaceId}/verify`)
  expect(result).toMatchObject({ ok: true })
}

async function compareTeams(send: Client, { workspaceId, teams }: Life): Promise<void> {
  const found = await all(send, `/teams/${workspaceId}`)
  expect(new Set(found.map(({ name }) => name)).size).toBe(found.length)
  const byName = new Map(found.map(team => [team.name, team]))
  const lost: string[] = []
  for (const [name, team] of teams) {
    const there = byName.get(name)
    byName.delete(name)
    if (!there && team.deleted === 'no') lost.push(name)
    if (!there) continue
    expect([name, there.id, team.deleted]).toEqual([name, team.id, expect.not.stringMatching('yes')])
    expect(team.colors).toContain(there.color)
  }
  expect(lost).toEqual([])
  // What nobody made, or was made twice.
  expect([...byName.keys()]).toEqual([])
}

/** Inside the database, once nobody uses it: each job once, each account once, every chain whole up to its head. */
export async function compareInside(database: Database, lives: readonly Life[]): Promise<{ jobs: number }> {
  const jobs = await database.query<{ key: string; state: string; count: number }>(sql`
    select coalesce(data ->> 'inviteId', data ->> 'email') as key, state::text, count(*)::int as count from jobs.job
    where name in ('workspace_members.mailInvite', 'auth.mailVerification') group by 1, 2`)
  const expected = lives.flatMap(life => [...life.invites.values()])
  const ofInvites = jobs.filter(({ key }) => key.startsWith('invite_'))
  expect(ofInvites.filter(({ state, count }) => state !== 'completed' || count !== 1)).toEqual([])
  expect(ofInvites.map(({ key }) => key).sort()).toEqual(expected.sort())
  expect(jobs.filter(({ state }) => state !== 'completed')).toEqual([])

  const accounts = await database.query<{ email: string; count: number }>(
    sql`select email, count(*)::int as count from users group by 1`,
  )
  expect(accounts.filter(({ count }) => count !== 1)).toEqual([])

  const heads = await database.query<{ chain: string; seq: number; hash: string }>(
    sql`select chain, seq, hash from ledger_heads`,
  )
  for (const { chain, seq, hash: last } of heads) {
    const rows = await database.query<ChainRow>(sql`
      select seq, entry, personal, previous_hash, hash from ledger where chain = ${chain} order by seq`)
    let end: Start = genesis
    for (const row of rows) {
      expect(await checkRow(text => hash('sha256', text), end, row)).toBeNull()
      end = { seq: row.seq, hash: row.hash }
    }
    expect(end).toEqual({ seq, hash: last })
  }
  return { jobs: jobs.reduce((sum, { count }) => sum + count, 0) }
}
