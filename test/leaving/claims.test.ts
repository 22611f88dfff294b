// Whom an import names: nobody learns whether they have an account, and nobody is made a member who does not say so.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { people } from '../helpers/accounts.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { claimOf } from './calls.ts'
import { packed } from './homes.ts'
import { exported, filesIn, linesOf } from './zips.ts'

let p: TestPlatform
let on: ReturnType<typeof people>
/** Statements as they were sent. */
let texts: string[] = []
let sender: TestCaller
let files: Map<string, Buffer>
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' }, onStatement: ({ text }) => void texts.push(text) })
  on = people(p)
  sender = await p.user()
  await p.as('member', sender.workspaceId)
  files = filesIn(await exported({ p, workspaceId: sender.workspaceId }, sender))
})
afterAll(() => p.close())

const membersPath = 'areas/workspaces/workspace_members.ndjson'
const send = (bytes: Buffer, by: TestCaller, query = {}) =>
  p.call('workspaces.import', { ...query, content: { kind: 'zip', bytes } }, by)

/** The archive with these people besides, each a member. */
async function naming(addresses: readonly string[], changes: Record<string, string> = {}): Promise<Buffer> {
  const [member] = linesOf(files, membersPath)
  const ids = addresses.map((_, index) => `usr_${String(index).padStart(32, '0')}`)
  const lines = (values: readonly object[]) => values.map(value => `${JSON.stringify(value)}\n`).join('')
  const named = ids.map((id, index) => ({ id, forename: 'Somebody', surname: null, address: addresses[index] }))
  const members = ids.map(id => ({ ...member, user_id: id, position: 'member' }))
  return await packed(files, {
    ...changes,
    'people.ndjson': `${files.get('people.ndjson')}${lines(named)}`,
    [membersPath]: `${files.get(membersPath)}${lines(members)}`,
  })
}

const emailOf = async (one: TestCaller) => (await p.call('auth.whoami', {}, one)).result.email as string

describe('people of an archive', () => {
  it('with an account and without are answered alike, in a dry run and in an import', async () => {
    const victim = await p.user()
    const answers: Record<string, unknown>[] = []
    for (const address of [await emailOf(victim), 'nobody@example.com']) {
      const by = await p.user()
      const bytes = await naming([address])
      const dry = await send(bytes, by, { dryRun: true })
      const real = await send(bytes, by)
      expect([dry.status, real.status, real.error?.detail]).toEqual([200, 201, undefined])
      const { result: members } = await p.call('workspace_members.list', { workspaceId: real.result.id }, by)
      const shown = members.items.map(({ forename, email }: { forename: string; email: string | null }) =>
        email === null ? forename : 'importer',
      )
      answers.push({ dry: dry.result.people, real: real.result.people, shown: shown.sort() })
    }
    expect(answers[0]).toEqual(answers[1])
    expect((await p.call('workspaces.list', {}, victim)).result.count).toBe(1)
  })

  it('are told that they may claim a place, without a word that the sender chose', async () => {
    const victim = await p.user()
    const by = await p.user()
    const name = 'Buy our pills'
    const text = String(files.get('workspace.json')).replace(/"name":"[^"]*"/, `"name":"${name}"`)
    const spam = await naming([await emailOf(victim)], { 'workspace.json': text })
    expect((await send(spam, by)).status).toBe(201)
    await on.settled()
    await expect
      .poll(async () => (await p.call('auth.inbox.list', {}, victim)).result.items.length, { timeout: 20_000 })
      .toBe(1)
    const { result } = await p.call('auth.inbox.list', {}, victim)
    expect(result.items[0]).toMatchObject({ type: 'workspaces.imported', workspace: null, actor: null })
    const mails = await p.mails(await emailOf(victim))
    expect(JSON.stringify([result.items, mails])).not.toContain(name)
  })

  it('are counted in the limit: few archives with many people in a minute', async () => {
    const by = await p.user()
    const many = await naming(Array.from({ length: 12_000 }, (_, index) => `person${index}@elsewhere.example`))
    expect((await send(many, by, { dryRun: true })).status).toBe(200)
    expect((await send(many, by, { dryRun: true })).status).toBe(429)
  })

  it('by the thousand, with accounts, can be imported; as many are told as one may invite', {
    timeout: 240_000,
  }, async () => {
    const now = p.now()
    await p.database.query(sql`
      insert into users (id, forename, email, proven_email, verified_at, created, updated)
      select 'usr_' || lpad(n::text, 32, 'x'), 'Many', 'many' || n || '@example.com', 'many' || n || '@example.com',
        ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz from generate_series(1, 1200) n`)
    const by = await p.user()
    const addresses = Array.from({ length: 1_200 }, (_, index) => `many${index + 1}@example.com`)
    const { status, result } = await send(await naming(addresses), by)
    expect([status, result.people.placeholders]).toEqual([201, 1_202])
    await on.settled()
    const told = () =>
      p.database.query<{ count: number }>(
        sql`select count(*)::int as count from inbox_entries where workspace_id = ${result.id}`,
      )
    await expect.poll(async () => (await told())[0]?.count, { timeout: 60_000 }).toBe(100)
  })
})

