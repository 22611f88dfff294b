import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let statements = 0
beforeAll(async () => {
  p = await platform({ onStatement: () => void statements++ })
})
afterAll(() => p.close())

async function issueOf(owner: TestCaller): Promise<{ workspaceId: string; object: 'issue'; objectId: string }> {
  const { workspaceId } = owner
  const { result } = await p.call('issues.post', { workspaceId, title: 'Checkout answers 502' }, owner)
  return { workspaceId, object: 'issue', objectId: result.id }
}

const ratingOn = async ({ workspaceId, objectId }: { workspaceId: string; objectId: string }, caller: TestCaller) =>
  (await p.call('issues.get', { workspaceId, id: objectId }, caller)).result.rating

/** How many statements a call takes; what follows the ledger runs beside it for a moment, so the least of some tries counts. */
async function spentBy(call: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 40; tries++) {
    statements = 0
    await call()
    least = Math.min(least, statements)
  }
  return least
}

const nobody = 'issue_000000000000000000000000'

describe('ratings.post', () => {
  it('makes one rating for each rater and record, and flips it', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const member = await p.as('member', issue.workspaceId)
    const first = await p.call('ratings.post', { ...issue, value: 1 }, owner)
    expect(first.status).toBe(201)
    expect(first.body.message.message).toBe('Resource created')
    expect(first.result).toEqual({
      id: expect.stringMatching(/^rating_[0-9a-z]{24}$/),
      ...issue,
      value: 1,
      reason: null,
      comment: null,
      raterId: owner.userId,
      created: expect.any(String),
      updated: first.result.created,
      _object: 'rating',
    })
    await p.call('ratings.post', { ...issue, value: 1 }, member)
    expect(await ratingOn(issue, owner)).toEqual({ up: 2, down: 0 })
    p.advance(1_000)
    const second = await p.call('ratings.post', { ...issue, value: -1, reason: 'wrong', comment: 'No.' }, owner)
    expect(second.status).toBe(200)
    expect(second.body.message.message).toBe('Successful request')
    expect(second.result).toMatchObject({ id: first.result.id, value: -1, reason: 'wrong', comment: 'No.' })
    expect(second.result.created).toBe(first.result.created)
    expect(await ratingOn(issue, member)).toEqual({ up: 1, down: 1 })
    const { items } = (await p.call('issues.list', { workspaceId: issue.workspaceId }, owner)).result
    expect(items[0].rating).toEqual({ up: 1, down: 1 })
  })

  it('makes one of many at the same time', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const values = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 1 : -1))
    const answers = await Promise.all(values.map(value => p.call('ratings.post', { ...issue, value }, owner)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(new Set(answers.map(({ result }) => result.id)).size).toBe(1)
    const { up, down } = await ratingOn(issue, owner)
    expect(up + down).toBe(1)
  })

  it('answers a repeated request as it did the first time', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const caller = (key: string) => ({ ...owner, headers: { ...owner.headers, 'idempotency-key': key } })
    const body = { ...issue, value: 1 }
    const [one, again] = [
      await p.call('ratings.post', body, caller('a')),
      await p.call('ratings.post', body, caller('a')),
    ]
    expect([one.status, again.status, again.text]).toEqual([201, 201, one.text])
    const [other, after] = [
      await p.call('ratings.post', body, caller('b')),
      await p.call('ratings.post', body, caller('b')),
    ]
    expect([other.status, after.status, after.text]).toEqual([200, 200, other.text])
  })

  it.each([
    [{ value: 0 }, 'value'],
    [{ value: 2 }, 'value'],
    [{ value: '1' }, 'value'],
    [{ value: 1, reason: 'ugly' }, 'reason'],
    [{ value: 1, comment: 'x'.repeat(2_001) }, 'comment'],
    [{ value: 1, raterId: 'somebody' }, 'raterId'],
    [{ value: 1, raterId: `ext:${'x'.repeat(65)}` }, 'raterId'],
    [{ value: 1, raterId: 'ext:' }, 'raterId'],
  ])('refuses %j', async (fields, path) => {
    const owner = await p.user()
    const { status, error } = await p.call('ratings.post', { ...(await issueOf(owner)), ...fields }, owner)
    expect([status, error.metadata.issues[0].path]).toEqual([400, path])
  })

  it('lets a key that may do nothing else rate, and tells it nothing', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const stranger = await p.user()
    const foreign = await issueOf(stranger)
    const key = await p.key(owner, { scopes: ['ratings:write'] })
    const rate = (fields: object) => p.call('ratings.post', { ...issue, value: -1, ...fields }, key)
    const made = await rate({})
    expect([made.status, made.result.raterId]).toEqual([201, key.id])
    expect((await p.call('issues.get', { workspaceId: issue.workspaceId, id: issue.objectId }, key)).status).toBe(403)
    const counted: number[] = []
    const texts = new Set<string>()
    for (const fields of [
      { objectId: nobody },
      { objectId: foreign.objectId },
      { objectId: 'issue_x' },
      { objectId: "' or true --" },
      { object: 'nothing' },
      { object: 'api_key', objectId: key.id },
      { object: 'team', objectId: 'team_000000000000000000000000' },
    ]) {
      const { status, text } = await rate(fields)
      expect({ fields, status }).toEqual({ fields, status: 404 })
      counted.push(await spentBy(() => rate(fields)))
      texts.add(text)
    }
    expect(new Set(counted).size).toBe(1)
    expect(texts.size).toBe(1)
    expect((await p.call('ratings.post', { ...foreign, value: 1 }, key)).status).toBe(403)
  })

  it('finds nothing for whom the owner may not read it', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const { workspaceId } = issue
    const narrow = await p.as('member', workspaceId)
    const key = await p.key({ ...narrow, workspaceId }, { scopes: ['ratings:write'] })
    await p.call(
      'workspace_members.patch',
      { workspaceId, userId: narrow.userId, scopes: ['ratings:write', 'labels:read'] },
      owner,
    )
    for (const caller of [narrow, key]) {
      const rate = (objectId: string) => p.call('ratings.post', { ...issue, objectId, value: 1 }, caller)
      const [hidden, absent] = [await rate(issue.objectId), await rate(nobody)]
      expect([hidden.status, hidden.text]).toEqual([404, absent.text])
      expect(await spentBy(() => rate(issue.objectId))).toBe(await spentBy(() => rate(nobody)))
    }
  })

  it('takes ratings of an application’s users, of whom only a hash is kept', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const key = await p.key(owner, { scopes: ['ratings:write'] })
    const rate = (raterId: string, value: number) => p.call('ratings.post', { ...issue, raterId, value }, key)
    const one = await rate('ext:ada@example.com', 1)
    expect(one.result.raterId).toMatch(/^ext:[\w-]{32}$/)
    expect((await rate('ext:ada@example.com', -1)).status).toBe(200)
    expect((await rate('ext:grace@example.com', 1)).status).toBe(201)
    expect(await ratingOn(issue, owner)).toEqual({ up: 1, down: 1 })
    const { rows } = await p.database.plain(`
      select concat(string_agg(r::text, ' '), (select string_agg(l::text, ' ') from ledger l)) as all_text from ratings r`)
    expect(String(rows[0]?.all_text)).not.toContain('ada@example.com')
    const elsewhere = await p.user()
    const other = await p.call(
      'ratings.post',
      { ...(await issueOf(elsewhere)), raterId: 'ext:ada@example.com', value: 1 },
      elsewhere,
    )
    expect(other.result.raterId).not.toBe(one.result.raterId)
  })

  it('keeps comments out of the ledger', async () => {
    const owner = await p.user()
    await p.call('ratings.post', { ...(await issueOf(owner)), value: -1, comment: 'It named my mother.' }, owner)
    const rows = await p.database.query<{ entry: string }>(
      sql`select entry || coalesce(personal::text, '') as entry from ledger where chain = ${owner.workspaceId}`,
    )
    expect(rows.at(-1)?.entry).toContain('ratings.post')
    expect(rows.map(({ entry }) => entry).join()).not.toContain('my mother')
  })
})

