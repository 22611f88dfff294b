// Autofixes in the browser: found, read in two layouts, talked about by line, approved, rejected, applied, in conflict.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { commit, git, newRepository, said, write } from '../../test/helpers/repositories.ts'
import { mirrored } from './helpers/autofix.ts'
import { faultsOf, inBrowser, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button, pick } from './helpers/story.ts'

const name = 'payments'
const folder = join(inject('code'), name)
const numbered = (changed: Record<number, string> = {}) =>
  Array.from({ length: 40 }, (_, at) => `export const value${at + 1} = ${changed[at + 1] ?? at + 1}\n`).join('')

/** What `git diff` says of a change, which is taken back. */
function patchOf(files: Readonly<Record<string, string>>): string {
  write(folder, files)
  git(folder, ['add', '--all', '.'])
  const patch = git(folder, ['diff', '--cached']).toString('utf8')
  git(folder, ['reset', '--quiet', '--hard'])
  return patch
}

/** Files out of sight are not drawn; pictures and axe shall see them. */
async function draw(page: Page): Promise<void> {
  await page.addStyleTag({ content: '.atrium-changed-file { content-visibility: visible !important }' })
}

inBrowser('autofixes', () => {
  useBrowser()
  beforeAll(() => {
    newRepository(folder)
    write(folder, { 'src/values.ts': numbered(), 'package-lock.json': '{}\n' })
    commit(folder, 'Begin')
  })

  it('are listed, read in two layouts, talked about by line, approved and applied', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const repositoryId = await mirrored(someone, name)
    const thread = await client.call('threads.post', { workspaceId, name: 'Why payments fail' })
    const { id } = await client.call('autofixes.post', {
      ...{ workspaceId, repositoryId, threadId: thread.id, status: 'draft' },
      title: 'Count from five hundred',
      description: 'The host expects **more**.',
      patch: patchOf({
        'src/values.ts': numbered({ 5: '500', 30: '3000' }),
        'src/more.ts': 'export const more = true\n',
        'package-lock.json': '{ "lockfileVersion": 3 }\n',
      }),
    })
    await page.goto(`/w/${workspaceId}/autofixes`)
    await page.getByRole('table', { name: 'Autofixes' }).getByText('Applies', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Autofixes' }).getByRole('link', { name }).waitFor()
    faults.push(...(await look(page, 'autofixes-list')))
    await page.getByRole('tab', { name: 'Applied' }).click()
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('tab', { name: 'Open' }).click()
    await page.getByRole('link', { name: 'Count from five hundred' }).click()

    await page.getByText('Changes which versions of packages are installed').waitFor()
    await page.getByText('0 of 1').waitFor()
    expect(await button(page, 'Approve').count()).toBe(0)
    await button(page, 'Propose').click()
    await button(page, 'Approve').waitFor()
    const lines = page.getByRole('table', { name: 'Changes of src/values.ts' })
    await lines.getByText('export const value5 = 500').waitFor()
    await draw(page)
    faults.push(...(await look(page, 'autofixes-record')))
    await page.getByText('Split', { exact: true }).click()
    await page.locator('table[data-split]').first().waitFor()
    faults.push(...(await look(page, 'autofixes-record-split')))
    await page.getByText('Unified', { exact: true }).click()

    await lines.getByRole('button', { name: 'Comment on line 5', exact: true }).click()
    await lines.getByRole('textbox', { name: 'Comment' }).fill('Is this *enough*?')
    await button(lines, 'Comment').click()
    await lines.getByRole('article', { name: 'Comment' }).getByText('enough').waitFor()
    const { items } = await client.call('messages.list', { workspaceId, threadId: thread.id })
    expect(items.map(({ text }) => text)).toEqual(['`src/values.ts:5`\n\nIs this *enough*?'])
    await lines.getByRole('button', { name: 'Comment on line 5 as it was' }).click()
    await lines.getByRole('textbox', { name: 'Comment' }).fill('This was enough.')
    await button(lines, 'Comment').click()
    await expect.poll(() => lines.getByRole('article', { name: 'Comment' }).count()).toBe(2)
    faults.push(...(await look(page, 'autofixes-comments')))

    await button(page, 'Approve').click()
    await settled(page)
    faults.push(...(await faultsOf(page)))
    await button(page.getByRole('dialog'), 'Approve').click()
    await page.getByText('1 of 1').waitFor()
    await button(page, 'Apply').click()
    await page.getByRole('dialog').getByText(`autofix/${id}`).waitFor()
    await page.getByRole('dialog').getByText('no other branch is touched').waitFor()
    await settled(page)
    await picture(page, 'autofixes-apply')
    faults.push(...(await faultsOf(page)))
    await button(page.getByRole('dialog'), 'Apply').click()
    await page.getByText('Applied: the commit is made and kept here.').waitFor()
    await page.getByText('No, it is kept here').waitFor()
    await page.getByText(`git am < ${id}.mbox`).waitFor()
    faults.push(...(await look(page, 'autofixes-applied')))
    await page.setViewportSize({ width: 390, height: 844 })
    await settled(page)
    await picture(page, 'autofixes-applied-390')
    await page.setViewportSize({ width: 1280, height: 900 })
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download mbox' }).click()
    expect((await download).suggestedFilename()).toBe(`${id}.mbox`)
    expect((await client.call('autofixes.get', { workspaceId, id })).status).toBe('applied')
    expect(said(folder, 'branch', '--list')).toBe('* main')
    expect(faults).toEqual([])
    await context.close()
  })

  it('approve only the patch that was read', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const repositoryId = await mirrored(someone, name)
    const first = patchOf({ 'src/values.ts': numbered({ 8: '80' }) })
    const { id } = await client.call('autofixes.post', { workspaceId, repositoryId, title: 'Raise it', patch: first })
    await page.goto(`/w/${workspaceId}/autofixes/${id}`)
    await page.getByText('export const value8 = 80').waitFor()
    // No thread, nothing to comment in.
    expect(await page.getByRole('button', { name: /^Comment on line/ }).count()).toBe(0)
    await client.call('autofixes.patch', {
      workspaceId,
      id,
      patch: patchOf({ 'src/values.ts': numbered({ 8: '81' }) }),
    })
    await page.getByText('What you see is the patch before.').waitFor()
    await page.getByText('export const value8 = 80').waitFor()
    await button(page, 'Approve').click()
    const dialog = page.getByRole('dialog')
    await button(dialog, 'Approve').click()
    await dialog.getByText('It is not the one that you read any more.').waitFor()
    await settled(page)
    await picture(page, 'autofixes-changed')
    faults.push(...(await faultsOf(page)))
    await button(dialog, 'Show the new patch').click()
    await page.getByText('export const value8 = 81').waitFor()
    await button(page, 'Approve').click()
    await button(page.getByRole('dialog'), 'Approve').click()
    await page.getByText('1 of 1').waitFor()
    expect((await client.call('autofixes.get', { workspaceId, id })).status).toBe('approved')
    expect(faults).toEqual([])
    await context.close()
  })

  it('show conflicts at their line once the repository went on, and are rejected with a reason', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const repositoryId = await mirrored(someone, name)
    const patch = patchOf({ 'src/values.ts': numbered({ 20: '2000' }) })
    const { id } = await client.call('autofixes.post', { workspaceId, repositoryId, title: 'Raise twenty', patch })
    await page.goto(`/w/${workspaceId}/autofixes/${id}`)
    await button(page, 'Approve').waitFor()
    write(folder, { 'src/values.ts': numbered({ 20: '21' }) })
    const head = commit(folder, 'Go on')
    await client.call('repositories.sync', { workspaceId, id: repositoryId })
    const file = page.getByRole('article', { name: 'src/values.ts' })
    const where = file.getByRole('link', { name: /^src\/values\.ts:\d+$/ })
    // By itself: the sync looks at what is open.
    await where.waitFor({ timeout: 60_000 })
    expect(await button(page, 'Approve').count()).toBe(0)
    await draw(page)
    faults.push(...(await look(page, 'autofixes-conflict')))
    await page.goto(`/w/${workspaceId}/autofixes?checkState=conflict`)
    await page.getByRole('link', { name: 'Raise twenty' }).click()
    await where.click()
    await page.locator('tr[data-marked]').first().waitFor()
    expect(page.url()).toContain(head)
    await page.goBack()
    await button(page, 'Reject').click()
    const dialog = page.getByRole('dialog')
    await pick(page, 'Why', 'It is not safe')
    await dialog.getByLabel('Note').fill('It overflows.')
    await settled(page)
    await picture(page, 'autofixes-reject')
    faults.push(...(await faultsOf(page)))
    await button(dialog, 'Reject').click()
    await page.getByText('Rejected: It is not safe').waitFor()
    await page.getByText('It overflows.').waitFor()
    expect(await button(page, 'Reject').count()).toBe(0)
    expect(await client.call('autofixes.get', { workspaceId, id })).toMatchObject({ closeReason: 'unsafe' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('show the patch as it was given where it applies nowhere', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    await mirrored(someone, name)
    const patch = patchOf({ 'src/values.ts': numbered({ 9: '90' }) }).replace('-export const value9 = 9', '-nothing')
    await page.goto(`/w/${workspaceId}/autofixes/new`)
    await page.getByLabel('Title').fill('Raise nine')
    await pick(page, 'Repository', name)
    await page.getByLabel('Patch').fill(patch)
    await button(page, 'Create').click()
    await page.getByText('This is the patch as it was given.').waitFor()
    await page.getByText('-nothing').waitFor()
    await page.getByRole('link', { name: 'Download the patch' }).waitFor()
    const { items } = await client.call('autofixes.list', { workspaceId })
    expect(items[0]).toMatchObject({ check: { state: 'invalid' } })
    faults.push(...(await look(page, 'autofixes-invalid')))
    expect(faults).toEqual([])
    await context.close()
  })
})
