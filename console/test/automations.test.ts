// Automations in the browser: built by hand or from a template, started, followed, tried, compared and brought back.
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { draftIn, draftOf, shownOnce, textOf } from '../src/areas/automations/automation.ts'
import { cronWords, placeWords, triggerWords } from '../src/areas/automations/words.ts'
import { inBrowser, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button, pick, text } from './helpers/story.ts'

async function addStep(page: Page, words: string, option: RegExp, name = 'Add a step'): Promise<void> {
  await button(page, name).click()
  await page.getByRole('textbox', { name: 'Search what a step can do' }).fill(words)
  await page.getByRole('option', { name: option }).first().click()
}

const step = (page: Page, number: string) => page.getByRole('group', { name: new RegExp(`^Step ${number}:`) })
const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true }).first()
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click()

inBrowser('an automation', () => {
  useBrowser()

  it('is built by hand, started, followed, changed, compared and brought back', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const root = `/w/${workspaceId}/automations`
    await page.goto(root)
    await page.getByText('No automations yet').waitFor()
    await page.getByRole('link', { name: 'New automation' }).first().click()
    await page.getByRole('heading', { name: 'Templates' }).waitFor()
    faults.push(...(await look(page, 'automations-templates')))
    await page.getByRole('link', { name: 'Build it yourself' }).click()

    await field(page, 'Name').fill('Note what is slow')
    await button(page, 'Ask for a value').click()
    await field(page, 'Field').fill('service')
    await page.getByText('Needed').click()
    await addStep(page, 'create issue', /create_issue/)
    const title = field(step(page, '1'), 'Title')
    await title.fill('{{ trigger.inp')
    await page.getByRole('option', { name: /trigger\.input\.service/ }).click()
    expect(await title.inputValue()).toBe('{{ trigger.input.service }}')
    await title.pressSequentially(' is slow')
    await addStep(page, 'wait', /^Wait/)
    await field(step(page, '2'), 'Seconds').fill('1')
    await button(page, 'Move step 2 up').click()
    await field(step(page, '1'), 'Seconds').waitFor()
    expect(await field(step(page, '1'), 'Seconds').inputValue()).toBe('1')
    await button(page, 'Move step 1 down').press('Enter')
    await field(step(page, '2'), 'Seconds').waitFor()

    // What is wrong is said at its place, and nothing is sent.
    await title.fill('{{ trigger.input.servic }} is slow')
    await step(page, '1')
      .getByText(/did you mean/)
      .waitFor()
    await button(page, 'Create').click()
    await page.getByText(/to put right$/).waitFor()
    faults.push(...(await look(page, 'automations-faulty')))
    await title.fill('{{ trigger.input.service }} is slow')
    await button(page, 'Grant what the steps need').click()
    await page.getByText('It is granted what its steps need, and no more.').waitFor()
    await page.getByText('The definition is sound.').waitFor()
    faults.push(...(await look(page, 'automations-builder')))

    // The same as text, both ways.
    await page.getByText('JSON', { exact: true }).click()
    const whole = page.getByRole('textbox', { name: 'Definition' })
    await whole.fill((await whole.inputValue()).replace('}} is slow', '}} answers late'))
    await page.getByText('The definition is sound.').waitFor()
    faults.push(...(await look(page, 'automations-text')))
    await page.getByText('Form', { exact: true }).click()
    await step(page, '1').getByRole('button', { expanded: false }).first().click()
    expect(await field(step(page, '1'), 'Title').inputValue()).toBe('{{ trigger.input.service }} answers late')
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'Note what is slow' }).waitFor()
    faults.push(...(await look(page, 'automations-record')))

    await button(page, 'Start').click()
    const dialog = page.getByRole('dialog')
    await button(dialog, 'Start').click()
    await dialog.getByText('This is needed').waitFor()
    await dialog.getByLabel('Service').fill('checkout')
    await button(dialog, 'Start').click()
    await page.getByText('Rerun', { exact: true }).waitFor({ timeout: 60_000 })
    const steps = page.getByRole('log', { name: 'Steps' })
    await steps.getByText(/^1\. (Create issue|Issues: create)/).waitFor()
    await steps.getByText('Output').first().click()
    await steps.locator('details[open]').getByText('checkout answers late').first().waitFor()
    faults.push(...(await look(page, 'automations-execution')))
    const issues = await client.call('issues.list', { workspaceId })
    expect(issues.items.map(issue => issue.title)).toEqual(['checkout answers late'])

    await button(page, 'Rerun from here: step 2').click()
    await page.getByRole('link', { name: 'An earlier execution' }).waitFor()
    await button(page, 'All of the history').click()
    await page.getByRole('table', { name: 'History' }).getByText('By hand, again').waitFor()
    const succeeded = page.getByRole('table', { name: 'History' }).getByText('Succeeded')
    await expect.poll(() => succeeded.count(), { timeout: 30_000 }).toBe(2)
    faults.push(...(await look(page, 'automations-history')))
    expect((await client.call('issues.list', { workspaceId })).count).toBe(1)

    await tab(page, 'Edit')
    await field(page, 'Name').fill('Note what is late')
    await tab(page, 'Versions')
    await button(page.getByRole('dialog'), 'Stay').click()
    await button(page, 'Take away step 2').click()
    await page.getByText('The definition is sound.').waitFor()
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'Note what is late' }).waitFor()
    await tab(page, 'Versions')
    await page.getByRole('table', { name: 'From version 1 to version 2' }).getByText('"do": "wait"').waitFor()
    faults.push(...(await look(page, 'automations-versions')))
    await button(page, 'Bring back version 1').click()
    await page.getByText('3, in use').waitFor()

    await page.goto(root)
    const table = page.getByRole('table', { name: 'Automations' })
    await table.getByText('When somebody starts it').waitFor()
    await table.getByText(/2 done/).waitFor()
    await page
      .getByRole('switch', { name: /^Note what is .*: enabled$/ })
      .locator('..')
      .click()
    await text(page, /^Note what is .* is disabled\.$/).waitFor()
    faults.push(...(await look(page, 'automations-list')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('is tried on a past event, and says why it would not start', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const issue = await client.call('issues.post', { workspaceId, title: 'Checkout answers 502', severity: 'critical' })
    await client.call('issues.post', { workspaceId, title: 'A typo', severity: 'low' })
    const { id } = await client.call('automations.post', {
      workspaceId,
      name: 'Note critical issues',
      triggers: [{ on: 'event', event: 'issues.post', where: 'trigger.record.severity == "critical"' }],
      steps: [{ id: 'note', do: 'add_note', with: { id: '{{ trigger.record.id }}', text: 'Look at this first.' } }],
      grants: ['issues:read', 'issues:write'],
    })
    await page.goto(`/w/${workspaceId}/automations/${id}?tab=test`)
    const recent = page.getByRole('combobox', { name: 'A recent event' })
    await recent.click()
    await page
      .getByRole('option', { name: /issues\.post/ })
      .nth(1)
      .click()
    await button(page, 'Try it').click()
    await page.getByText('It would start', { exact: true }).waitFor()
    await page.getByText(issue.id).first().waitFor()
    await page.getByText('Would run', { exact: true }).waitFor()
    faults.push(...(await look(page, 'automations-test')))
    await recent.fill('')
    await recent.click()
    await page
      .getByRole('option', { name: /issues\.post/ })
      .first()
      .click()
    await button(page, 'Try it').click()
    await page.getByText('It would not start').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('has a webhook whose address and secret are shown once, and times in its own zone', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await page.goto(`/w/${workspaceId}/automations/new?template=_`)
    await field(page, 'Name').fill('Every morning, or when told')
    await pick(page, 'Starts', 'On a schedule')
    await page.getByLabel('Times (cron)').fill('0 9 * * 1-5')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await page.getByText('Every weekday at 09:00').first().waitFor()
    await page.getByText('The next times in Europe/Berlin').waitFor()
    expect(
      await page
        .getByRole('listitem')
        .filter({ hasText: /, 09:00$/ })
        .count(),
    ).toBe(5)
    await button(page, 'Add a trigger').click()
    await page.getByRole('combobox', { name: 'Starts' }).nth(1).click()
    await page.getByRole('option', { name: 'By a webhook' }).last().click()
    await addStep(page, 'branch', /^Branch/)
    await page.getByRole('textbox', { name: 'If', exact: true }).fill('1 < 2')
    await addStep(page, 'wait', /^Wait/, 'Add a step here')
    await field(step(page, '1\\.1'), 'Seconds').fill('1')
    await page.getByText('The definition is sound.').waitFor()
    faults.push(...(await look(page, 'automations-nested')))
    await button(page, 'Create').click()
    await page.getByText('Copy the secret now').waitFor()
    const [address = '', secret = ''] = await page.locator('[data-copy-value]').allTextContents()
    expect(address).toMatch(/\/v1\/hooks\/automations\/ahk_/)
    expect(secret).toMatch(/^whsec_/)
    faults.push(...(await look(page, 'automations-secret')))
    await button(page, 'I have copied it').click()
    await page.getByText('Every weekday at 09:00 Europe/Berlin').waitFor()
    await settled(page)
    await picture(page, 'automations-hook')
    await button(page, 'New webhook address').click()
    await button(page.getByRole('dialog'), 'New webhook address').click()
    await page.getByRole('dialog').getByText('Copy the secret now').waitFor()
    expect(await page.locator('[data-copy-value]').first().textContent()).not.toBe(address)
    await button(page.getByRole('dialog'), 'I have copied it').click()
    const { items } = await client.call('automations.list', { workspaceId })
    expect(items[0]?.triggers.map(({ on }) => on)).toEqual(['schedule', 'webhook'])
    expect(faults).toEqual([])
    await context.close()
  })

  it('comes from a template with a few values', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await page.goto(`/w/${workspaceId}/automations/new`)
    await page.getByRole('region', { name: 'Templates' }).getByRole('link').first().waitFor()
    const { items } = await client.call('automations.templates', {})
    const template = items.find(({ inputs }) => ((inputs.required ?? []) as string[]).length === 0)
    await page.getByRole('link', { name: template?.name ?? '', exact: true }).click()
    await page.getByRole('heading', { name: `New automation: ${template?.name}` }).waitFor()
    faults.push(...(await look(page, 'automations-install')))
    await button(page, 'Install').click()
    await page.getByRole('tab', { name: 'Overview' }).waitFor()
    expect((await client.call('automations.list', { workspaceId })).count).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })
})

