// Issues in the browser: list, views, board, page with its keys, notes, many at once, rules; and what is refused goes back.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, type Person, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { button, pick } from './helpers/story.ts'

type Made = { id: string; title: string; number: number }

async function issue({ client, workspaceId }: Person, title: string, fields: object = {}): Promise<Made> {
  return await client.call('issues.post', { workspaceId, title, ...fields })
}

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const handle = (page: Page, title: string) => page.getByRole('button', { name: `Move ${title}`, exact: true })

/** In light and dark, and no wider than a phone. */
async function look(page: Page, name: string): Promise<string[]> {
  await settled(page)
  await picture(page, `${name}-light`)
  const found = await faultsOf(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark')
  await picture(page, `${name}-dark`)
  found.push(...(await faultsOf(page, ['color-contrast'])))
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 320, height: 800 })
  await picture(page, `${name}-phone`)
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  if (wide > 320) found.push(`${wide} pixels wide on a phone`)
  await page.setViewportSize({ width: 1280, height: 900 })
  return found.map(fault => `${name}: ${fault}`)
}

inBrowser('issues', () => {
  useBrowser()

  it('are listed in views that stand in the address, and changed and labelled many at once', async () => {
    const someone = await person()
    const { page, workspaceId, client, faults } = someone
    const label = await client.call('labels.post', { workspaceId, name: 'Database', color: '#0f766e' })
    const me = await client.call('auth.whoami', {})
    await issue(someone, 'Checkout answers 502', { severity: 'critical' })
    await issue(someone, 'Pool is exhausted', { assigneeId: me.id, labels: [label.id] })
    await issue(someone, 'Typo on the page', { severity: 'low' })
    await page.goto(`/w/${workspaceId}/issues`)
    await page.getByRole('link', { name: 'Pool is exhausted' }).waitFor()
    faults.push(...(await look(page, 'issues-list')))
    await page.getByRole('tab', { name: 'Mine' }).click()
    await page.getByRole('link', { name: 'Typo on the page' }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('assigneeId=me')
    await expect.poll(() => page.locator('[data-row]').allTextContents()).toEqual(['Pool is exhausted'])
    await page.getByRole('tab', { name: 'Unassigned critical' }).click()
    await page.getByRole('link', { name: 'Checkout answers 502' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Checkout answers 502' }).waitFor()
    expect(await page.locator('[data-row]').count()).toBe(1)
    await page.goto(`/w/${workspaceId}/issues?labels=database`)
    await page.getByRole('link', { name: 'Pool is exhausted' }).waitFor()
    expect(await page.locator('[data-row]').count()).toBe(1)

    await page.goto(`/w/${workspaceId}/issues`)
    await page.getByLabel('Choose all on this page').check()
    await button(page, 'Label').click()
    await pick(page, 'Put on', 'Database')
    await page.keyboard.press('Tab')
    await button(page.getByRole('dialog'), 'Apply').click()
    await page.getByText('3 records: labels changed.').waitFor()
    expect((await client.call('labels.get', { workspaceId, id: label.id })).usage).toEqual({ issue: 3 })

    await page.getByLabel('Choose all on this page').check()
    await button(page, 'Change').click()
    await pick(page, 'Severity', 'High')
    await button(page.getByRole('dialog'), 'Change').click()
    await page.getByText('3 records changed.').waitFor()
    const { items } = await client.call('issues.list', { workspaceId })
    expect(items.map(({ severity }) => severity)).toEqual(['high', 'high', 'high'])
    expect(faults).toEqual([])
    await someone.context.close()
  })

  it('are moved on the board by mouse and keyboard, live, and go back when refused', async () => {
    const someone = await person()
    const { page, workspaceId, client, faults } = someone
    const one = await issue(someone, 'Checkout answers 502')
    const two = await issue(someone, 'Pool is exhausted')
    await page.goto(`/w/${workspaceId}/issues?layout=board`)
    await column(page, 'New').getByText('Pool is exhausted').waitFor()
    faults.push(...(await look(page, 'issues-board')))
    await page.dragAndDrop(`[data-card="${one.id}"]`, '[aria-label="Open"]')
    await column(page, 'Open').getByText('Checkout answers 502').waitFor()
    await expect
      .poll(async () => (await client.call('issues.get', { workspaceId, id: one.id })).status, { timeout: 20_000 })
      .toBe('open')
    await handle(page, 'Pool is exhausted').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await column(page, 'Triaging').getByText('Pool is exhausted').waitFor()
    await client.call('issues.patch', { workspaceId, id: two.id, status: 'resolved' })
    await column(page, 'Resolved').getByText('Pool is exhausted').waitFor()
    await page.route('**/v1/issues/**', route =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 409,
            json: { success: false, message: null, error: { message: 'Conflict', detail: 'Somebody was quicker.' } },
          })
        : route.continue(),
    )
    await handle(page, 'Checkout answers 502').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByText('Somebody was quicker.').first().waitFor()
    await column(page, 'Open').getByText('Checkout answers 502').waitFor()
    expect(faults).toEqual([])
    await someone.context.close()
  })

  it('have a page whose properties change with one key, at once, and are taken back when refused', async () => {
    const someone = await person()
    const { page, workspaceId, client, faults } = someone
    const label = await client.call('labels.post', { workspaceId, name: 'Database', color: '#0f766e' })
    const alert = {
      title: 'Checkout answers 502',
      fingerprint: 'checkout|502',
      severity: 'high',
      resources: ['checkout'],
    }
    await client.call('issues.alerts.post', {
      workspaceId,
      alerts: [{ ...alert, fingerprint: 'earlier|502' }] as never,
    })
    const sent = await client.call('issues.alerts.post', { workspaceId, alerts: [alert, alert] as never })
    const id = String(sent.items[0]?.issueId)
    const shown = () => client.call('issues.get', { workspaceId, id })
    await page.goto(`/w/${workspaceId}/issues/${id}`)
    await page.getByRole('img', { name: /^Occurrences in 14 days/ }).waitFor()
    await page.getByText('Similar issues').waitFor()
    await page.getByRole('log', { name: 'Timeline' }).getByText('reported it').waitFor()
    faults.push(...(await look(page, 'issue-page')))

    await page.keyboard.press('s')
    await page.getByRole('option', { name: 'Open', exact: true }).waitFor()
    await picture(page, 'issue-status')
    // What the open list covers is not to be pressed meanwhile.
    faults.push(...(await faultsOf(page)).filter(fault => !fault.startsWith('target-size')))
    await page.keyboard.type('open')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Status Open/ }).waitFor()
    await expect.poll(async () => (await shown()).status, { timeout: 20_000 }).toBe('open')
    await page.keyboard.press('p')
    await page.getByRole('option', { name: 'Critical' }).waitFor()
    await page.keyboard.type('crit')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Severity Critical/ }).waitFor()
    await expect.poll(async () => (await shown()).severity, { timeout: 20_000 }).toBe('critical')
    await page.keyboard.press('a')
    await page.getByRole('option', { name: /\(you\)/ }).waitFor()
    await page.keyboard.type('(you)')
    await page.keyboard.press('Enter')
    const me = await client.call('auth.whoami', {})
    await expect.poll(async () => (await shown()).assigneeId, { timeout: 20_000 }).toBe(me.id)
    await page.keyboard.press('l')
    await page.getByRole('option', { name: 'Database' }).waitFor()
    await page.keyboard.type('data')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await shown()).labels, { timeout: 20_000 }).toEqual([label.id])

    await page.getByRole('textbox', { name: 'Note' }).fill('The **pool** was too small.')
    await page.getByText('Resolved', { exact: true }).first().click()
    await button(page, 'Add note').click()
    await page.getByRole('log', { name: 'Timeline' }).locator('strong', { hasText: 'pool' }).waitFor()
    await expect.poll(async () => (await shown()).status, { timeout: 20_000 }).toBe('resolved')
    await settled(page)
    await picture(page, 'issue-resolved')

    await page.route('**/v1/issues/**', async route => {
      if (route.request().method() !== 'PATCH') return await route.continue()
      await page.getByRole('button', { name: /^Severity Low/ }).waitFor()
      await route.fulfill({
        status: 409,
        json: { success: false, message: null, error: { message: 'Conflict', detail: 'Somebody was quicker.' } },
      })
    })
    await page.keyboard.press('p')
    await page.getByRole('option', { name: 'Low' }).waitFor()
    await page.keyboard.type('low')
    await page.keyboard.press('Enter')
    await page.getByText('Somebody was quicker.').first().waitFor()
    await page.getByRole('button', { name: /^Severity Critical/ }).waitFor()
    expect(faults).toEqual([])
    await someone.context.close()
  })

  it('have rules that are tried on past alerts before they are saved', async () => {
    const someone = await person()
    const { page, workspaceId, client, faults } = someone
    const alert = { title: 'Disk is full', fingerprint: 'disk', severity: 'low', fields: { service: 'billing' } }
    await client.call('issues.alerts.post', { workspaceId, alerts: [alert] as never })
    await page.goto(`/w/${workspaceId}/issues`)
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByText('No rules yet').waitFor()
    await button(page, 'New rule').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Billing is urgent')
    await dialog.getByLabel('When').fill('alert.nothing == "billing"')
    await button(dialog, 'Save').click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('When').fill('alert.fields["service"] == "billing"')
    await pick(page, 'Set the severity to', 'Critical')
    await button(dialog, 'Try on the last 7 days').click()
    await dialog.getByText('1 alert').first().waitFor()
    await dialog.getByText('Disk is full').waitFor()
    await picture(page, 'issue-rule-tried')
    await button(dialog, 'Save').click()
    await page.getByText('The rule is saved.').waitFor()
    await page.getByRole('cell', { name: 'Billing is urgent', exact: true }).waitFor()
    faults.push(...(await look(page, 'issue-rules')))
    const { items } = await client.call('issues.rules.list', { workspaceId })
    expect(items).toMatchObject([{ name: 'Billing is urgent', actions: { severity: 'critical' } }])
    await button(page, 'Delete').click()
    await button(page.getByRole('dialog'), 'Delete').click()
    await page.getByText('No rules yet').waitFor()
    expect(faults).toEqual([])
    await someone.context.close()
  })
})
