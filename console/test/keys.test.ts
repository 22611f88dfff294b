// Keys from their making to their end: expiry, addresses and owner from the start, the old secret after a rotation, advice.
import { expect, it } from 'vitest'
import { type Key, oldSecretUntil, unusedScopes } from '../src/areas/api_keys/state.ts'
import { faultsOf, inBrowser, person, picture, url, useBrowser } from './helpers/browser.ts'

const dayMs = 86_400_000

inBrowser('a key', () => {
  useBrowser()

  it('has its expiry, its addresses and its owner from the start', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const team = await client.call('teams.post', { workspaceId, name: 'Difference Engine' })
    await page.goto(`/w/${workspaceId}/keys/new`)
    await page.getByLabel('Name').fill('Nightly export')
    await page.getByRole('combobox', { name: 'Owner' }).click()
    await page.getByRole('option', { name: 'Team Difference Engine' }).click()
    await page.getByLabel('Expires').fill('2031-05-01T10:00')
    await page.getByRole('combobox', { name: 'Allowed IP addresses' }).fill('127.0.0.0/8')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Read everything' }).click()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Copy the secret now').waitFor()
    const secret = (await page.locator('[data-copy-value]').first().textContent()) ?? ''
    const answer = await fetch(`${url}/v1/workspaces/${workspaceId}`, { headers: { 'x-api-key': secret } })
    expect(answer.status).toBe(200)
    const { items } = await client.call('api_keys.list', { workspaceId })
    expect(items).toMatchObject([{ ownerId: team.id, allowedIps: ['127.0.0.0/8'] }])
    expect(items[0]?.expires).toContain('2031-05-01')
    expect(faults).toEqual([])
    await context.close()
  })

  it('says until when its old secret works, and ends it now', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const scopes = ['workspaces:read'] as const
    const key = await client.call('api_keys.post', { workspaceId, name: 'Rotated key', scopes: [...scopes] })
    const { token } = await client.call('api_keys.rotate', { workspaceId, id: key.id, overlapHours: 24 })
    const ask = async (secret: string) =>
      (await fetch(`${url}/v1/workspaces/${workspaceId}`, { headers: { 'x-api-key': secret } })).status
    expect([await ask(key.token), await ask(token)]).toEqual([200, 200])
    await page.goto(`/w/${workspaceId}/keys/${key.id}`)
    await page.getByText(/The old secret works until/).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await picture(page, 'key-rotated-light')
    await page.getByRole('button', { name: 'End now' }).click()
    await page.getByText('The old secret has ended.').waitFor()
    await page.getByText(/The old secret works until/).waitFor({ state: 'detached' })
    expect([await ask(key.token), await ask(token)]).toEqual([401, 200])
    await page.getByRole('button', { name: 'Transfer' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'New owner' }).click()
    await page.getByRole('option', { name: 'The workspace' }).click()
    await dialog.getByRole('button', { name: 'Transfer' }).click()
    await dialog.getByText('Copy the secret now').waitFor()
    expect(await ask(token)).toBe(401)
    expect((await client.call('api_keys.get', { workspaceId, id: key.id })).ownerId).toBe('system')
    expect(faults).toEqual([])
    await context.close()
  })

  it('is advised to lose scopes only after 30 days without use', () => {
    const now = Date.now()
    const made = (days: number) => new Date(now - days * dayMs).toISOString()
    const key = { scopes: ['teams:read', 'teams:write'], scopeUse: { 'teams:read': made(1) } } as unknown as Key
    expect(unusedScopes({ ...key, created: made(29) }, now)).toEqual([])
    expect(unusedScopes({ ...key, created: made(31) }, now)).toEqual(['teams:write'])
    expect(oldSecretUntil({ ...key, oldSecretUntil: made(1) }, now)).toBeNull()
    expect(oldSecretUntil({ ...key, oldSecretUntil: made(-1) }, now)).toBe(made(-1))
  })
})
