// Every page that belongs to no area, in light, dark and on a phone: nothing for axe to find, a title and a heading of its own, no foreign request.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { inBrowser, person, signUp, useBrowser, visitor } from './helpers/browser.ts'
import { look } from './helpers/look.ts'

const outside: [string, string][] = [
  ['login', '/login'],
  ['signup', '/signup'],
  ['verify', '/verify?email=ada%40example.com'],
  ['forgot', '/forgot'],
  ['reset', '/reset?email=ada%40example.com'],
  ['invite', '/invite#inv_x'],
  ['invite-none', '/invite'],
]

const inside: [string, string][] = [
  ['overview', ''],
  ['members-invite', '/members?invite=true'],
  ['settings', '/settings'],
  ['connect', '/connect'],
  ['usage', '/billing'],
  ['missing', '/nowhere'],
]

const mine = ['inbox', 'profile', 'password', 'sessions', 'notifications', 'applications', 'privacy']

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('h1').first().waitFor()
}

inBrowser('every page', () => {
  useBrowser()

  it('is sound before log-in', async () => {
    const { page, context, faults } = await visitor()
    for (const [name, address] of outside) {
      await open(page, address)
      faults.push(...(await look(page, name)))
    }
    expect(faults).toEqual([])
    await context.close()
  })

  it('is sound where mails are kept', async () => {
    await signUp(`mailed${Date.now()}@example.com`)
    const { page, context, faults } = await visitor()
    await open(page, '/dev/mailbox')
    faults.push(...(await look(page, 'mailbox')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('is sound in a workspace', async () => {
    const someone = await person()
    await someone.client.call('api_keys.post', { workspaceId: someone.workspaceId, name: 'Nightly export', scopes: [] })
    const { page, workspaceId, faults } = someone
    for (const [name, address] of inside) {
      await open(page, `/w/${workspaceId}${address}`)
      faults.push(...(await look(page, name)))
    }
    expect(faults).toEqual([])
    await someone.context.close()
  })

  it('is sound in one’s own corner', async () => {
    const { page, context, faults } = await person()
    for (const name of mine) {
      await open(page, `/me/${name}`)
      faults.push(...(await look(page, `me-${name}`)))
    }
    expect(faults).toEqual([])
    await context.close()
  })
})
