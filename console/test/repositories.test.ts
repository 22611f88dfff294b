// Repositories in the browser: added, browsed by file, line, author and commit, searched, and skills taken from one.
import { join } from 'node:path'
import { beforeAll, expect, inject, it } from 'vitest'
import { commit, git, newRepository, write } from '../../test/helpers/repositories.ts'
import { faultsOf, inBrowser, type Person, person, picture, settled, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button, pick } from './helpers/story.ts'

const name = 'checkout'
const another = 'handbook'

function makeRepository(): void {
  const folder = newRepository(join(inject('code'), name))
  write(folder, {
    'README.md': '# Checkout\n\nTODO: explain.\n',
    'src/pool.ts':
      "// How many wait.\nexport const size = 10\n\nexport function wait(): string {\n  return 'long'\n}\n",
    'skills/triage/SKILL.md': '---\nname: triage\ndescription: Sorts issues. Use when many come.\n---\n\nSort.\n',
  })
  commit(folder, 'Begin')
  write(folder, {
    'src/pool.ts':
      "// How many wait.\nexport const size = 20\n\nexport function wait(): string {\n  return 'long'\n}\n",
  })
  commit(folder, 'Double the pool')
  write(folder, {
    'src/long.ts': Array.from({ length: 4_500 }, (_, at) => `export const value${at} = 'text ${at}' // ${at}\n`).join(
      '',
    ),
    'src/longer.ts': Array.from({ length: 9_000 }, (_, at) => `export const value${at} = 'text ${at}' // ${at}\n`).join(
      '',
    ),
    'src/wide.js': `const wide = '${'x'.repeat(20_000)}'\n`,
    Dockerfile: 'FROM node:24\nRUN npm ci\n',
    'notes.unknown': 'const is no keyword here\n',
  })
  commit(folder, 'Grow')
  git(folder, ['checkout', '--quiet', '-b', 'faster'])
  git(folder, ['mv', 'src/pool.ts', 'src/pools.ts'])
  write(folder, {
    'src/pools.ts':
      "// How many wait.\nexport const size = 40\n\nexport function wait(): string {\n  return 'long'\n}\n",
    'logo.png': new Uint8Array([0, 1, 2, 255]),
    'rows.csv': Array.from({ length: 1_500 }, (_, index) => `${index},row\n`).join(''),
  })
  commit(folder, 'Rename the pool')
  git(folder, ['checkout', '--quiet', 'main'])
  const other = newRepository(join(inject('code'), another))
  write(other, { 'docs/plan.md': '# Plan\nTodo: write it.\n' })
  commit(other, 'Begin')
}

async function added({ client, workspaceId }: Person, url = name): Promise<string> {
  const { id } = await client.call('repositories.post', { workspaceId, url, provider: 'local' })
  await expect
    .poll(async () => (await client.call('repositories.get', { workspaceId, id })).status, { timeout: 30_000 })
    .toBe('ready')
  return id
}

