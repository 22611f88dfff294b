// Analytics in the browser: any question and what is behind its numbers, a file, a page, a key's use.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { counted, furnished } from './helpers/analytics.ts'
import { inBrowser, person, settled, url, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button } from './helpers/story.ts'

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
/** The row of a group, as its cells say it. */
const cellsOf = async (page: Page, name: string, row: string) =>
  (await table(page, name).getByRole('row').filter({ hasText: row }).getByRole('cell').allTextContents()).map(text =>
    text.trim(),
  )

inBrowser('analytics', () => {
  useBrowser()

  it('shows a metric by group and time, what is behind a point, and gives it away as a file and a page', async () => {
    const { page, context, workspaceId, faults } = await furnished()
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.opened&last=7d&by=severity`)
    await table(page, 'issues.opened by severity').getByText('critical').waitFor()
    faults.push(...(await look(page, 'analytics-by-severity')))
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.opened&last=7d&compare=previous`)
    const times = table(page, 'issues.opened by time')
    await times.getByRole('button').last().click()
    const behind = page.getByRole('dialog')
    await behind
      .getByRole('link', { name: /^Checkout answers 502/ })
      .first()
      .waitFor()
    faults.push(...(await look(page, 'analytics-behind')))
    await page.keyboard.press('Escape')

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

  it('leads from a group to its records, names them, and says how many there are in all', async () => {
    const { page, context, workspaceId, faults, labelId } = await furnished()
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.opened&last=7d&by=["label","severity"]`)
    await table(page, 'issues.opened by label and severity').getByRole('link', { name: 'payments' }).first().waitFor()
    expect(await page.getByText(labelId).count()).toBe(0)
    expect(await cellsOf(page, 'issues.opened by label and severity', 'critical')).toEqual([
      'payments',
      'critical',
      '1',
    ])
    faults.push(...(await look(page, 'analytics-two-dimensions')))
    await page.getByRole('button', { name: '1: what is behind issues.opened, payments · critical' }).press('Enter')
    const behind = page.getByRole('dialog')
    const records = behind.getByRole('table', { name: 'Entries' }).getByRole('link')
    await expect.poll(() => records.allTextContents()).toEqual(['Checkout answers 502 (critical)'])
    await records.first().click()
    await page.getByRole('heading', { name: 'Checkout answers 502 (critical)' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('leads from a level and a mean that are nothing to what they are made of', async () => {
    const { page, context, workspaceId, client } = await furnished()
    const { items } = await client.call('issues.list', { workspaceId, status: '!resolved' })
    for (const { id } of items) await client.call('issues.patch', { workspaceId, id, status: 'resolved' })
    await counted(client, workspaceId, 'issues.resolved', 4)
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.open&last=1d`)
    await table(page, 'issues.open by time').getByRole('button', { name: /^0: / }).last().click()
    await page.getByRole('dialog').getByRole('link', { name: 'Checkout answers 502 (critical)' }).first().waitFor()
    await context.close()
  })

  it('leads from what is counted from records to the records', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const thread = await client.call('threads.post', { workspaceId, name: 'Why is it slow?' })
    for (const text of ['The pool is full.', 'Since Monday.']) {
      await client.call('messages.post', { workspaceId, threadId: thread.id, text })
    }
    const key = await client.call('api_keys.post', { workspaceId, name: 'Nightly export', scopes: ['teams:read'] })
    await createClient({ baseUrl: url, apiKey: key.token }).call('teams.list', { workspaceId })
    await counted(client, workspaceId, 'api.requests', 1, { credential: key.id })
    await page.goto(`/w/${workspaceId}/analytics?metric=messages.sent&last=1d&by=role`)
    await page.getByRole('button', { name: '2: what is behind messages.sent, user' }).click()
    const behind = page.getByRole('dialog')
    await behind.getByText('2 records that you may see').waitFor()
    faults.push(...(await look(page, 'analytics-behind-records')))
    await behind.getByRole('link', { name: 'The pool is full.' }).click()
    await page.getByRole('heading', { name: 'Why is it slow?' }).waitFor()
    await page.goto(`/w/${workspaceId}/analytics?metric=api.requests&last=1d&by=status`)
    await page.getByRole('button', { name: /: what is behind api.requests, 200$/ }).click()
    await page.getByRole('table', { name: 'By credential' }).getByRole('link', { name: 'Nightly export' }).click()
    await page.getByRole('heading', { name: 'Nightly export' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('asks for several metrics, groups, filters and clocks, keeps them in the address, and exports just that', async () => {
    const { page, context, workspaceId, faults } = await furnished()
    await page.goto(`/w/${workspaceId}/analytics?metric=issues.opened`)
    const field = (name: string) => page.getByRole('combobox', { name, exact: true })
    await field('Metrics').fill('resolved')
    await page.getByRole('option', { name: 'issues.resolved' }).click()
    await page.keyboard.press('Escape')
    for (const name of ['severity', 'source']) {
      await field('Group by').click()
      await page.getByRole('option', { name }).click()
      await page.keyboard.press('Escape')
    }
    // Browsers differ in how they write it.
    await field('Time zone').fill('mandu')
    await page.getByRole('option', { name: /^Asia\/Kath?mandu$/ }).click()
    await field('By').click()
    await page.getByRole('option', { name: 'Week' }).click()
    await field('Weeks begin on').click()
    await page.getByRole('option', { name: 'Sunday' }).click()
    await button(page, 'Filter').click()
    await page.getByRole('menuitem', { name: 'severity' }).click()
    await page.getByText('None of', { exact: true }).click()
    await field('severity').click()
    await page.getByRole('option', { name: 'low' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'severity: not low' }).waitFor()
    await page.getByRole('switch', { name: 'Compare with the time before' }).click()
    const name = 'issues.opened, issues.resolved by severity and source'
    const high = ['high', 'manual', '2', '0', '0', '0']
    await expect.poll(() => cellsOf(page, name, 'high'), { timeout: 20_000 }).toEqual(high)
    faults.push(...(await look(page, 'analytics-explored')))
    await page.reload()
    await expect.poll(() => cellsOf(page, name, 'high'), { timeout: 20_000 }).toEqual(high)
    expect(await table(page, name).getByText('low').count()).toBe(0)

    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()])
    const [head = '', ...lines] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n')
    expect(head.trim()).toBe('metric,unit,at,label,severity,source,is_other,value,p50,p95,count,previous_at,previous')
    expect(new Set(lines.map(line => line.split(',')[0]))).toEqual(new Set(['issues.opened']))
    expect(new Set(lines.map(line => line.split(',')[4]))).toEqual(new Set(['critical', 'high']))
    // Weeks from Sunday, by clocks that are a quarter of an hour off.
    expect(new Set(lines.map(line => line.split(',')[2]?.slice(11)))).toEqual(new Set(['18:15:00.000Z']))
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows on the page of a key what it called', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const key = await client.call('api_keys.post', { workspaceId, name: 'Nightly export', scopes: ['teams:read'] })
    const program = createClient({ baseUrl: url, apiKey: key.token })
    await program.call('teams.list', { workspaceId })
    await program.call('teams.post', { workspaceId, name: 'Ops' }).catch(() => {})
    await counted(client, workspaceId, 'api.requests', 2, { credential: key.id })
    await page.goto(`/w/${workspaceId}/keys/${key.id}`)
    await page.getByRole('tab', { name: 'Use' }).click()
    await page.getByRole('table', { name: 'Requests by operation' }).getByText('teams.post').waitFor()
    await settled(page)
    faults.push(...(await look(page, 'key-use')))
    expect(faults).toEqual([])
    await context.close()
  })
})