describe('a claim', () => {
  it('is offered to the address alone, accepted once, and makes a member of what was left', async () => {
    const [victim, other] = [await p.user(), await p.user()]
    const { id, workspaceId } = await claimOf({ p }, victim)
    const listed = (by: TestCaller) => p.call('workspaces.claims.list', {}, by).then(({ result }) => result.items)
    expect(await listed(victim)).toMatchObject([{ id, workspaceId, forename: 'Ada', position: 'member' }])
    expect(await listed(other)).toEqual([])
    const [refused, absent] = [
      await p.call('workspaces.claims.accept', { id }, other),
      await p.call('workspaces.claims.accept', { id: other.userId }, other),
    ]
    expect([refused.status, refused.text]).toEqual([404, absent.text])
    expect((await p.call('workspaces.get', { workspaceId }, victim)).status).toBe(403)
    expect((await p.call('workspaces.claims.accept', { id }, victim)).status).toBe(200)
    expect((await p.call('workspaces.get', { workspaceId }, victim)).status).toBe(200)
    expect((await p.call('workspaces.claims.accept', { id }, victim)).status).toBe(404)
    await on.settled()
    expect(await p.database.query(sql`select id from users where id = ${id}`)).toEqual([])
  })

  it('that is left is not offered again, and changes nothing there', async () => {
    const victim = await p.user()
    const { id, workspaceId } = await claimOf({ p }, victim)
    const rows = () => p.database.query(sql`select * from workspace_members where workspace_id = ${workspaceId}`)
    const before = await rows()
    expect((await p.call('workspaces.claims.del', { id }, victim)).status).toBe(200)
    expect((await p.call('workspaces.claims.list', {}, victim)).result.items).toEqual([])
    expect((await p.call('workspaces.claims.accept', { id }, victim)).status).toBe(404)
    expect(await rows()).toEqual(before)
  })

  it('of somebody whom many rows name writes them in many statements', { timeout: 60_000 }, async () => {
    const victim = await p.user()
    const { id, workspaceId } = await claimOf({ p }, victim)
    const now = p.now()
    await p.database.query(sql`
      insert into labels (id, workspace_id, name, folded, color, owner_id, created, updated)
      select 'label_' || lpad(n::text, 24, '0'), ${workspaceId}, 'Label ' || n, 'label ' || n, 'gray', ${id}, ${now}, ${now}
      from generate_series(1, 4000) n`)
    texts = []
    await p.call('workspaces.claims.accept', { id }, victim)
    await on.settled()
    const [row] = await p.database.query<{ count: number }>(
      sql`select count(*)::int as count from labels where workspace_id = ${workspaceId} and owner_id = ${victim.userId}`,
    )
    expect(row?.count).toBe(4_000)
    expect(texts.filter(text => text.includes('update "labels" t')).length).toBeGreaterThan(4)
  })

  it('takes a seat, where a placeholder took none', async () => {
    const victim = await p.user()
    const { id, workspaceId } = await claimOf({ p }, victim)
    const { seatsUsed } = await import('../../src/areas/workspace_members/store.ts')
    expect(await seatsUsed(p.database, workspaceId)).toBe(1)
    await p.call('workspaces.claims.accept', { id }, victim)
    expect(await seatsUsed(p.database, workspaceId)).toBe(2)
  })
})
