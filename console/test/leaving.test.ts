// Export and import in the browser: a workspace becomes a file, the file is looked at, and becomes a workspace.
import { copyFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inBrowser, person, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button } from './helpers/story.ts'

inBrowser('leaving', () => {
  useBrowser()

  it('exports a workspace, says what an import would do, and imports it', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    await client.call('issues.post', { workspaceId, title: 'Checkout answers 502', severity: 'high' })
    await page.goto(`/w/${workspaceId}/settings`)
    await button(page, 'Export this workspace').click()
    const ready = page.getByRole('link', { name: /^Download / })
    await ready.waitFor({ timeout: 60_000 })
    const [file] = await Promise.all([page.waitForEvent('download'), ready.click()])
    expect(file.suggestedFilename()).toMatch(/\.atrium\.zip$/)
    const archive = `${await file.path()}.zip`
    copyFileSync(await file.path(), archive)

    const chooser = async (path: string) => {
      const [opened] = await Promise.all([page.waitForEvent('filechooser'), button(page, 'Choose an export').click()])
      await opened.setFiles(path)
    }
    const torn = `${archive}.torn.zip`
    writeFileSync(torn, 'no archive')
    await chooser(torn)
    await page
      .getByRole('alert')
      .filter({ hasText: /zip|archive|export/i })
      .waitFor()
    const before = (await client.call('workspaces.list', {})).items.length

    await chooser(archive)
    await page.getByText(/would be imported$/).waitFor({ timeout: 60_000 })
    faults.push(...(await look(page, 'leaving-dry-run')))
    expect((await client.call('workspaces.list', {})).items).toHaveLength(before)
    await page.getByRole('button', { name: /^Import / }).click()
    const open = page.getByRole('link', { name: /^Open / })
    await open.waitFor({ timeout: 60_000 })
    faults.push(...(await look(page, 'leaving-imported')))
    await open.click()
    await page.waitForURL(/\/w\/ws_/)
    const imported = /\/w\/(ws_\w+)/.exec(page.url())?.[1] ?? ''
    expect(imported).not.toBe(workspaceId)
    const { items } = await client.call('issues.list', { workspaceId: imported })
    expect(items.map(({ title }) => title)).toEqual(['Checkout answers 502'])
    expect(faults).toEqual([])
    await context.close()
  })
})