inBrowser('repositories', () => {
  useBrowser()
  beforeAll(makeRepository)

  it('are browsed by file, line, author and commit, and searched', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await added(someone)
    const root = `/w/${workspaceId}/repositories`
    await page.goto(root)
    await page.getByText('ready').first().waitFor()
    faults.push(...(await look(page, 'repositories-list')))

    await page.goto(`${root}/${id}`)
    await page.getByRole('tab', { name: 'Code' }).click()
    await page.getByRole('table', { name: 'Files' }).getByText('src').click()
    await page.getByRole('table', { name: 'Files' }).getByText('pool.ts').click()
    await page.getByText('export const size = 20').waitFor()
    faults.push(...(await look(page, 'repositories-file')))

    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('Double the pool').first().waitFor()
    faults.push(...(await look(page, 'repositories-history')))

    await page.getByRole('tab', { name: 'Find' }).click()
    await page.getByRole('textbox').first().fill('TODO')
    await page.keyboard.press('Enter')
    await page.getByText('TODO: explain.').waitFor()
    faults.push(...(await look(page, 'repositories-find')))

    await page.goto(`/w/${workspaceId}/skills`)
    await button(page, 'Import from a repository').click()
    const field = page.getByRole('combobox', { name: 'Repository' })
    await field.click()
    await page.getByRole('option').first().click()
    await page.getByLabel('Folder').fill('nowhere')
    await button(page.getByRole('dialog'), 'Import').click()
    await page.getByRole('dialog').getByText('There is no such path').waitFor()
    await settled(page)
    await picture(page, 'skills-import-repository')
    faults.push(...(await faultsOf(page)))
    await page.getByLabel('Folder').fill('skills')
    await button(page.getByRole('dialog'), 'Import').click()
    await page.getByRole('status').getByText(': created').waitFor()
    expect(faults.filter(fault => !/404/.test(fault))).toEqual([])
    await context.close()
  })
  it('show code in colours, by line, with authors and a link that stays', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    const id = await added(someone)
    const open = (path: string, more = '') =>
      page.goto(`/w/${workspaceId}/repositories/${id}?tab=code&path=${encodeURIComponent(path)}${more}`)
    const lines = page.getByRole('table', { name: 'Lines of the file' })
    await open('src/pool.ts', '&lines=2-3')
    await lines.locator('.hljs-keyword').first().waitFor()
    expect(await lines.locator('tr').allTextContents()).toEqual([
      '1// How many wait.',
      '2export const size = 20',
      '3',
      '4export function wait(): string {',
      "5  return 'long'",
      '6}',
    ])
    expect(await lines.locator('tr').nth(1).locator('.hljs-keyword').allTextContents()).toEqual(['export', 'const'])
    expect(await lines.locator('.hljs-comment').textContent()).toBe('// How many wait.')
    expect(await lines.locator('tr[data-marked]').count()).toBe(2)
    await page.getByRole('button', { name: 'Line 5' }).click()
    await expect.poll(() => lines.locator('tr[data-marked]').allTextContents()).toEqual(["5  return 'long'"])
    await button(page, 'Blame').click()
    await lines.getByText('Ada').first().waitFor()
    faults.push(...(await look(page, 'repositories-blame')))
    await button(page, 'Permalink').click()
    const { headSha } = await client.call('repositories.get', { workspaceId, id })
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toContain(`ref=${headSha}`)
    await page.goto(link)
    await lines.locator('tr[data-marked] .hljs-string').waitFor()
    await open('Dockerfile')
    await lines.locator('.hljs-keyword').first().waitFor()
    await open('notes.unknown')
    await lines.getByText('const is no keyword here').waitFor()
    await settled(page)
    expect(await lines.locator('[class^="hljs"]').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  it('show long files soon, and colour only as much as can be coloured soon', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await added(someone)
    const open = async (path: string) => {
      await page.goto(`/w/${workspaceId}/repositories/${id}?tab=code&path=${encodeURIComponent(path)}`)
      await lines.locator('tr').first().waitFor()
      return performance.now()
    }
    const lines = page.getByRole('table', { name: 'Lines of the file' })
    const shownAt = await open('src/long.ts')
    await lines.locator('tr').nth(4_499).locator('.hljs-keyword').first().waitFor()
    process.stdout.write(
      `4,500 lines are coloured ${Math.round(performance.now() - shownAt)} ms after they are shown\n`,
    )
    expect(await lines.locator('tr').count()).toBe(4_500)
    await open('src/longer.ts')
    await page.getByText('The first 5,000 lines are shown.').waitFor()
    expect(await lines.locator('tr').count()).toBe(5_000)
    await open('src/wide.js')
    await settled(page)
    expect(await lines.locator('[class^="hljs"]').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  it('are compared by branch, tag or commit, in two layouts, with an address for each', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await added(someone)
    await page.goto(`/w/${workspaceId}/repositories/${id}?tab=compare`)
    await page.getByText('Nothing to compare yet').waitFor()
    faults.push(...(await look(page, 'repositories-compare-none')))
    await pick(page, 'To', 'faster')
    const lines = page.getByRole('table', { name: 'Changes of src/pools.ts' })
    await lines.getByText('export const size = 40').waitFor()
    await page.getByRole('heading', { name: 'src/pool.ts → src/pools.ts' }).waitFor()
    await page.getByRole('article', { name: 'logo.png' }).getByText('Not a text').waitFor()
    await page.getByRole('article', { name: 'rows.csv' }).getByRole('button', { name: 'Show 1,500 lines' }).waitFor()
    faults.push(...(await look(page, 'repositories-compare')))
    await page.getByText('Split', { exact: true }).click()
    await page.locator('table[data-split]').first().waitFor()
    faults.push(...(await look(page, 'repositories-compare-split')))
    // As it was left, from the address alone.
    await page.reload()
    await page.locator('table[data-split]').first().waitFor()
    expect(page.url()).toContain('head=faster')
    await page.getByRole('button', { name: 'Open src/pools.ts' }).click()
    await page.getByText('export const size = 40').waitFor()

    await page.goto(`/w/${workspaceId}/repositories/${id}?tab=compare&head=main`)
    await page.getByText('Both are the same.').waitFor()
    await page.goto(`/w/${workspaceId}/repositories/${id}?tab=compare&head=nowhere`)
    await page.getByRole('alert').getByText('Not found').waitFor()
    faults.push(...(await look(page, 'repositories-compare-failed')))
    expect(faults.filter(fault => !/404/.test(fault))).toEqual([])
    await context.close()
  })

  it('are searched all at once, by an address that leads to file and line', async () => {
    const someone = await person()
    const { page, context, workspaceId, client, faults } = someone
    await page.goto(`/w/${workspaceId}/repositories`)
    await page.locator('label', { hasText: 'Search the code' }).click()
    await page.getByText('Search the code of all repositories').waitFor()
    faults.push(...(await look(page, 'repositories-search-none')))
    const field = page.getByRole('textbox', { name: 'Text in the code' })
    await field.fill('waiting')
    await page.keyboard.press('Enter')
    await page.getByText('There is no code to search yet').waitFor()
    const first = await added(someone)
    const other = await added(someone, another)
    expect(page.url()).toContain('text=waiting')
    await page.reload()
    await page.getByText('No line has this text').waitFor()
    await page.getByText('2 repositories were looked through.').waitFor()
    await field.fill('todo')
    await page.getByLabel('In any case').check()
    await button(page, 'Find').click()
    await page.getByText('2 lines in 2 repositories').waitFor()
    expect((await page.locator('mark').allTextContents()).sort()).toEqual(['TODO', 'Todo'])
    faults.push(...(await look(page, 'repositories-search')))
    await page.getByRole('region', { name: another }).getByRole('link', { name: 'docs/plan.md, line 2' }).click()
    await page.getByRole('table', { name: 'Lines of the file' }).locator('tr[data-marked]').getByText('Todo').waitFor()
    const { headSha } = await client.call('repositories.get', { workspaceId, id: other })
    expect(page.url()).toMatch(new RegExp(`/${other}\\?.*ref=${headSha}`))
    expect(first).not.toBe(other)

    await page.route('**/search?**', route => route.abort())
    await page.goto(`/w/${workspaceId}/repositories?layout=search&text=TODO`)
    await page.getByRole('alert').getByText('No connection').waitFor()
    await page.unroute('**/search?**')
    await button(page, 'Try again').click()
    await page.getByText('1 line in 1 repository').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
