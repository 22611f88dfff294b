// Dashboards in the browser: the tiles of the home page, arranged for oneself and for a role.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { counted, furnished } from './helpers/analytics.ts'
import { enter, inBrowser, person, picture, settled, url, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button, pick } from './helpers/story.ts'

/** From top to bottom, so that all that is loaded in sight is there. */
async function seeAll(page: Page): Promise<void> {
  for (const link of await page.getByRole('region', { name: 'Dashboard' }).getByRole('link').all()) {
    await link.scrollIntoViewIfNeeded()
    await settled(page)
  }
  await page.evaluate(() => window.scrollTo(0, 0))
}

/** A newcomer has other things to do first. */
async function atHome(page: Page, workspaceId: string): Promise<void> {
  await page.addInitScript(id => localStorage.setItem(`atrium-steps-${id}`, 'away'), workspaceId)
  await page.goto(`/w/${workspaceId}`)
}

inBrowser('dashboards', () => {
  useBrowser()

  it('are the home page of a role, which people arrange for themselves', async () => {
    const { page, context, workspaceId, faults } = await furnished()
    const asked: string[] = []
    page.on('request', request => request.url().endsWith('/query') && asked.push(request.url()))
    await atHome(page, workspaceId)
    await page.getByText('What is usual for your role.').waitFor()
    await page.getByRole('link', { name: 'Open issues by severity' }).waitFor()
    await settled(page)
    // Ten tiles, of which those in sight are asked for.
    expect(asked.length).toBeLessThan(10)
    await seeAll(page)
    expect(asked.length).toBe(10)
    await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
    faults.push(...(await look(page, 'home-dashboard')))

    await button(page, 'Edit the dashboard').click()
    await page.getByRole('button', { name: 'Remove Open issues', exact: true }).click()
    await page.getByRole('textbox', { name: 'Title' }).first().fill('New this week')
    await button(page, 'Add a tile').click()
    await page.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).fill('High ones by label')
    await pick(page, 'Group by', 'label')
    await page.keyboard.press('Escape')
    await button(page, 'Filter').click()
    await page.getByRole('menuitem', { name: 'severity' }).click()
    await page.getByRole('combobox', { name: 'severity' }).click()
    await page.getByRole('option', { name: 'high' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('switch', { name: 'Compare with the time before' }).click()
    faults.push(...(await look(page, 'dashboard-editing')))
    await button(page, 'Save').click()
    await page.getByText('Your own dashboard.').waitFor()
    expect(await page.getByRole('link', { name: 'Open issues', exact: true }).count()).toBe(0)
    // The title leads to the same question, with all that it asks.
    await page.getByRole('link', { name: 'High ones by label' }).click()
    await page.getByRole('table', { name: 'issues.opened by label' }).getByRole('link', { name: 'payments' }).waitFor()
    await page.getByRole('button', { name: 'severity: high' }).waitFor()
    expect(await page.getByRole('switch', { name: 'Compare with the time before' }).isChecked()).toBe(true)

    await page.goto(`/w/${workspaceId}`)
    await button(page, 'Edit the dashboard').click()
    await button(page, 'Reset').click()
    await page.getByText('What is usual for your role.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('come after the first steps of a newcomer, and ask nothing before they are in sight', async () => {
    const { page, context, workspaceId } = await person()
    const asked: string[] = []
    page.on('request', request => request.url().includes('/v1/analytics/') && asked.push(request.url()))
    await page.goto(`/w/${workspaceId}`)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await settled(page)
    expect(asked).toEqual([])
    await page.getByRole('region', { name: 'Dashboard' }).scrollIntoViewIfNeeded()
    await page.getByRole('link', { name: 'Open issues by severity' }).waitFor()
    await context.close()
  })

  it('of a role are read before they are changed, and changed for that role alone', async () => {
    const { page, context, workspaceId, client, faults } = await furnished()
    const viewer = () => client.call('analytics.dashboards.get', { workspaceId, role: 'viewer' })
    const [before, mine] = [await viewer(), await client.call('analytics.dashboards.mine', { workspaceId })]
    expect(before.tiles.length).toBeLessThan(mine.tiles.length)
    await page.goto(`/w/${workspaceId}/analytics`)
    await button(page, 'Edit the dashboard').click()
    await page.getByRole('textbox', { name: 'Title' }).first().fill('Mine, not saved yet')
    await pick(page, 'Dashboard of', 'viewers')
    await page.getByText('These tiles are the usual ones of the role.').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).count()).toBe(before.tiles.length)
    await button(page, 'Add a tile').click()
    await page.getByRole('textbox', { name: 'Title' }).last().fill('For viewers')
    await button(page, 'Save').click()
    await page.getByText('The dashboard of the role is saved.').waitFor()
    // What was changed for oneself still waits.
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Title' }).first().inputValue())
      .toBe('Mine, not saved yet')
    await button(page, 'Save').click()
    await page.getByText('Your own dashboard.').waitFor()
    const after = await viewer()
    expect(after.source).toBe('workspace')
    expect(after.tiles.slice(0, -1)).toEqual(before.tiles)
    expect(after.tiles.at(-1)).toMatchObject({
      title: 'For viewers',
      show: 'line',
      last: '30d',
      metrics: ['issues.opened'],
    })

    await page.goto(`/w/${workspaceId}/analytics?metric=issues.resolved&by=severity&where=severity:low&zone=UTC`)
    await button(page, 'Add to dashboard').click()
    await picture(page, 'dashboard-add-to')
    await page.getByRole('menuitem', { name: 'That of viewers' }).click()
    await page.getByText('Added to the dashboard of the role.').waitFor()
    expect((await viewer()).tiles.at(-1)).toEqual({
      show: 'line',
      last: '30d',
      weekStart: 'monday',
      metrics: ['issues.resolved'],
      groupBy: ['severity'],
      filters: { severity: ['low'] },
    })

    const guest = await person()
    const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'viewer' })
    await createClient({ baseUrl: url, token: guest.token }).call('workspace_members.invites.accept', { token })
    await enter(guest.context, guest.token)
    await guest.page.goto(`/w/${workspaceId}`)
    await guest.page.getByText('As this workspace has set it for your role.').waitFor()
    await guest.page.getByRole('link', { name: 'For viewers' }).waitFor()
    await button(guest.page, 'Edit the dashboard').click()
    await button(guest.page, 'Add a tile').waitFor()
    expect(await guest.page.getByRole('combobox', { name: 'Dashboard of' }).count()).toBe(0)
    expect([...faults, ...guest.faults]).toEqual([])
    await context.close()
    await guest.context.close()
  })

  it('show means and people over the whole time, not of its last day', async () => {
    const { page, context, workspaceId, client } = await furnished()
    const figure = { show: 'figure', last: '30d' } as const
    const tiles = [
      { ...figure, title: 'People', metrics: ['members.active'] },
      { ...figure, title: 'Resolved in', metrics: ['issues.time_to_resolve'] },
      { ...figure, title: 'By label', show: 'table' as const, metrics: ['issues.opened'], groupBy: ['label'] },
    ]
    await client.call('analytics.dashboards.putMine', { workspaceId, tiles })
    await counted(client, workspaceId, 'members.active', 1)
    const bodies: unknown[] = []
    page.on('request', request => request.url().endsWith('/query') && bodies.push(request.postDataJSON()))
    await atHome(page, workspaceId)
    const region = page.getByRole('region', { name: 'Dashboard' })
    await region.getByText(/^\d.* (ms|s)$/).waitFor()
    await region.getByRole('cell', { name: 'payments' }).waitFor()
    for (const body of bodies) expect(body).toMatchObject({ whole: true })
    await context.close()
  })
})