describe('ratings.del', () => {
  it('takes back one’s own, and nobody else’s, whatever one’s role', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const { workspaceId } = issue
    const member = await p.as('member', workspaceId)
    const { result } = await p.call('ratings.post', { ...issue, value: 1 }, member)
    const gone = { workspaceId, id: result.id }
    const refused = await p.call('ratings.del', gone, owner)
    const absent = await p.call('ratings.del', { workspaceId, id: 'rating_000000000000000000000000' }, owner)
    expect([refused.status, refused.text]).toEqual([404, absent.text])
    expect((await p.call('ratings.del', gone, await p.key(owner))).status).toBe(404)
    expect((await p.call('ratings.del', gone, member)).result).toEqual({ ...gone, _object: 'rating' })
    expect((await p.call('ratings.del', gone, member)).status).toBe(404)
    expect(await ratingOn(issue, owner)).toEqual({ up: 0, down: 0 })
  })

  it('lets an application take back what it rated for its users, and no other', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const { workspaceId } = issue
    const [one, other] = [await p.key(owner), await p.key(owner)]
    const { result } = await p.call('ratings.post', { ...issue, value: 1, raterId: 'ext:7' }, one)
    expect((await p.call('ratings.del', { workspaceId, id: result.id }, other)).status).toBe(404)
    expect((await p.call('ratings.del', { workspaceId, id: result.id }, one)).status).toBe(200)
  })
})

describe('a rating', () => {
  it('goes with its record, and with the account of who gave it', async () => {
    const owner = await p.user()
    const issue = await issueOf(owner)
    const { workspaceId } = issue
    const kept = await issueOf(owner)
    const member = await p.as('member', workspaceId)
    for (const one of [issue, kept]) await p.call('ratings.post', { ...one, value: 1 }, member)
    await p.call('issues.del', { workspaceId, id: issue.objectId }, owner)
    const left = () => p.database.query(sql`select id from ratings where workspace_id = ${workspaceId}`)
    expect(await left()).toHaveLength(1)
    expect((await p.call('auth.del', {}, member)).error).toBeNull()
    expect(await left()).toEqual([])
    expect(await ratingOn(kept, owner)).toEqual({ up: 0, down: 0 })
  })
})
