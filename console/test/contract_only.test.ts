// An area that says nothing about its pages: menu, list, record, form and live updates come from its contract.
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, person, settled, useBrowser } from './helpers/browser.ts'
import { example } from './helpers/example.ts'

inBrowser('an area that declares nothing but a contract', () => {
  useBrowser()

  it('is in the menu, has a form, a record that can be changed, and a list that is live', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const stream = page.waitForRequest(/\/v1\/events\//)
    await page.goto(`/w/${workspaceId}`)
    await stream
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Examples' }).click()
    await page.getByText('No examples yet').waitFor()
    await page.getByRole('link', { name: 'New example' }).first().click()
    await page.getByLabel('Name').fill('X')
    await page.getByRole('button', { name: 'Create' }).click()
    // Its bounds are the contract's.
    await page.getByText('Use at least 2 characters').waitFor()
    await page.getByLabel('Name').fill('Made by hand')
    await page.getByLabel('Text').fill('It **works**')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Made by hand' }).waitFor()
    // What the contract says of a field decides how it is drawn.
    expect(await page.locator('.atrium-markdown strong').textContent()).toBe('works')
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.getByLabel('Group').fill('Second')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const tabs = await page.getByRole('tab').allTextContents()
    expect(tabs).toEqual(['About', 'Links', 'Activity', 'API'])
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByText(/changed example/).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Examples' }).click()
    await page.getByRole('table').getByRole('link', { name: 'Made by hand' }).waitFor()
    await example(someone, 'Made elsewhere')
    await page.getByRole('table').getByRole('link', { name: 'Made elsewhere' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Search/ }).fill('elsewhere')
    await page.getByRole('option', { name: /Made elsewhere/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Made elsewhere' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Made elsewhere is deleted.').waitFor()
    await settled(page)
    expect(faults).toEqual([])
    await context.close()
  })
})
