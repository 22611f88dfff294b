// Memories and pages in the browser: found with reasons, their history as changes, and a page that is revoked.
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { button } from './helpers/story.ts'

inBrowser('memories', () => {
  useBrowser()

  it('are found with the reasons, and show what changed', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const root = `/w/${workspaceId}/memories`
    await page.goto(`${root}/new`)
    await page.getByLabel('Title').fill('The pool holds 20')
    await page.getByLabel('Text').first().fill('More than that **wait**.')
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'The pool holds 20' }).waitFor()
    const [memory] = (await client.call('memories.list', { workspaceId })).items
    await client.call('memories.patch', { workspaceId, id: memory?.id ?? '', markdown: 'More than 20 **wait**.' })
    await page.goto(`${root}/${memory?.id}?tab=versions`)
    await page.getByText('Version 2').waitFor()
    await page.getByRole('table', { name: 'What version 2 changed' }).waitFor()
    await settled(page)
    await picture(page, 'memories-history')
    faults.push(...(await faultsOf(page)))
    await button(page.getByRole('listitem').filter({ hasText: 'Version 1' }), 'Bring back').click()
    await page.getByText('Version 3, in use').waitFor()
    const now = await client.call('memories.get', { workspaceId, id: memory?.id ?? '' })
    expect(now.markdown).toBe('More than that **wait**.')
    await page.goto(`${root}?layout=search`)
    await page.getByLabel('What do you want to know?').fill('pool')
    await page.getByText(/confidence 1 × rating 1 × recency 1 × pinned 1/).waitFor()
    await settled(page)
    await picture(page, 'memories-search')
    faults.push(...(await faultsOf(page)))
    expect(faults).toEqual([])
    await context.close()
  })

  it('and pages can be revoked', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const issue = await client.call('issues.post', { workspaceId, title: 'Checkout answers 502' })
    const made = await client.call('issues.publish', { workspaceId, id: issue.id, visibility: 'link' })
    await page.goto(`/w/${workspaceId}/pages/${made.id}`)
    await page.getByText(made.url).first().waitFor()
    await settled(page)
    faults.push(...(await faultsOf(page)))
    expect((await fetch(made.url)).status).toBe(200)
    await button(page, 'Revoke').click()
    await button(page.getByRole('dialog'), 'Revoke').click()
    await page.getByText('Revoked.').first().waitFor()
    expect((await fetch(made.url)).status).toBe(410)
    expect(faults).toEqual([])
    await context.close()
  })
})
