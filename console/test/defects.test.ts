// What was once wrong and must not come back: each line of a walk through the console by somebody new to it.
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { inBrowser, person, settled, url, useBrowser } from './helpers/browser.ts'

inBrowser('what was once wrong', () => {
  useBrowser()

  it('refuses a retention out of bounds, and asks before a shorter one', async () => {
    const { page, context, workspaceId, client } = await person()
    await page.goto(`/w/${workspaceId}/settings`)
    const days = page.getByLabel('Keep the audit log for (days)')
    await days.fill('5')
    await page.getByRole('button', { name: 'Save' }).nth(1).click()
    await page.getByText('Use 30 to 3650').waitFor()
    expect(await days.inputValue()).toBe('5')
    await days.fill('60')
    await page.getByRole('button', { name: 'Save' }).nth(1).click()
    await page
      .getByRole('dialog')
      .getByText(/entries are older|entry is older/)
      .waitFor()
    await page.getByRole('button', { name: 'Delete older entries' }).click()
    await page.getByText('The rules are saved.').waitFor()
    const { retention } = await client.call('workspaces.settings.get', { workspaceId })
    expect(retention.auditDays).toBe(60)
    await context.close()
  })

  it('offers a page that could not be loaded again, in its place', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/connect`)
    await page.getByRole('heading', { name: 'Connect' }).waitFor()
    await settled(page)
    let loads = 0
    page.on('load', () => loads++)
    await page.route('**/assets/**', route => route.abort())
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('The page could not be loaded').waitFor()
    await page.getByRole('link', { name: 'API keys' }).waitFor()
    // Nor does a dialog that cannot be loaded take the page along.
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('status').getByText('The service does not answer').waitFor()
    await page.getByText('The page could not be loaded').waitFor()
    await page.unroute('**/assets/**')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(loads).toBe(0)
    await context.close()
  })

  it('asks before input or a secret is left behind', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/keys/new`)
    await page.getByLabel('Name').fill('Half typed')
    await page.getByRole('link', { name: 'Teams' }).click()
    await page.getByRole('dialog', { name: 'Leave without sending?' }).getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('Half typed')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Copy the secret now').waitFor()
    await page.getByRole('link', { name: 'Teams' }).click()
    await page.getByRole('button', { name: 'Stay and copy it' }).click()
    await page.getByText('Copy the secret now').waitFor()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: 'Half typed' }).waitFor()
    await context.close()
  })

  it('says that a workspace is unknown or somebody else’s', async () => {
    const host = await person()
    const { page, context } = await person()
    for (const id of [host.workspaceId, `ws_${'0'.repeat(32)}`]) {
      await page.goto(`/w/${id}/keys`)
      await page.getByText('You are not a member of this workspace').waitFor()
      expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    }
    await page.getByRole('link', { name: 'To my workspaces' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await host.context.close()
    await context.close()
  })

  it('logs nobody in with an address that is not proven yet', async () => {
    const { page, context, client } = await person()
    await client.call('auth.patch', { email: `pending${Date.now()}@example.com` })
    await page.goto('/me/privacy')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByRole('dialog').getByText('delete my account', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await context.clearCookies()
    await page.getByRole('button', { name: 'Download' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    expect(await dialog.getByLabel('E-mail address or username').inputValue()).toBe('')
    await context.close()
  })

  it('does not call a link a mail', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/members?invite=true`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('By a link').click()
    await dialog.getByRole('button', { name: 'Make the link' }).click()
    await dialog.getByText('Nothing is mailed').waitFor()
    await context.close()
  })

  it('names the field of a wrong password as the page does', async () => {
    const { page, context } = await person()
    await page.goto('/me/password')
    await page.getByRole('textbox', { name: 'Current password' }).fill('Wrong4Horse!')
    await page.getByRole('textbox', { name: 'New password' }).fill('Another5Horse!')
    await page.getByRole('button', { name: 'Change the password' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('Current password')
    expect(await alert.textContent()).not.toContain('oldPassword')
    await context.close()
  })

  it('does not offer to try again what will be refused again', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/teams/team_${'0'.repeat(24)}`)
    await page.getByRole('alert').getByText('Not found').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await context.close()
  })

  it('sorts names from A, and searches nothing by itself', async () => {
    const { page, context, workspaceId, client } = await person()
    for (const name of ['Beta', 'Alpha', 'Gamma']) await client.call('api_keys.post', { workspaceId, name, scopes: [] })
    await page.goto(`/w/${workspaceId}/keys`)
    await page.getByRole('link', { name: 'Gamma' }).waitFor()
    await page.getByRole('button', { name: 'Name' }).click()
    await expect.poll(() => page.locator('[data-row]').allTextContents()).toEqual(['Alpha', 'Beta', 'Gamma'])
    expect(page.url()).toContain('order=asc')
    await context.close()
  })

  it('reads again only what an event concerns', async () => {
    const { page, context, workspaceId, client } = await person()
    const stream = page.waitForRequest(/\/v1\/events\//)
    await page.goto(`/w/${workspaceId}`)
    await stream
    await settled(page)
    const calls: string[] = []
    page.on('request', request => {
      if (request.url().includes('/v1/')) calls.push(request.url())
    })
    await client.call('teams.post', { workspaceId, name: 'One event' })
    await page.getByRole('link', { name: 'One event' }).waitFor()
    await settled(page)
    expect(calls.length).toBeLessThanOrEqual(2)
    await context.close()
  })

  it('hands a workspace over to an admin', async () => {
    const host = await person()
    const guest = await person()
    const { workspaceId, client, page } = host
    const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'admin' })
    await createClient({ baseUrl: url, token: guest.token }).call('workspace_members.invites.accept', { token })
    const { slug } = await client.call('workspaces.get', { workspaceId })
    await page.goto(`/w/${workspaceId}/settings`)
    await page.getByRole('button', { name: 'Transfer ownership' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'New owner' }).click()
    await page.getByRole('option').first().click()
    await dialog.getByText(guest.email).waitFor()
    await dialog.getByLabel('to confirm').fill(slug)
    await dialog.getByRole('button', { name: 'Transfer ownership' }).click()
    await page.getByText('The workspace has a new owner').waitFor()
    const { ownerId } = await client.call('workspaces.get', { workspaceId })
    expect(ownerId).toBe((await guest.client.call('auth.whoami', {})).id)
    await host.context.close()
    await guest.context.close()
  })

  it('makes a key by keyboard alone, in at most 15 presses', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/keys`)
    await page.getByText('No API keys yet').waitFor()
    let presses = 0
    const press = async (key: string) => {
      presses++
      await page.keyboard.press(key)
    }
    await press('c')
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('By keyboard')
    await press('Enter')
    await page.getByText('Copy the secret now').waitFor()
    expect(presses).toBeLessThanOrEqual(15)
    await context.close()
  })

  it('goes by letters, lists the shortcuts, and moves through rows', async () => {
    const { page, context, workspaceId, client } = await person()
    await client.call('teams.post', { workspaceId, name: 'First team' })
    await page.goto(`/w/${workspaceId}`)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.getByRole('heading', { name: 'Teams' }).waitFor()
    await page.getByRole('table').getByRole('link', { name: 'First team' }).waitFor()
    await page.keyboard.press('j')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('First team')
    await page.keyboard.press('Shift+?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await context.close()
  })
})
