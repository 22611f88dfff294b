import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { people } from '../../../../test/helpers/accounts.ts'
import { platform, type TestPlatform } from '../../../../test/helpers/platform.ts'
import { sql } from '../../../kit/sql.ts'

const day = 86_400_000
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

describe('auth.sessions', () => {
  it('list shows device, address and times, and never a token', async () => {
    const ada = await on.signUp(undefined, { headers: { 'user-agent': firefox }, from: '192.0.2.5' })
    const { result, text } = await on.call('auth.sessions.list', {}, { token: ada.token })
    expect(result).toEqual({
      count: 1,
      items: [
        {
          id: expect.stringMatching(/^session_[0-9a-z]{24}$/),
          device: 'Firefox on Linux',
          address: '192.0.2.5',
          created: expect.any(String),
          lastUsed: expect.any(String),
          expires: expect.any(String),
          isCurrent: true,
        },
      ],
    })
    expect(text).not.toContain('sess_')
  })

  it('list pages, sorts and filters', async () => {
    const ada = await p.user()
    for (let index = 0; index < 4; index++) await p.session(ada.userId)
    const { token } = ada
    const { result } = await on.call('auth.sessions.list', { perPage: 2, page: 2, orderBy: 'lastUsed' }, { token })
    expect([result.count, result.items.length]).toEqual([5, 2])
    const only = await on.call('auth.sessions.list', { id: ada.id }, { token })
    expect(only.result.items.map((item: { id: string }) => item.id)).toEqual([ada.id])
    for (const bad of [{ perPage: 0 }, { perPage: 101 }, { page: 0 }, { orderBy: 'hash' }, { order: 'up' }]) {
      expect((await on.call('auth.sessions.list', bad, { token })).status).toBe(400)
    }
  })

  it('del ends one at once, and only one’s own', async () => {
    const ada = await p.user()
    const second = await p.session(ada.userId)
    const stranger = await p.user()
    const { status, result } = await on.call('auth.sessions.del', { id: second.id }, { token: ada.token })
    expect([status, result]).toEqual([200, { id: second.id, _object: 'session' }])
    expect(await on.isAlive(second.token)).toBe(false)
    for (const id of [second.id, stranger.id, 'nonsense']) {
      const again = await on.call('auth.sessions.del', { id }, { token: ada.token })
      expect([again.status, again.error.message]).toEqual([404, 'Not found'])
    }
    expect(await on.isAlive(stranger.token)).toBe(true)
  })

  it('delOthers ends all but the caller’s', async () => {
    const ada = await p.user()
    const others = [await p.session(ada.userId), await p.session(ada.userId)]
    expect((await on.call('auth.sessions.delOthers', {}, { token: ada.token })).result).toEqual({ ended: 2 })
    for (const { token } of others) expect(await on.isAlive(token)).toBe(false)
    expect(await on.isAlive(ada.token)).toBe(true)
  })

  it('are twenty at most: the longest unused goes', async () => {
    const ada = await p.user()
    const later = []
    for (let index = 0; index < 20; index++) {
      p.advance(1_000)
      later.push(await p.session(ada.userId))
    }
    expect(await on.isAlive(ada.token)).toBe(false)
    for (const { token } of later) expect(await on.isAlive(token)).toBe(true)
  })

  it('end seven days after their last use', async () => {
    const [used, idle] = [await p.user(), await p.user()]
    for (let round = 0; round < 3; round++) {
      p.advance(3 * day)
      expect(await on.isAlive(used.token)).toBe(true)
      await p.platform.uses.flush()
    }
    expect(await on.isAlive(used.token)).toBe(true)
    expect(await on.isAlive(idle.token)).toBe(false)
  })

  it('that ended by themselves are not listed', async () => {
    const ada = await p.user()
    p.advance(4 * day)
    const later = await p.session(ada.userId)
    p.advance(4 * day)
    const { result } = await on.call('auth.sessions.list', {}, { token: later.token })
    expect(result.items.map((item: { id: string }) => item.id)).toEqual([later.id])
  })

  it('end after thirty days, however much they are used', async () => {
    const ada = await p.user()
    for (let days = 0; days < 29; days++) {
      p.advance(day)
      expect(await on.isAlive(ada.token)).toBe(true)
      await p.platform.uses.flush()
    }
    p.advance(day + 1_000)
    expect(await on.isAlive(ada.token)).toBe(false)
  })

  it('write their last use at most once an hour', async () => {
    const ada = await p.user()
    const lastUsed = async () => {
      await p.platform.uses.flush()
      const [row] = await p.database.query<{ lastUsed: string }>(
        sql`select last_used from sessions where id = ${ada.id}`,
      )
      return row?.lastUsed
    }
    const start = await lastUsed()
    p.advance(50 * 60_000)
    await on.isAlive(ada.token)
    expect(await lastUsed()).toBe(start)
    p.advance(61 * 60_000)
    await on.isAlive(ada.token)
    const later = await lastUsed()
    expect(later).not.toBe(start)
    p.advance(30 * 60_000)
    await on.isAlive(ada.token)
    expect(await lastUsed()).toBe(later)
  })
})
