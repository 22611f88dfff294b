// Analytics in the browser: the dashboard and its tiles, one metric and what is behind it, a file, a page, a key's use.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { inBrowser, person, settled, url, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button } from './helpers/story.ts'

async function furnished() {
  const someone = await person()
  const { client, workspaceId } = someone
  for (const severity of ['critical', 'high', 'high', 'low'] as const) {
    await client.call('issues.post', { workspaceId, title: `Checkout answers 502 (${severity})`, severity })
  }
  const { items } = await client.call('issues.list', { workspaceId, severity: 'low' })
  await client.call('issues.patch', { workspaceId, id: items[0]?.id ?? '', status: 'resolved' })
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const to = new Date(Date.now() + 3_600_000).toISOString()
  await expect
    .poll(
      async () => {
        const { series } = await client.call('analytics.query', {
          workspaceId,
          metrics: ['issues.resolved'],
          from,
          to,
          granularity: 'month',
        })
        return series[0]?.groups[0]?.points.reduce((sum, { value }) => sum + (value ?? 0), 0)
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  return someone
}

inBrowser('analytics', () => {
  useBrowser()

  it('begins with the dashboard of the role, which people arrange for themselves', async () => {
    const { page, context, workspaceId, faults } = await furnished()
    await page.goto(`/w/${workspaceId}/analytics`)
    await page.getByText('What is usual for your role.').waitFor()
    await page.getByRole('link', { name: 'Open issues by severity' }).waitFor()
    faults.push(...(await look(page, 'analytics-dashboard')))
    await button(page, 'Edit').click()
    await page.getByRole('button', { name: 'Remove Open issues', exact: true }).click()
    await page.getByRole('textbox', { name: 'Title' }).first().fill('New this week')
    faults.push(...(await look(page, 'analytics-editing')))
    await button(page, 'Save').click()
    await page.getByText('Your own dashboard.').waitFor()
    await page.getByRole('link', { name: 'New this week' }).waitFor()
    expect(await page.getByRole('link', { name: 'Open issues', exact: true }).count()).toBe(0)

    await page.getByRole('link', { name: 'New this week' }).click()
    await button(page, 'Add to dashboard').click()
    await page.getByText('Added to your dashboard.').waitFor()
    await page.getByRole('tab', { name: 'Dashboard' }).click()
    await page.getByRole('link', { name: 'issues.opened', exact: true }).waitFor()
    await button(page, 'Edit').click()
    await button(page, 'Reset').click()
    await page.getByText('What is usual for your role.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows a metric by group and time, what is behind a point, and gives it away as a file and a page', async () => {
    const { page, context, workspaceId, faults } = await furnished()
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.opened&last=7d&by=severity`)
    await page.getByRole('table', { name: 'issues.opened by severity' }).getByText('critical').waitFor()
    faults.push(...(await look(page, 'analytics-by-severity')))
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.opened&last=7d&compare=previous`)
    const times = page.getByRole('table', { name: 'issues.opened by time' })
    await times.getByRole('button').last().click()
    const behind = page.getByRole('dialog')
    await behind
      .getByRole('link', { name: /^Checkout answers 502/ })
      .first()
      .waitFor()
    faults.push(...(await look(page, 'analytics-behind')))
    await page.keyboard.press('Escape')

    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()])
    expect(readFileSync(await file.path(), 'utf8')).toContain('issues.opened,count,')
    await button(page, 'Publish').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Issues of the week')
    await button(dialog, 'Publish').click()
    await page.getByText('Published: its address is under Pages.').waitFor()
    await page.goto(`/w/${workspaceId}/pages`)
    await page.getByText('Issues of the week').first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows on the page of a key what it called', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const key = await client.call('api_keys.post', { workspaceId, name: 'Nightly export', scopes: ['teams:read'] })
    const program = createClient({ baseUrl: url, apiKey: key.token })
    await program.call('teams.list', { workspaceId })
    await program.call('teams.post', { workspaceId, name: 'Ops' }).catch(() => {})
    const span = {
      from: new Date(Date.now() - 7_200_000).toISOString(),
      to: new Date(Date.now() + 1_000).toISOString(),
    }
    const filters = { credential: key.id }
    await expect
      .poll(
        async () => {
          const asked = { workspaceId, metrics: ['api.requests'], ...span, filters, granularity: 'hour' as const }
          return (await client.call('analytics.query', { ...asked, groupBy: ['status'] })).series[0]?.groups.length
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(2)
    await page.goto(`/w/${workspaceId}/keys/${key.id}`)
    await page.getByRole('tab', { name: 'Use' }).click()
    await page.getByRole('table', { name: 'Requests by operation' }).getByText('teams.post').waitFor()
    await settled(page)
    faults.push(...(await look(page, 'key-use')))
    expect(faults).toEqual([])
    await context.close()
  })
})
