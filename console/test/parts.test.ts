// The parts that areas are built of, each by itself: what a mouse does, what a keyboard does, what nobody may do with them.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { inBrowser, person, settled, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'

inBrowser('a part', () => {
  useBrowser()

  async function stories() {
    const someone = await person()
    await someone.client.call('teams.post', { workspaceId: someone.workspaceId, name: 'Difference Engine' })
    await someone.page.goto(`/stories/test/stories/stories.html#${someone.workspaceId}`)
    await someone.page.getByRole('heading', { name: 'Charts' }).waitFor()
    await someone.page.getByRole('table', { name: 'Open per day' }).waitFor({ state: 'attached' })
    await settled(someone.page)
    return someone
  }

  const cardsIn = (page: Page, column: string) =>
    page.getByRole('region', { name: column, exact: true }).getByRole('listitem').allTextContents()

  it('is sound for axe, in light, dark and on a phone', async () => {
    const { page, context, faults } = await stories()
    faults.push(...(await look(page, 'parts')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('moves cards by mouse, keyboard and menu, and puts back what is refused', async () => {
    const { page, context } = await stories()
    const card = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await card('Login is slow').dragTo(page.getByRole('region', { name: 'Doing', exact: true }))
    await expect.poll(() => cardsIn(page, 'Doing')).toEqual(['Login is slow'])
    const grip = page.getByRole('button', { name: 'Move Login is slow' })
    await grip.focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Enter moves it there').waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    await expect.poll(() => cardsIn(page, 'Done')).toContain('Login is slow')
    await grip.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Escape')
    expect(await cardsIn(page, 'Done')).toContain('Login is slow')
    await page.getByRole('button', { name: 'Move Crash' }).click()
    // What may not be is not offered.
    await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Doing'])
    await page.getByRole('menuitem', { name: 'Doing' }).click()
    await expect.poll(() => cardsIn(page, 'Doing')).toEqual(['Crash'])
    await page.getByRole('button', { name: 'Move Typo' }).click()
    await page.getByRole('menuitem', { name: 'Done' }).click()
    await page.getByText('Typos stay where they are.').waitFor()
    await expect.poll(() => cardsIn(page, 'Open')).toEqual(['Typo'])
    await context.close()
  })

  it('mentions records, takes files, shows a preview and keeps what could not be sent', async () => {
    const { page, context, faults } = await stories()
    const field = page.getByRole('textbox', { name: 'Comment' })
    await field.fill('fail')
    await page.getByRole('button', { name: 'Comment' }).click()
    await page.getByRole('alert').waitFor()
    expect(await field.inputValue()).toBe('fail')
    await field.fill('')
    await field.pressSequentially('Ask @diff')
    await page.getByRole('option', { name: /Difference Engine/ }).waitFor()
    await field.press('Enter')
    await expect
      .poll(() => field.inputValue())
      .toMatch(/^Ask \[@Difference Engine\]\(atrium:\/\/ws_\w+\/team\/team_\w+\) $/)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach' }).click()
    await (await chooser).setFiles(join(import.meta.dirname, '../index.html'))
    await expect.poll(() => field.inputValue()).toContain('[index.html](/v1/files/')
    await page.getByText('Preview').click()
    await page.getByRole('link', { name: '@Difference Engine' }).first().waitFor()
    await page.getByText('Write', { exact: true }).click()
    await field.press('Control+Enter')
    const log = page.getByRole('log', { name: 'What happened' })
    await log.getByRole('link', { name: '@Difference Engine' }).waitFor()
    expect(await field.inputValue()).toBe('')
    await page.getByRole('button', { name: 'Let something happen' }).click()
    await log.getByText('Something happened').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows text with marks and nothing that could act', async () => {
    const { page, context, faults } = await stories()
    const shown = page.locator('.atrium-markdown').last()
    expect(await shown.locator('.hljs-keyword').textContent()).toBe('const')
    expect(await shown.locator('script, img').count()).toBe(0)
    expect(await shown.textContent()).toContain('<script>')
    expect(await shown.getByRole('link', { name: 'not this' }).count()).toBe(0)
    expect(await shown.getByRole('link', { name: 'nor this' }).getAttribute('rel')).toContain('noreferrer')
    expect(await page.evaluate(() => 'broken' in window)).toBe(false)
    const diff = page.getByRole('table', { name: 'Changed lines' })
    expect(await diff.locator('[data-mark="+"]').allTextContents()).toEqual(['2+2'])
    const terminal = page.getByRole('region', { name: 'Output' })
    expect(await terminal.textContent()).toBe('$ npm test\n100%\npassed failed')
    expect(await terminal.locator('.in-green').textContent()).toBe('passed')
    await page.getByRole('button', { name: /deep: 1 field/ }).click()
    const table = page.getByRole('table', { name: 'Open and closed per day' })
    expect(await table.locator('tbody tr').first().textContent()).toBe('1 Nov24')
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows changed files in two layouts, with what is said of a line under it', async () => {
    const { page, context, faults } = await stories()
    const file = (path: string) => page.getByRole('article', { name: path, exact: true })
    const lines = page.getByRole('table', { name: 'Changes of src/pool.ts' })
    expect(await lines.locator('tr[data-type]').allTextContents()).toEqual([
      '@@ -1,3 +1,4 @@ pool',
      '11 export const name = 1',
      '2-export const size = 10',
      '2+export const size = 20',
      '3+export const most = 40',
      '34 // the end No line end',
    ])
    expect(await file('src/pool.ts').getByRole('heading').textContent()).toContain('src/lake.ts → src/pool.ts')
    await file('logo.png').getByText('Not a text').waitFor()
    await file('huge.csv').getByText('Too long to be shown.').waitFor()
    await file('run.sh').getByText('Only its mode changed, from 100644 to 100755.').waitFor()
    await file('run.sh').getByText('This does not apply any more.').waitFor()
    expect(await file('rows.txt').getByRole('table').count()).toBe(0)
    await file('rows.txt').getByRole('button', { name: 'Show 1,200 lines' }).click()
    expect(await file('rows.txt').locator('tr[data-type="added"]').count()).toBe(1_200)
    await file('rows.txt').getByRole('button', { name: 'rows.txt' }).click()
    await lines.getByRole('button', { name: 'Say of line 2 as it was' }).click()
    await lines.getByText('About src/pool.ts, old, 2').waitFor()
    await page.getByText('Split', { exact: true }).click()
    await lines.getByText('About src/pool.ts, old, 2').waitFor()
    await lines.getByRole('button', { name: 'Say of line 4' }).click()
    expect(await lines.getByText('About src/pool.ts, new, 4').count()).toBe(1)
    expect(await lines.locator('tr:not([data-type])').allTextContents()).toEqual([
      '1 export const name = 11 export const name = 1',
      '2-export const size = 102+export const size = 20',
      '3+export const most = 40',
      '3 // the end No line end4 // the end No line end',
    ])
    faults.push(...(await look(page, 'parts-split')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('takes amounts and times as people write them, and says what a cron line means', async () => {
    const { page, context, faults } = await stories()
    await page.getByLabel('Schedule').fill('0 9 * * 1')
    await page.getByText('The next times, in UTC:').waitFor()
    const times = await page
      .getByRole('listitem')
      .filter({ hasText: /, 09:00$/ })
      .allTextContents()
    expect(times.length).toBe(5)
    await page.getByLabel('Timeout').fill('2h')
    await page.getByText('Use at most 1h').waitFor()
    await page.getByLabel('Timeout').fill('1m 30s')
    await page.getByLabel('Price').fill('12.5')
    await page.getByLabel('Size', { exact: true }).fill('soon')
    await page.getByText('Write a size such as 10 MiB').waitFor()
    await page.getByLabel('Size', { exact: true }).fill('1.5 MiB')
    await page.getByLabel('Condition').fill('alert.severity == "high"')
    await page.getByLabel('Address').fill('example.com')
    await page.getByText('Enter an address such as').waitFor()
    await page.getByLabel('Address').fill('https://example.com/hook')
    await page.getByLabel('Body').fill('It *works*')
    expect(JSON.parse((await page.getByLabel('What is sent').textContent()) ?? '')).toEqual({
      cron: '0 9 * * 1',
      timeout: 90,
      price: 1250,
      size: 1_572_864,
      when: 'alert.severity == "high"',
      address: 'https://example.com/hook',
      body: 'It *works*',
    })
    await page.locator('main').getByRole('button', { name: 'Preview' }).last().click()
    expect(await page.locator('em').first().textContent()).toBe('works')
    expect(faults).toEqual([])
    await context.close()
  })
})
