// Skills from a real repository: imported from a folder at a ref, and following it at each sync.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, settled, write } from '../helpers/repositories.ts'

let p: TestPlatform
let owner: TestCaller
let folder: string
let repositoryId: string

const skill = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: Helps with ${name}. Use when needed.\n---\n\n${body}\n`

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  folder = newRepository(join(repositoriesIn(), `skills-${process.pid}`))
  write(folder, {
    'README.md': '# Ours\n',
    'skills/README.md': 'Not a skill.\n',
    'skills/triage/SKILL.md': skill('triage', 'Look at the newest first.'),
    'skills/triage/references/causes.md': 'The pool.\n',
    'skills/deploy/SKILL.md': skill('deploy', 'Slowly.'),
    'odd/wrong-name/SKILL.md': skill('right-name', 'Hm.'),
    'odd/linked/SKILL.md': skill('linked', 'Hm.'),
    'odd/large/SKILL.md': skill('large', 'Hm.'),
    'odd/large/data.bin': Buffer.alloc(1024 * 1024 + 1),
  })
  symlinkSync('/etc/passwd', join(folder, 'odd/linked/passwd'))
  commit(folder, 'Teach')
  repositoryId = await mirrored(p, owner, folder.slice(repositoriesIn().length + 1))
})
afterAll(() => p.close())

const importing = (place: object, caller: TestCaller = owner) => {
  const bytes = Buffer.from(JSON.stringify(place))
  return p.call('skills.import', { workspaceId: owner.workspaceId, content: { kind: 'json', bytes } }, caller)
}
const get = async (id: string) => (await p.call('skills.get', { workspaceId: owner.workspaceId, id }, owner)).result

async function synced(): Promise<void> {
  await settled(p, owner, repositoryId)
  await p.platform.jobs.runNow('skills.follow', { workspaceId: owner.workspaceId, repositoryId })
}

it('takes the skills below a folder, byte for byte, and leaves the rest', async () => {
  const { status, result } = await importing({ repositoryId, path: 'skills' })
  expect([
    status,
    result.items.map(({ slug, action }: { slug: string; action: string }) => [slug, action]).sort(),
  ]).toEqual([
    200,
    [
      ['deploy', 'created'],
      ['triage', 'created'],
    ],
  ])
  const triage = await get(result.items.find((one: { slug: string }) => one.slug === 'triage').id)
  expect(triage).toMatchObject({
    markdown: skill('triage', 'Look at the newest first.'),
    source: 'imported',
    repositoryId,
    repositoryPath: 'skills/triage',
    repositoryRef: null,
    followError: null,
    files: [{ path: 'references/causes.md', size: 10 }],
  })
  const again = await importing({ repositoryId, path: 'skills/triage/' })
  expect(again.result.items).toMatchObject([{ slug: 'triage', action: 'unchanged' }])
})

it('follows the repository at each sync, says what is wrong, and stops when told', async () => {
  const { result } = await importing({ repositoryId, path: 'skills/triage' })
  const { id } = result.items[0]
  const { version } = await get(id)
  await synced()
  expect((await get(id)).version).toBe(version)

  write(folder, { 'skills/triage/references/causes.md': 'The pool size.\n' })
  commit(folder, 'Say more')
  await settled(p, owner, repositoryId)
  // By itself: the sync is in the ledger, and whoever follows that asks for a look.
  await expect.poll(async () => (await get(id)).version, { timeout: 20_000 }).toBe(version + 1)
  expect(await get(id)).toMatchObject({ version: version + 1, files: [{ size: 15 }], followError: null })
  const { result: versions } = await p.call('skills.versions.list', { workspaceId: owner.workspaceId, id }, owner)
  expect(versions.items[0]).toMatchObject({ version: version + 1, authorId: null })

  write(folder, { 'skills/triage/SKILL.md': '# No front matter\n' })
  commit(folder, 'Break it')
  await synced()
  const broken = await get(id)
  expect([broken.version, typeof broken.followError]).toEqual([version + 1, 'string'])

  git(folder, ['rm', '-rq', 'skills/triage'])
  commit(folder, 'Remove it')
  await synced()
  expect((await get(id)).followError).toBe('There is no SKILL.md in "skills/triage" any more.')

  write(folder, { 'skills/triage/SKILL.md': skill('triage', 'Look at the oldest first.') })
  commit(folder, 'Bring it back')
  await synced()
  expect(await get(id)).toMatchObject({ version: version + 2, files: [], followError: null })

  const stopped = await p.call('skills.patch', { workspaceId: owner.workspaceId, id, repositoryId: null }, owner)
  expect(stopped.result).toMatchObject({ repositoryId: null, repositoryPath: null })
  write(folder, { 'skills/triage/SKILL.md': skill('triage', 'Elsewhere.') })
  commit(folder, 'Go on')
  await synced()
  expect((await get(id)).version).toBe(version + 2)
})

it.each([
  ['a folder without a skill', { path: '.github' }, 404, /no such path/],
  ['a file', { path: 'README.md' }, 400, /no folder/],
  ['a name that is not its folder', { path: 'odd/wrong-name' }, 400, /its folder is "wrong-name"/],
  ['a link', { path: 'odd/linked' }, 400, /is a link/],
  ['a large file', { path: 'odd/large' }, 413, /more than 1048576 bytes/],
  ['a path that leads out', { path: '../..' }, 404, /no such path/],
  ['a ref that is an option', { path: 'skills', ref: '--upload-pack=x' }, 404, /branch, tag or commit/],
  ['an unknown ref', { path: 'skills', ref: 'nowhere' }, 404, /branch, tag or commit/],
  ['a field too many', { paths: 'skills' }, 400, /paths/],
])('refuses %s', async (_, place, status, words) => {
  const before = await p.call('skills.list', { workspaceId: owner.workspaceId }, owner)
  const refused = await importing({ repositoryId, ...place })
  expect([refused.status, refused.error?.detail]).toEqual([status, expect.stringMatching(words)])
  expect((await p.call('skills.list', { workspaceId: owner.workspaceId }, owner)).result.total).toBe(
    before.result.total,
  )
})

it('needs the right to read the repository, of this workspace', async () => {
  const key = await p.key(owner, { scopes: ['skills:write'] })
  expect((await importing({ repositoryId, path: 'skills' }, key)).status).toBe(403)
  const stranger = await p.user()
  const bytes = Buffer.from(JSON.stringify({ repositoryId, path: 'skills' }))
  const { workspaceId } = stranger
  const refused = await p.call('skills.import', { workspaceId, content: { kind: 'json', bytes } }, stranger)
  expect(refused.status).toBe(404)
})
