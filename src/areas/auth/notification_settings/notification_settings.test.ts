import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, people } from '../../../../test/helpers/accounts.ts'
import { platform, type TestPlatform } from '../../../../test/helpers/platform.ts'
import { sql } from '../../../kit/sql.ts'

const settings = {
  globalChannels: { web: false, email: true },
  preferences: { 'workspace_members.invites.post': { web: true, email: false } },
  updates: { digest: true, product: false, security: true },
}

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

describe('auth.notification_settings', () => {
  it('begin with defaults', async () => {
    const { token } = await p.user()
    const { status, result, headers } = await on.call('auth.notification_settings.get', {}, { token })
    expect(status).toBe(200)
    expect(result).toEqual({
      globalChannels: { web: true, email: true },
      preferences: {},
      updates: { digest: false, product: false, security: true },
    })
    expect(headers.etag).toMatch(/^"[\w-]+"$/)
  })

  it('put replaces the whole record', async () => {
    const { token } = await p.user()
    expect((await on.call('auth.notification_settings.put', settings, { token })).result).toEqual(settings)
    const emptied = { ...settings, preferences: {} }
    await on.call('auth.notification_settings.put', emptied, { token })
    expect((await on.call('auth.notification_settings.get', {}, { token })).result).toEqual(emptied)
  })

  it.each([
    ['no preferences', { globalChannels: settings.globalChannels, updates: settings.updates }],
    ['another key', { ...settings, more: {} }],
    ['text for a boolean', { ...settings, globalChannels: { web: 'true', email: true } }],
    ['half a channel', { ...settings, globalChannels: { web: true } }],
    ['a preference that is no operation id', { ...settings, preferences: { 'Not an id': { web: true, email: true } } }],
    ['an inherited name', { ...settings, preferences: JSON.parse('{"__proto__":{"web":true,"email":true}}') }],
  ])('put refuses %s', async (_, body) => {
    const { token } = await p.user()
    expect((await on.call('auth.notification_settings.put', body, { token })).status).toBe(400)
  })

  it('put honours If-Match where it is sent', async () => {
    const { token } = await p.user()
    const read = await on.call('auth.notification_settings.get', {}, { token })
    const put = (tag: string) =>
      on.call('auth.notification_settings.put', settings, { token, headers: { 'if-match': tag } })
    expect((await put('"stale"')).status).toBe(400)
    const written = await put(read.headers.etag)
    expect(written.status).toBe(200)
    expect((await put(read.headers.etag)).status).toBe(400)
    expect((await put(`"stale", ${written.headers.etag}`)).status).toBe(200)
    expect((await put('*')).status).toBe(200)
    const again = await on.call('auth.notification_settings.get', {}, { token })
    expect(again.headers.etag).toBe(written.headers.etag)
  })

  it('one of two who write at once with the same tag wins', async () => {
    const { token } = await p.user()
    const { headers } = await on.call('auth.notification_settings.get', {}, { token })
    const answers = await Promise.all(
      [true, false].map(digest => {
        const body = { ...settings, updates: { ...settings.updates, digest } }
        return on.call('auth.notification_settings.put', body, { token, headers: { 'if-match': headers.etag } })
      }),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 400])
  })

  it('are 404 where there are none', async () => {
    const { token, userId } = await p.user()
    await p.database.query(sql`delete from notification_settings where user_id = ${userId}`)
    for (const id of ['get', 'put']) {
      const { status, error } = await on.call(`auth.notification_settings.${id}`, id === 'put' ? settings : {}, {
        token,
      })
      expect([status, error.message]).toEqual([404, 'Not found'])
    }
  })

  it('decide which mails are sent; codes are always sent', async () => {
    const ada = await on.join()
    const silent = { ...settings, globalChannels: { web: false, email: false } }
    await on.call('auth.notification_settings.put', silent, { token: ada.token })
    const owner = await p.user()
    const invite = { workspaceId: owner.workspaceId, position: 'member', email: ada.email }
    await p.call('workspace_members.invites.post', invite, owner)
    await p.call('workspace_members.invites.post', { ...invite, email: newEmail('other') }, owner)
    await on.settled()
    expect(await p.mails(ada.email, 0)).toHaveLength(1)
    p.advance(61_000)
    expect(await on.resetCode(ada.email)).not.toBe('')
  })
})
