// Plans and invoices in the browser: usage alone where nobody pays; else a plan that is previewed, changed and paid.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { button, pick } from './helpers/story.ts'

inBrowser('billing', () => {
  useBrowser()

  it('shows usage and nothing to buy where nobody pays', async () => {
    const { page, context, workspaceId, faults } = await person()
    await page.goto(`/w/${workspaceId}/billing`)
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await settled(page)
    for (const word of ['Change the plan', 'Invoices', 'Upgrade']) expect(await page.getByText(word).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  it('changes the plan for what was shown before, and has invoices to print and to pay', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await client.call('billing.patch', { workspaceId, provider: 'manual', legalName: 'Analytical Engines Ltd' })
    await page.goto(`/w/${workspaceId}/billing`)
    await page.getByRole('heading', { name: 'Plan and billing' }).waitFor()
    await button(page, 'Change the plan').click()
    await pick(page, 'Plan', 'Business')
    await page.getByLabel('Seats').fill('3')
    await button(page, 'Show what it costs').click()
    await page.getByText('It begins with a trial').waitFor()
    await picture(page, 'billing-preview')
    faults.push(...(await faultsOf(page)))
    await button(page, 'Change').click()
    await page.getByText('The plan is changed.').waitFor()
    // There is one trial: the second time it is paid for at once.
    await client.call('subscriptions.patch', { workspaceId, plan: 'free' })
    await client.call('subscriptions.patch', { workspaceId, plan: 'business', cycle: 'monthly', seats: 3 })
    await client.call('subscriptions.patch', { workspaceId, seats: 4 })
    const { items } = await client.call('billing.invoices.list', { workspaceId, orderBy: 'number', order: 'asc' })
    expect(items.map(({ lines }) => lines.length)).toEqual([2, 4])
    const [{ number = '' } = {}] = items
    await page.reload()
    await page.getByText(number).waitFor()
    await settled(page)
    await picture(page, 'billing-plan')
    faults.push(...(await faultsOf(page)))
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, `To print: ${number}`).click()])
    const html = readFileSync(await file.path(), 'utf8')
    expect(html).toContain('Analytical Engines Ltd')
    await button(page, `Mark as paid: ${number}`).click()
    await page.getByText('The invoice is paid.').waitFor()
    await page.setContent(html)
    await picture(page, 'billing-invoice')
    expect(faults).toEqual([])
    await context.close()
  })
})
