// Many files and many commits. `REPOSITORY_SIZE=full` makes 50,000 files and 20,000 commits; the suite makes fewer.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { git, mirrored, repositoriesIn, said } from '../helpers/repositories.ts'

const isFull = process.env.REPOSITORY_SIZE === 'full'
const [files, commits] = isFull ? [50_000, 20_000] : [3_000, 1_000]

let p: TestPlatform
let owner: TestCaller
let id: string
const path = join(repositoriesIn(), `large-${process.pid}`)

const changing = 100

/**
 * The files come with the first commit, and each one after it changes one of them. Those that change have a folder of
 * their own: with each of them git would write the list of the large one anew, for many minutes.
 */
function build(): void {
  mkdirSync(path, { recursive: true })
  git(path, ['init', '--quiet', '--bare', '--initial-branch=main', '.'])
  const parts: string[] = []
  const begin = (number: number) =>
    parts.push(`commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + number * 60} +0000\n`)
  const tell = (text: string) => parts.push(`data ${text.length}\n${text}\n`)
  const put = (folder: string, number: number, text: string) => {
    parts.push(`M 100644 inline ${folder}/file_${String(number).padStart(5, '0')}.txt\n`)
    tell(text)
  }
  begin(0)
  tell('Begin')
  for (let number = 0; number < files; number++) put('flat', number, `number ${number}\n`)
  for (let number = 1; number < commits; number++) {
    begin(number)
    tell(`Change ${number}`)
    put('often', number % changing, `number ${number % changing}\nchanged ${number}\n`)
  }
  git(path, ['fast-import', '--quiet'], { input: parts.join('') })
}

beforeAll(async () => {
  build()
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  id = await mirrored(p, owner, path.slice(path.lastIndexOf('/') + 1))
}, 300_000)
afterAll(async () => {
  await p.close()
  rmSync(path, { recursive: true, force: true })
})

const read = async (what: string, input: object = {}) =>
  (await p.call(`repositories.${what}`, { workspaceId: owner.workspaceId, id, ...input }, owner)).result

describe('a large repository', () => {
  it('lists a folder with all its files, part by part, as git does', async () => {
    const found: string[] = []
    for (let after: number | null = 0; after !== null; ) {
      const part: { entries: { path: string; objectSha: string }[]; next: number | null } = await read('tree', {
        path: 'flat',
        limit: 5000,
        after,
      })
      found.push(...part.entries.map(entry => `${entry.objectSha}\t${entry.path}`))
      after = part.next
    }
    const expected = said(path, 'ls-tree', '--format=%(objectname)%x09%(path)', 'main', 'flat/').split('\n')
    expect(found).toEqual(expected)
    expect(found).toHaveLength(files)
  }, 120_000)

  it('has its whole history, and that of one file', async () => {
    const shas: string[] = []
    const most = isFull ? 2_000 : commits
    for (let after: number | null = 0; after !== null && shas.length < most; ) {
      const part: { commits: { sha: string }[]; next: number | null } = await read('commits', { limit: 100, after })
      shas.push(...part.commits.map(({ sha }) => sha))
      after = part.next
    }
    expect(shas).toEqual(said(path, 'rev-list', `-n${most}`, 'main').split('\n'))
    const { commits: last } = await read('commits', { limit: 100, after: commits - 3 })
    expect(last.map(({ sha }: { sha: string }) => sha)).toEqual(
      said(path, 'rev-list', `--skip=${commits - 3}`, 'main').split('\n'),
    )
    const { commits: ofFile } = await read('commits', { path: 'often/file_00007.txt', limit: 100 })
    const expected = said(path, 'rev-list', '-n100', 'main', '--', 'often/file_00007.txt').split('\n')
    expect(ofFile.map(({ sha }: { sha: string }) => sha)).toEqual(expected)
  }, 120_000)

  it('is searched, compared and blamed as git does it', async () => {
    const { hits } = await read('grep', { q: `number ${files - 1}` })
    expect(hits.map((hit: { path: string }) => hit.path)).toEqual([
      `flat/file_${String(files - 1).padStart(5, '0')}.txt`,
    ])
    const first = said(path, 'rev-list', '--max-parents=0', 'main')
    const diff = await read('diff', { base: first })
    expect(diff.files).toHaveLength(said(path, 'diff', '--name-only', first, 'main').split('\n').length)
    const { ranges } = await read('blame', { path: 'often/file_00007.txt' })
    expect(ranges.at(-1).commitSha).toBe(said(path, 'rev-list', '-n1', 'main', '--', 'often/file_00007.txt'))
  }, 120_000)
})