it('says times, triggers and places in words', () => {
  expect(cronWords('0 9 * * 1-5')).toBe('every weekday at 09:00')
  expect(cronWords('*/15 * * * *')).toBe('every 15 minutes')
  expect(cronWords('0 * * * *')).toBe('every hour')
  expect(cronWords('30 8,17 * * MON,THU')).toBe('every Monday and Thursday at 08:30 and 17:30')
  expect(cronWords('0 6 1 * *')).toBe('on day 1 of each month at 06:00')
  expect(cronWords('0 10 * * 6,0')).toBe('every weekend day at 10:00')
  expect(cronWords('0 0 1-7 * 1')).toBe('at 0 0 1-7 * 1 (cron)')
  expect(triggerWords({ on: 'schedule', cron: '0 9 * * *', timezone: 'Europe/Berlin' })).toBe(
    'every day at 09:00 Europe/Berlin',
  )
  expect(triggerWords({ on: 'event', event: 'issues.post' })).toBe('when issues.post')
  expect(placeWords('2[7].steps.0')).toBe('3.1, item 8')
})

it('is the same as text and as a form', () => {
  const steps = [{ do: 'branch', if: 'true', steps: [{ do: 'wait', with: { seconds: 5 } }] }]
  const draft = draftOf({ name: 'Both ways', triggers: [{ on: 'manual' }], steps, grants: [] })
  const read = draftIn(textOf(draft), draft)
  expect(typeof read === 'string' ? read : textOf(read)).toBe(textOf(draft))
  expect(draftIn('{', draft)).toMatch(/^This is no JSON/)
  expect(draftIn('{"step":[]}', draft)).toMatch(/^Nobody knows "step"/)
  expect(draftIn('{"triggers":[],"steps":[{}]}', draft)).toMatch(/^Each step says/)
  expect(shownOnce({ hookUrl: 'https://a.example/v1/hooks/automations/ahk_…', hookSecret: null })).toEqual([])
})
