// Memories that tell of a path in a repository: stale once it has changed there, until somebody says that they hold.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import {
  anotherName,
  commit,
  git,
  mirrored,
  newRepository,
  repositoriesIn,
  settled,
  write,
} from '../helpers/repositories.ts'

let p: TestPlatform
let owner: TestCaller
let folder: string
let repositoryId: string

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  folder = newRepository(join(repositoriesIn(), `memories-${process.pid}`))
  write(folder, { 'src/pool.ts': 'export const size = 20\n', 'src/other.ts': 'export {}\n', 'README.md': '# Pool\n' })
  commit(folder, 'Begin')
  repositoryId = await mirrored(p, owner, folder.slice(repositoriesIn().length + 1))
})
afterAll(() => p.close())

let count = 0
const posted = async (path?: string, id = repositoryId) => {
  const about = [{ object: 'repository', id, ...(path && { path }) }]
  const text = { title: `The pool ${count++}`, markdown: 'It holds 20.', about }
  const { result, status } = await p.call('memories.post', { workspaceId: owner.workspaceId, ...text }, owner)
  expect([status, result.about, result.stale]).toEqual([201, about, false])
  return result.id as string
}
const made = async (path?: string) => {
  const id = await posted(path)
  await compared()
  return id
}
const compared = (id = repositoryId) =>
  p.platform.jobs.runNow('memories.compare', { workspaceId: owner.workspaceId, repositoryId: id, cause: 'test' })
const get = async (id: string) => (await p.call('memories.get', { workspaceId: owner.workspaceId, id }, owner)).result
const isStale = async (id: string) => (await get(id)).stale

it('are stale when the file or folder changed, and not when something else did', async () => {
  const [file, inFolder, other, whole] = [
    await made('src/pool.ts'),
    await made('src'),
    await made('README.md'),
    await made(),
  ]
  write(folder, { 'src/pool.ts': 'export const size = 40\n' })
  commit(folder, 'Double it')
  await settled(p, owner, repositoryId)
  // By itself: the sync is in the ledger, and whoever follows that asks for a look.
  await expect.poll(() => isStale(file), { timeout: 20_000 }).toBe(true)
  expect(await Promise.all([inFolder, other, whole].map(isStale))).toEqual([true, false, false])

  const { result: list } = await p.call('memories.list', { workspaceId: owner.workspaceId, stale: 'true' }, owner)
  expect(list.items.map(({ id }: { id: string }) => id).sort()).toEqual([file, inFolder].sort())
  const { result: found } = await p.call('memories.search', { workspaceId: owner.workspaceId, q: 'pool' }, owner)
  const stale = found.items.filter(({ memory }: { memory: { stale: boolean } }) => memory.stale)
  expect(stale.length).toBe(2)

  git(folder, ['revert', '--no-edit', 'HEAD'])
  await settled(p, owner, repositoryId)
  await compared()
  expect(await Promise.all([file, inFolder].map(isStale))).toEqual([false, false])
})

it('hold again when their text or what they tell of is written anew', async () => {
  const [worded, named, gone] = [await made('src/other.ts'), await made('src/other.ts'), await made('src/other.ts')]
  git(folder, ['rm', '-q', 'src/other.ts'])
  commit(folder, 'Remove it')
  await settled(p, owner, repositoryId)
  await compared()
  expect(await Promise.all([worded, named, gone].map(isStale))).toEqual([true, true, true])
  const { workspaceId } = owner
  await p.call('memories.patch', { workspaceId, id: worded, markdown: 'It is gone.' }, owner)
  await p.call('memories.patch', { workspaceId, id: named, about: (await get(named)).about }, owner)
  await p.call('memories.patch', { workspaceId, id: gone, pinned: true }, owner)
  await compared()
  expect(await Promise.all([worded, named, gone].map(isStale))).toEqual([false, false, true])
})

const contents = async (...ids: string[]) => {
  const rows = await p.database.query<{ memoryId: string; content: string | null }>(sql`
    select memory_id, content from memory_abouts where memory_id = any(${ids}::text[])`)
  return ids.map(id => rows.find(({ memoryId }) => memoryId === id)?.content)
}

it('are looked at one by one when they are written, and no other with them', async () => {
  const other = await mirrored(p, owner, anotherName())
  const [first, second] = [await posted('README.md', other), await posted('README.md', other)]
  // One look for the sync, and one for each of them.
  const looks = () =>
    p.database.query(sql`
      select from jobs.job where name = 'memories.compare' and state = 'completed' and data->>'repositoryId' = ${other}`)
  await expect.poll(looks, { timeout: 20_000 }).toHaveLength(3)
  // Whoever looked at this one as well would find that it changed, or keep what stands there now.
  await p.database.query(sql`update memory_abouts set content = null where memory_id = ${first}`)
  await p.database.query(sql`update memory_abouts set content = 'other' where memory_id = ${second}`)
  const id = await posted('README.md', other)
  await expect.poll(() => contents(id), { timeout: 10_000 }).toEqual([expect.stringMatching(/^100644 /)])
  expect(await contents(first, second)).toEqual([null, 'other'])
  expect(await isStale(second)).toBe(false)
  await compared(other)
  expect(await contents(first)).toEqual(await contents(id))
  expect([await isStale(first), await isStale(second)]).toEqual([false, true])
})

it('are all compared, however many paths they tell of', async () => {
  const id = await posted('README.md')
  await p.database.query(sql`
    insert into memory_abouts (memory_id, workspace_id, object, record_id, path, position)
    select ${id}, ${owner.workspaceId}, 'repository', ${repositoryId}, 'gone/' || n, n from generate_series(1, 1201) n`)
  await compared()
  const [row] = await p.database.query<{ n: number }>(sql`
    select count(*)::int as n from memory_abouts where memory_id = ${id} and content = '' and not is_stale`)
  expect(row?.n).toBe(1201)
})

it.each(['x', '字', '😀'])('name paths of at most 512 characters: %s', async letter => {
  const { workspaceId } = owner
  const lettersOf = (length: number) =>
    Array.from({ length }, (_, at) => String.fromCodePoint(first + ((at * 7919) % 997))).join('')
  const first = letter.codePointAt(0) as number
  const status = async (length: number) => {
    const about = [{ object: 'repository', id: repositoryId, path: lettersOf(length) }]
    const text = { title: `Long ${letter} ${length}`, markdown: 'y', about }
    return (await p.call('memories.post', { workspaceId, ...text }, owner)).status
  }
  expect([await status(512), await status(513)]).toEqual([201, 400])
})

it('name paths of repositories alone', async () => {
  const { workspaceId } = owner
  const { result: issue } = await p.call('issues.post', { workspaceId, title: 'Slow' }, owner)
  const about = [{ object: 'issue', id: issue.id, path: 'src' }]
  const refused = await p.call('memories.post', { workspaceId, title: 'x', markdown: 'y', about }, owner)
  expect([refused.status, refused.error.metadata.issues[0].path]).toEqual([400, 'about.0.path'])
  const strange = await p.call(
    'memories.post',
    {
      workspaceId,
      title: 'x',
      markdown: 'y',
      about: [{ object: 'repository', id: repositoryId, path: '../../etc/passwd' }],
    },
    owner,
  )
  expect(strange.status).toBe(201)
  await compared()
  expect(await isStale(strange.result.id)).toBe(false)
})
