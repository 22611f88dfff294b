// What tests of cloud accounts share: accounts that are read, and the bytes that must be nowhere.
import { expect } from 'vitest'
import { raw, sql } from '../../src/kit/sql.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Loose = any

/** Once nothing of it is under way any more: the jobs of the service may have been quicker. */
export async function settled(p: TestPlatform, caller: TestCaller, id: string): Promise<Loose> {
  const { workspaceId } = caller
  for (let tries = 0; tries < 1000; tries++) {
    const { result } = await p.call('cloud_accounts.get', { workspaceId, id }, caller)
    if (result.status !== 'syncing' && result.status !== 'pending') return result
    if (result.status === 'pending') await p.platform.jobs.runNow('cloud_accounts.sync', { workspaceId, id })
    await p.platform.jobs.runNow('cloud_infra.apply', { workspaceId, accountId: id })
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('the sync did not end')
}

/** Asked for, read and written. */
export async function synced(p: TestPlatform, caller: TestCaller, id: string): Promise<Loose> {
  const { workspaceId } = caller
  await settled(p, caller, id)
  const { status, error } = await p.call('cloud_accounts.sync', { workspaceId, id }, caller)
  expect([status, error]).toEqual([202, null])
  return await settled(p, caller, id)
}

export async function nodesOf(p: TestPlatform, caller: TestCaller, accountId: string, fields: object = {}) {
  const asked = { workspaceId: caller.workspaceId, accountId, perPage: 100, ...fields }
  const { result } = await p.call('cloud_infra.nodes.list', asked, caller)
  return result.items as Loose[]
}

/** Every row of every table, as text. Columns of bytes show as hexadecimal digits, so they are looked for so too. */
export async function placesOf(p: TestPlatform, bytes: readonly string[]): Promise<string[]> {
  const tables = await p.database.query<{ name: string }>(sql`
    select c.relname as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`)
  const found: string[] = []
  for (const { name } of tables) {
    for (const one of bytes) {
      const hexadecimal = Buffer.from(one).toString('hex')
      const rows = await p.database.query(sql`
        select 1 from ${raw(`"${name}"`)} t where strpos(t::text, ${one}) > 0 or strpos(t::text, ${hexadecimal}) > 0 limit 1`)
      if (rows.length > 0) found.push(`${name}: ${one.slice(0, 12)}`)
    }
  }
  return found
}
