// The words of the field, sentences instead of codes, and the palette that knows records and rights.
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { enter, inBrowser, person, settled, url, useBrowser } from './helpers/browser.ts'

inBrowser('the console', () => {
  useBrowser()

  it('speaks the terms of the field', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/oauth_clients/new`)
    await page.getByRole('combobox', { name: 'Redirect URIs' }).waitFor()
    await page.getByRole('combobox', { name: 'Grant types' }).waitFor()
    await page.goto(`/w/${workspaceId}/keys/new`)
    await page.getByLabel('Expires').waitFor()
    await page.goto(`/w/${workspaceId}/settings`)
    await page.getByRole('heading', { name: 'Danger zone' }).waitFor()
    await context.close()
  })

  it('tells what happened in sentences with names and links, and no refusals at the start', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await client.call('auth.patch', { forename: 'Ada', surname: 'Lovelace' })
    const key = await client.call('api_keys.post', { workspaceId, name: 'Service key 28', scopes: [] })
    const poor = createClient({ baseUrl: url, apiKey: key.token })
    await expect(poor.call('teams.list', { workspaceId })).rejects.toThrow()
    const team = await client.call('teams.post', { workspaceId, name: 'Difference Engine' })
    const { id: userId } = await client.call('auth.whoami', {})
    await client.call('teams.members.post', { workspaceId, id: team.id, userId })
    await page.goto(`/w/${workspaceId}/audit_log`)
    const table = page.getByRole('table', { name: 'Audit log' })
    await settled(page)
    await table.getByText('Ada created API key Service key 28').waitFor()
    // The past tense of an operation is its contract's.
    await table.getByText(/Ada added to a team:/).waitFor()
    await table
      .getByText(/was refused/)
      .first()
      .waitFor()
    await table.getByRole('link', { name: 'Service key 28' }).click()
    await page.getByRole('heading', { name: 'Service key 28' }).waitFor()
    await page.goto(`/w/${workspaceId}`)
    await page.getByText('Ada created API key Service key 28').waitFor()
    expect(await page.getByText(/was refused/).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  it('finds records by a few letters, and offers nobody what they may not do', async () => {
    const host = await person()
    const guest = await person()
    const { workspaceId, client } = host
    await client.call('teams.post', { workspaceId, name: 'Difference Engine' })
    const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'viewer' })
    await createClient({ baseUrl: url, token: guest.token }).call('workspace_members.invites.accept', { token })
    await enter(guest.context, guest.token)
    const { page } = guest
    // On a Mac the key is another.
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)' }),
    )
    await page.goto(`/w/${workspaceId}`)
    await settled(page)
    await page.getByRole('button', { name: /⌘K/ }).waitFor()
    await page.keyboard.press('Meta+k')
    const field = page.getByRole('combobox', { name: /Search/ })
    await field.and(page.locator(':focus')).waitFor()
    await field.fill('new')
    expect(await page.getByRole('option', { name: /^New |Invite somebody/ }).count()).toBe(0)
    expect(await page.getByRole('option', { name: /Audit log|API keys/ }).count()).toBe(0)
    await field.fill('differ')
    await page.getByRole('option', { name: /Difference Engine/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Difference Engine' }).waitFor()
    // `c` and `g` lead nowhere that is closed.
    await page.keyboard.press('c')
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await settled(page)
    expect(page.url()).toContain('/teams/team_')
    await host.context.close()
    await guest.context.close()
  })

  it('finds any of many records by typing, and shows the title of the chosen one', async () => {
    const { page, context, workspaceId, client } = await person()
    const names = Array.from({ length: 105 }, (_, index) => `Team ${String(index + 1).padStart(3, '0')}`)
    for (const name of names) await client.call('teams.post', { workspaceId, name })
    const key = await client.call('api_keys.post', { workspaceId, name: 'To be handed over', scopes: [] })
    await page.goto(`/w/${workspaceId}/keys/${key.id}`)
    await page.getByRole('button', { name: 'Transfer' }).click()
    const owner = page.getByRole('dialog').getByRole('combobox', { name: 'New owner' })
    await owner.click()
    await page.getByRole('option', { name: '55 more: type to find them' }).waitFor({ state: 'attached' })
    await owner.fill('team 105')
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Team Team 105'])
    await page.getByRole('option').click()
    expect(await owner.inputValue()).toBe('Team Team 105')
    // What was chosen keeps its title, in a field and in a filter, though the list would not show it.
    await owner.click()
    await page.getByRole('option', { name: '55 more' }).waitFor({ state: 'attached' })
    expect(await owner.inputValue()).toBe('Team Team 105')
    const { items } = await client.call('teams.list', { workspaceId, q: 'Team 105' })
    await page.goto(`/w/${workspaceId}/issues?teamId=${items[0]?.id}`)
    await page.getByRole('button', { name: 'Team: Team 105' }).click()
    const filter = page.getByRole('combobox', { name: 'Team' })
    await expect.poll(() => filter.inputValue()).toBe('Team 105')
    await filter.fill('104')
    await page.getByRole('option', { name: 'Team 104' }).click()
    await page.getByRole('button', { name: 'Team: Team 104' }).waitFor()
    await page.goto(`/w/${workspaceId}/members`)
    await page.getByRole('button', { name: 'Invite' }).first().click()
    const teams = page.getByRole('dialog').getByRole('combobox', { name: 'Teams' })
    await teams.click()
    await page.getByRole('option', { name: '55 more: type to find them' }).waitFor({ state: 'attached' })
    for (const name of ['Team 001', 'Team 105']) {
      await teams.fill(name)
      await expect.poll(() => page.getByRole('option').allTextContents()).toEqual([name])
      await page.getByRole('option').click()
    }
    await page.getByLabel('E-mail address').fill(`invited-${Date.now()}@example.com`)
    await page.getByRole('button', { name: 'Send the invite' }).click()
    await page.getByText('The invite is sent').waitFor()
    const invites = await client.call('workspace_members.invites.list', { workspaceId })
    expect(invites.items[0]?.teamIds).toHaveLength(2)
    // As many rows as wanted, of which those in sight are drawn.
    await page.goto(`/w/${workspaceId}/teams`)
    await page.getByLabel('Rows on a page').selectOption('100')
    const table = page.getByRole('table', { name: 'Teams' })
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('101')
    expect(await page.locator('[data-row]').count()).toBeLessThan(60)
    await page.mouse.wheel(0, 100_000)
    await page.getByRole('link', { name: 'Team 100' }).waitFor()
    expect(page.url()).toContain('perPage=100')
    await context.close()
  })

  it('does not show what is expected as if it were typed wrong, and covers no field with a notice', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/members?invite=true`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send the invite' }).click()
    await dialog.getByText('This is needed').waitFor()
    const colours = await dialog.getByLabel('E-mail address').evaluate(field => {
      const error = getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-error').trim()
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = error
      const red = getComputedStyle(probe).color
      probe.remove()
      return { red, typed: getComputedStyle(field).color, hint: getComputedStyle(field, '::placeholder').color }
    })
    expect([colours.typed, colours.hint]).not.toContain(colours.red)
    await page.goto(`/w/${workspaceId}/settings`)
    await page.getByLabel('Description').fill('To calculate')
    await page.getByRole('button', { name: 'Save' }).first().click()
    const notice = await page.getByRole('status').getByText('The workspace is saved.').boundingBox()
    const fields = await page.locator('main :is(input, textarea, button)').all()
    for (const field of fields) {
      const box = await field.boundingBox()
      if (!box || !notice) continue
      const isApart =
        box.x >= notice.x + notice.width ||
        notice.x >= box.x + box.width ||
        box.y >= notice.y + notice.height ||
        notice.y >= box.y + box.height
      expect(isApart).toBe(true)
    }
    expect(notice).not.toBeNull()
    await context.close()
  })
})
