// Skills in the browser: written with live findings, imported by drop, their files, versions and prompt.
import { expect, it } from 'vitest'
import { zipped } from '../../test/skills/zipped.ts'
import { faultsOf, inBrowser, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { button } from './helpers/story.ts'

inBrowser('skills', () => {
  useBrowser()

  it('are written, corrected while one writes, tried, changed and brought back', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const root = `/w/${workspaceId}/skills`
    await page.goto(`${root}/new`)
    await page.getByLabel('Name').fill('Triage Alerts')
    await page.getByLabel('Description').fill('Sorts new alerts by cause. Use when several come at once.')
    await page.getByText('"name" takes lower case letters').first().waitFor()
    await settled(page)
    await picture(page, 'skills-new')
    faults.push(...(await faultsOf(page)))
    await page.getByLabel('Name').fill('triage-alerts')
    await page.getByRole('textbox', { name: 'Markdown' }).fill('Look at **{{service}}** first.\n')
    await page
      .getByLabel('Parameters')
      .fill('{"type":"object","properties":{"service":{"type":"string","enum":["checkout","search"]}}}')
    await page.getByText('The text is a valid skill.').waitFor()
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'triage-alerts' }).waitFor()

    await page.getByRole('tab', { name: 'Try as prompt' }).click()
    await page.getByRole('combobox', { name: 'service' }).click()
    await page.getByRole('option', { name: 'checkout' }).click()
    await button(page, 'Show the prompt').click()
    await page.getByText('Look at **checkout** first.').waitFor()
    await settled(page)
    await picture(page, 'skills-prompt')
    faults.push(...(await faultsOf(page)))

    await page.getByRole('tab', { name: 'Text' }).click()
    await page.getByText('SKILL.md', { exact: true }).click()
    const whole = page.getByRole('textbox', { name: 'SKILL.md' })
    await whole.fill((await whole.inputValue()).replace('first', 'last'))
    await button(page, 'Save').click()
    await page.getByText('Saved.').first().waitFor()
    await settled(page)
    await picture(page, 'skills-text')
    faults.push(...(await faultsOf(page)))

    await page.getByRole('tab', { name: 'Files' }).click()
    const file = { name: 'causes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Causes\n') }
    await page.getByLabel('Choose a file: file').setInputFiles(file)
    await page.getByRole('table', { name: 'Files of the skill' }).getByText('causes.md').waitFor()
    await settled(page)
    await picture(page, 'skills-files')
    faults.push(...(await faultsOf(page)))

    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByText('causes.md was added').waitFor()
    await page.getByRole('table', { name: 'What version 2 changed' }).waitFor()
    await settled(page)
    await picture(page, 'skills-versions')
    faults.push(...(await faultsOf(page)))
    await button(page.getByRole('listitem').filter({ hasText: 'Version 1' }), 'Bring back').click()
    await page.getByText('Version 4, in use').waitFor()
    const [skill] = (await client.call('skills.list', { workspaceId })).items
    const now = await client.call('skills.get', { workspaceId, id: skill?.id ?? '' })
    expect([now.version, now.files.length, now.body]).toEqual([4, 0, 'Look at **{{service}}** first.\n'])
    expect(faults).toEqual([])
    await context.close()
  })

  it('come in by a zip, and say what is wrong with one', async () => {
    const { page, context, workspaceId, faults } = await person()
    await page.goto(`/w/${workspaceId}/skills`)
    const drop = async (files: Record<string, string>) => {
      const buffer = await zipped(files)
      await page
        .getByLabel('Import a zip: file')
        .setInputFiles({ name: 'skills.zip', mimeType: 'application/zip', buffer })
    }
    await drop({ 'bad/SKILL.md': 'nothing' })
    await page.getByText('It must begin with front matter').waitFor()
    await drop({ 'good/SKILL.md': '---\nname: good\ndescription: Does good. Use when asked.\n---\nDo.\n' })
    await page.getByRole('status').getByText(': created').waitFor()
    await page.getByRole('table').getByText('good', { exact: true }).waitFor()
    await settled(page)
    await picture(page, 'skills-list')
    faults.push(...(await faultsOf(page)))
    expect(faults.filter(fault => !/400/.test(fault))).toEqual([])
    await context.close()
  })
})
