// Stories of the bell and the inbox.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, mailTo, type Person, person, picture, settled, useBrowser } from './helpers/browser.ts'

/** Somebody who joins the first one's workspace as a member, without a browser being asked. */
async function joined(owner: Person, width?: number) {
  const guest = await person(width === undefined ? {} : { width })
  const { workspaceId } = owner
  const { token } = await owner.client.call('workspace_members.invites.post', { workspaceId, position: 'member' })
  const { userId } = await guest.client.call('workspace_members.invites.accept', { token })
  const makeRole = (position: 'admin' | 'member' | 'viewer') =>
    owner.client.call('workspace_members.patch', { workspaceId, userId, position })
  return { ...guest, userId, makeRole }
}

const bell = (page: Page, unread: number) =>
  page.getByRole('link', { name: unread === 0 ? 'Inbox' : `Inbox, ${unread} unread notification`, exact: unread === 0 })

inBrowser('the inbox', () => {
  useBrowser()

  it('rings in any workspace, lists what happened, and is marked read one by one or all at once', async () => {
    const owner = await person()
    await owner.client.call('auth.patch', { forename: 'Ada' })
    await owner.client.call('workspaces.patch', { workspaceId: owner.workspaceId, name: 'Engines' })
    const { page, context, faults, workspaceId, makeRole } = await joined(owner)
    // Her own workspace is open, not the one in which it happens.
    await page.goto(`/w/${workspaceId}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await bell(page, 0).first().waitFor()
    await settled(page)
    await makeRole('admin')
    await bell(page, 1).waitFor()
    await picture(page, 'bell-light')
    expect(await faultsOf(page)).toEqual([])
    await bell(page, 1).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    const entry = page.getByRole('link', { name: 'Ada changed your role in Engines to admin' })
    await entry.waitFor()
    // Live on a page that belongs to no workspace, too.
    await makeRole('viewer')
    await page.getByRole('link', { name: 'to viewer' }).waitFor()
    await bell(page, 2).waitFor()
    await picture(page, 'inbox-light')
    expect(await faultsOf(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark')
    await picture(page, 'inbox-dark')
    expect(await faultsOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([])
    await page.getByRole('button', { name: 'Mark read: Ada changed your role in Engines to viewer' }).click()
    await bell(page, 1).waitFor()
    await page.getByRole('button', { name: 'Mark all read' }).click()
    await page.getByText('Nothing unread').waitFor()
    await bell(page, 0).first().waitFor()
    await page.getByText('All', { exact: true }).click()
    await page.getByRole('button', { name: 'Mark unread: Ada changed your role in Engines to admin' }).click()
    await bell(page, 1).waitFor()
    // Opening it is reading it, and leads to what it is about.
    await entry.click()
    await page.waitForURL(new RegExp(`/w/${owner.workspaceId}/members/`))
    await bell(page, 0).first().waitFor()
    expect(faults).toEqual([])
    await context.close()
    await owner.context.close()
  })

  it('fits a phone, and the mail leads to the same page', async () => {
    const owner = await person()
    const { page, context, email, faults, userId, makeRole } = await joined(owner, 390)
    await makeRole('admin')
    const mail = await mailTo(email, text => text.includes('changed your role'))
    const address = new RegExp(`/w/${owner.workspaceId}/workspace_members/${userId}`).exec(mail)?.[0]
    await page.goto('/me/inbox')
    await page.getByRole('link', { name: 'to admin' }).waitFor()
    await picture(page, 'inbox-phone')
    expect(await faultsOf(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
    await page.goto(address ?? 'missing')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    expect(await page.getByText('Admin').first().isVisible()).toBe(true)
    expect(faults).toEqual([])
    await context.close()
    await owner.context.close()
  })

  it('stays silent about what is switched off in the settings', async () => {
    const owner = await person()
    const { page, context, client, makeRole } = await joined(owner)
    await page.goto('/me/notifications')
    const row = page.getByRole('switch', { name: 'My role in a workspace is changed: console' })
    await row.waitFor()
    await picture(page, 'notifications-light')
    await row.click({ force: true })
    await page.getByText('Saved.', { exact: true }).waitFor()
    const { preferences } = await client.call('auth.notification_settings.get', {})
    expect(preferences['workspace_members.patch']).toEqual({ web: false, email: true })
    const { types } = await client.call('auth.notification_settings.types', {})
    for (const { title } of types) expect(await page.getByRole('switch', { name: `${title}: mail` }).count()).toBe(1)
    await makeRole('admin')
    await mailTo((await client.call('auth.whoami', {})).email ?? '', text => text.includes('changed your role'))
    expect((await client.call('auth.inbox.list', {})).count).toBe(0)
    await context.close()
    await owner.context.close()
  })
})
