// Labels in the browser: made, changed, merged and deleted, with their colours beside their names.
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { button, pick } from './helpers/story.ts'

inBrowser('labels', () => {
  useBrowser()

  it('are made, found, merged and deleted', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const root = `/w/${workspaceId}/labels`
    await page.goto(root)
    await page.getByText('No labels yet').waitFor()
    await page.goto(`${root}/new`)
    await page.getByLabel('Name').fill('Database')
    await page.getByLabel('Colour').fill('#0f766e')
    await page.getByLabel('Group').fill('Component')
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'Database' }).waitFor()
    for (const name of ['DB', 'Frontend']) await client.call('labels.post', { workspaceId, name })
    await page.goto(`${root}?q=data`)
    await page.getByRole('link', { name: 'Database' }).waitFor()
    expect(await page.locator('[data-row]').count()).toBe(1)
    await page.goto(root)
    await settled(page)
    await picture(page, 'labels-list')
    faults.push(...(await faultsOf(page)))
    await page.getByRole('link', { name: 'DB' }).click()
    await button(page, 'Merge').click()
    await pick(page, 'Into', 'Database')
    await picture(page, 'labels-merge')
    await button(page.getByRole('dialog'), 'Merge').click()
    await page.getByText('The labels are merged.').waitFor()
    await page.waitForURL(root)
    await page.getByRole('link', { name: 'Frontend' }).waitFor()
    await page.getByRole('link', { name: 'DB', exact: true }).waitFor({ state: 'detached' })
    await button(page, 'Actions for Frontend').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await button(page.getByRole('dialog'), 'Delete').click()
    await page.getByText('Frontend is deleted.').waitFor()
    expect((await client.call('labels.list', { workspaceId })).items.map(({ name }) => name)).toEqual(['Database'])
    expect(faults).toEqual([])
    await context.close()
  })

  it('refuse a name that is taken beside its field, and keep what was typed', async () => {
    const { page, context, workspaceId, client } = await person()
    await client.call('labels.post', { workspaceId, name: 'Database' })
    await page.goto(`/w/${workspaceId}/labels/new`)
    await page.getByLabel('Name').fill('DATABASE')
    await button(page, 'Create').click()
    await page.getByText('A label of this workspace has that name').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('DATABASE')
    await context.close()
  })

  it('are found by typing, however many there are', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const names = Array.from({ length: 1001 }, (_, index) => `label ${String(index).padStart(4, '0')}`)
    while (names.length > 0) {
      await Promise.all(names.splice(0, 25).map(name => client.call('labels.post', { workspaceId, name })))
    }
    const issue = await client.call('issues.post', { workspaceId, title: 'Labelled' })
    await page.goto(`/w/${workspaceId}/issues/${issue.id}`)
    await page.getByRole('heading', { name: 'Labelled' }).waitFor()
    await page.getByRole('button', { name: 'Labels' }).waitFor()
    await page.keyboard.press('l')
    await page.getByRole('textbox', { name: 'Labels' }).fill('label 1000')
    await page.getByRole('option', { name: 'label 1000' }).click()
    await page.keyboard.press('Escape')
    await page.locator('.atrium-label', { hasText: 'label 1000' }).first().waitFor()
    const { labels } = await client.call('issues.get', { workspaceId, id: issue.id })
    expect(labels).toHaveLength(1)
    // Its name is shown also where nobody searches.
    await page.reload()
    await page.locator('.atrium-label', { hasText: 'label 1000' }).first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
