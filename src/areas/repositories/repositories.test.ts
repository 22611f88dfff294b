// Repositories: adding, changing, syncing and deleting them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import {
  commit,
  mirrored,
  newRepository,
  repositoriesIn,
  said,
  settled,
  write,
} from '../../../test/helpers/repositories.ts'
import { sql } from '../../kit/sql.ts'
import { due } from './syncing/store.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
let count = 0

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const name = () => `own-${process.pid}-${count++}`

/** A repository below the directories that the operator allows. */
function folder(files: Record<string, string> = { 'a.txt': 'one\n' }): { url: string; path: string } {
  const url = name()
  const path = newRepository(join(repositoriesIn(), url))
  write(path, files)
  commit(path, 'Begin')
  return { url, path }
}

const post = (fields: object, caller = owner) => p.call('repositories.post', { workspaceId, ...fields }, caller)
const get = async (id: string) => (await p.call('repositories.get', { workspaceId, id }, owner)).result
const sync = (id: string) => p.platform.jobs.runNow('repositories.sync', { workspaceId, id })

const synced = (url: string) => mirrored(p, owner, url)
const settledOne = (id: string) => settled(p, owner, id)

const events = () =>
  p.database.query<{ action: string; targetId: string }>(sql`
    select action, target_id from ledger where chain = ${workspaceId} and action like 'repositories.%' order by seq`)

describe('repositories.post', () => {
  it('makes a mirror and reads what it is from git', async () => {
    const { url, path } = folder({ 'src/a.ts': 'let a = 1\n', 'b.py': 'b = 2\n', CODEOWNERS: '* @x/y\n' })
    const id = await synced(url)
    const found = await get(id)
    expect(found).toMatchObject({
      status: 'ready',
      error: null,
      provider: 'local',
      url,
      name: url,
      defaultBranch: 'main',
      headSha: said(path, 'rev-parse', 'HEAD'),
      codeowners: true,
      languages: [
        { name: 'TypeScript', bytes: 10 },
        { name: 'Python', bytes: 6 },
      ],
      secretsSet: [],
    })
    expect(found.sizeBytes).toBeGreaterThan(0)
    expect((await events()).filter(({ targetId }) => targetId === id).map(({ action }) => action)).toEqual([
      'repositories.post',
      'repositories.synced',
    ])
  })

  it('answers 409 to an address that the workspace has already, also spelled otherwise', async () => {
    const url = `https://CODE.invalid/${name()}.git`
    expect((await post({ url, enabled: false })).status).toBe(201)
    const again = await post({ url: url.replace('CODE', 'code').replace('.invalid', '.invalid:443'), enabled: false })
    expect(again.status).toBe(409)
  })

  it('answers 409 once the workspace has 200, however many are added at the same time', async () => {
    const other = await p.user()
    const add = () => {
      const fields = { workspaceId: other.workspaceId, url: `https://code.invalid/${name()}`, enabled: false }
      return p.call('repositories.post', fields, other)
    }
    await p.database.query(sql`
      insert into repositories (id, workspace_id, owner_id, name, provider, url, enabled, state, created, updated)
      select 'repo_' || ${other.workspaceId} || n, ${other.workspaceId}, ${other.id}, 'Code', 'git',
        'https://code.invalid/many/' || n, false, 'pending', now(), now() from generate_series(1, 195) n`)
    const answers = await Promise.all(Array.from({ length: 20 }, () => add()))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(409)])
    expect((await add()).error.detail).toBe('A workspace has at most 200 repositories; delete one that is not needed.')
  })

  it('keeps credentials sealed and shows their names only', async () => {
    const token = `ghp_${'x'.repeat(36)}`
    const { result, text } = await post({
      url: `https://code.invalid/${name()}`,
      enabled: false,
      credentials: { token },
    })
    expect(result.secretsSet).toEqual(['token'])
    const [row] = await p.database.query<{ row: string }>(sql`
      select r::text as row from repositories r where id = ${result.id}`)
    const entries = await p.database.query<{ row: string }>(sql`select l::text as row from ledger l`)
    for (const told of [text, row?.row, ...entries.map(one => one.row)]) expect(told).not.toContain(token)
  })

  it.each([
    [{ url: 'https://code.invalid/a', credentials: { privateKey: '-----BEGIN PRIVATE KEY-----\nAA==' } }, 'ssh only'],
    [{ url: 'ssh://git@code.invalid/a', credentials: { token: 'abc' } }, 'https only'],
    [{ url: 'https://code.invalid/a', credentials: { username: 'ada' } }, 'credentials.token'],
    [{ url: 'https://code.invalid/a', syncIntervalMinutes: 4 }, 'syncIntervalMinutes'],
  ])('refuses %j', async (fields, part) => {
    const { status, error } = await post({ enabled: false, ...fields })
    expect(status).toBe(400)
    expect(error.detail).toContain(part)
  })
})

describe('repositories.patch', () => {
  it('drops the credentials and the host key with the address, unless new ones come along', async () => {
    const [first, second] = [`https://code.invalid/${name()}`, `https://code.invalid/${name()}`]
    const { result } = await post({ url: first, enabled: false, credentials: { username: 'ada', token: 'abc' } })
    expect(result.secretsSet).toEqual(['token', 'username'])
    const patch = (fields: object) => p.call('repositories.patch', { workspaceId, id: result.id, ...fields }, owner)
    expect((await patch({ name: 'Other' })).result).toMatchObject({ name: 'Other', secretsSet: ['token', 'username'] })
    expect((await patch({ url: second })).result).toMatchObject({ url: second, secretsSet: [] })
    expect((await patch({ url: first, credentials: { token: 'def' } })).result.secretsSet).toEqual(['token'])
    expect((await patch({ credentials: {} })).result.secretsSet).toEqual([])
    expect((await patch({ credentials: { privateKey: '-----BEGIN PRIVATE KEY-----\nAA==' } })).status).toBe(400)
  })

  it('forgets what was read from the old address', async () => {
    const [one, other] = [folder({ 'a.txt': 'one\n' }), folder({ 'b.txt': 'two\n' })]
    const id = await synced(one.url)
    const sha = said(one.path, 'rev-parse', 'HEAD')
    const read = (ref: string) => p.call('repositories.contents', { workspaceId, id, path: 'a.txt', ref }, owner)
    expect((await read(sha)).status).toBe(200)
    const moved = await p.call('repositories.patch', { workspaceId, id, url: other.url }, owner)
    expect(moved.result).toMatchObject({ url: other.url, headSha: null })
    await settledOne(id)
    expect((await p.call('repositories.contents', { workspaceId, id, path: 'b.txt' }, owner)).result.text).toBe('two\n')
    expect((await p.call('repositories.contents', { workspaceId, id, path: 'a.txt' }, owner)).status).toBe(404)
    for (const ref of [sha, sha.slice(0, 12)]) expect((await read(ref)).status).toBe(404)
    expect((await p.call('repositories.diff', { workspaceId, id, base: sha }, owner)).status).toBe(404)
  })

  it('forgets it also where the new address has no commits', async () => {
    const [one, empty] = [folder(), name()]
    newRepository(join(repositoriesIn(), empty))
    const id = await synced(one.url)
    await p.call('repositories.patch', { workspaceId, id, url: empty }, owner)
    expect(await settledOne(id)).toMatchObject({ status: 'ready', headSha: null })
    const ref = said(one.path, 'rev-parse', 'HEAD')
    expect((await p.call('repositories.commits', { workspaceId, id, ref }, owner)).status).toBe(404)
  })

  it('disables, and then nothing is read or synced', async () => {
    const id = await synced(folder().url)
    await p.call('repositories.patch', { workspaceId, id, enabled: false }, owner)
    expect((await get(id)).status).toBe('disabled')
    expect((await p.call('repositories.contents', { workspaceId, id, path: 'a.txt' }, owner)).status).toBe(409)
    expect((await p.call('repositories.sync', { workspaceId, id }, owner)).status).toBe(409)
  })
})

describe('repositories.sync', () => {
  it('follows the remote: commits, branches, tags, what was forced and what was removed', async () => {
    const { url, path } = folder()
    said(path, 'branch', 'gone')
    said(path, 'tag', '-a', 'v1', '-m', 'One')
    const id = await synced(url)
    const refs = async () => (await p.call('repositories.refs', { workspaceId, id }, owner)).result.refs
    const first = said(path, 'rev-parse', 'HEAD')
    expect(await refs()).toEqual([
      { name: 'gone', type: 'branch', commitSha: first },
      { name: 'main', type: 'branch', commitSha: first },
      { name: 'v1', type: 'tag', commitSha: first },
    ])
    said(path, 'branch', '-D', 'gone')
    write(path, { 'a.txt': 'two\n' })
    said(path, 'add', '.')
    said(path, 'commit', '--amend', '-m', 'Anew')
    await sync(id)
    const second = said(path, 'rev-parse', 'HEAD')
    expect(await refs()).toEqual([
      { name: 'main', type: 'branch', commitSha: second },
      { name: 'v1', type: 'tag', commitSha: first },
    ])
    expect((await get(id)).headSha).toBe(second)
  })

  it('answers 202, and 409 while one is under way', async () => {
    const id = await synced(folder().url)
    expect((await p.call('repositories.sync', { workspaceId, id }, owner)).status).toBe(202)
    await settledOne(id)
    await p.database.query(sql`
      update repositories set lease = 'other', leased_until = now() + interval '1 minute' where id = ${id}`)
    expect((await get(id)).status).toBe('syncing')
    const refused = await p.call('repositories.sync', { workspaceId, id }, owner)
    expect([refused.status, refused.error.metadata]).toEqual([409, { state: 'syncing' }])
    // A process that died keeps nobody waiting for long.
    await p.database.query(sql`update repositories set leased_until = now() - interval '1 second' where id = ${id}`)
    expect((await get(id)).status).toBe('ready')
  })

  it('writes nothing to the ledger where it finds nothing, and a failure once', async () => {
    const { url, path } = folder()
    const id = await synced(url)
    const mine = async () => (await events()).filter(({ targetId }) => targetId === id).map(({ action }) => action)
    await sync(id)
    await sync(id)
    expect(await mine()).toEqual(['repositories.post', 'repositories.synced'])
    const { rename } = await import('node:fs/promises')
    await rename(path, `${path}.away`)
    await sync(id)
    await sync(id)
    expect(await get(id)).toMatchObject({ status: 'error', error: { code: 'address' } })
    expect(await mine()).toEqual(['repositories.post', 'repositories.synced', 'repositories.failed'])
    // What was read before can still be read.
    expect((await p.call('repositories.contents', { workspaceId, id, path: 'a.txt' }, owner)).status).toBe(200)
    await rename(`${path}.away`, path)
    await sync(id)
    expect(await get(id)).toMatchObject({ status: 'ready', error: null })
  })

  it('is done by the schedule when its time has come', async () => {
    const { url, path } = folder()
    const { result } = await post({ url, provider: 'local', syncIntervalMinutes: 5 })
    await settledOne(result.id)
    write(path, { 'a.txt': 'two\n' })
    const second = commit(path, 'Go on')
    await p.platform.jobs.runNow('repositories.due')
    expect((await get(result.id)).headSha).not.toBe(second)
    await p.database.query(sql`
      update repositories set last_try_at = now() - interval '6 minutes' where id = ${result.id}`)
    await p.platform.jobs.runNow('repositories.due')
    await expect.poll(async () => (await get(result.id)).headSha, { timeout: 10_000 }).toBe(second)
  })

  it('is done by the schedule in turn, and not where the workspace is not active', async () => {
    const many = await p.user()
    const one = await p.user()
    const away = await p.user()
    const insert = (caller: TestCaller, amount: number, tried: string) =>
      p.database.query(sql`
        insert into repositories (id, workspace_id, owner_id, name, provider, url, enabled, state,
          sync_interval_minutes, last_try_at, created, updated)
        select 'repo_' || ${caller.workspaceId} || n, ${caller.workspaceId}, ${caller.id}, 'Code', 'git',
          'https://code.invalid/due/' || n, true, 'ready', 5, ${tried}::timestamptz, now(), now()
        from generate_series(1, ${amount}::int) n`)
    await insert(many, 30, '2020-01-01')
    await insert(one, 1, '2021-01-01')
    await insert(away, 1, '2019-01-01')
    await p.database.query(sql`update workspaces set status = 'suspended' where id = ${away.workspaceId}`)
    const found = (await p.database.query(due(p.now(), 20))).map(row => row.workspaceId)
    const ours = [many, one, away].map(({ workspaceId }) => found.filter(id => id === workspaceId).length)
    await p.database.query(sql`delete from repositories where url like 'https://code.invalid/due/%'`)
    expect(ours).toEqual([19, 1, 0])
  })

  it('makes a mirror that was lost again, for whoever reads', async () => {
    const { rm } = await import('node:fs/promises')
    const id = await synced(folder().url)
    await rm(join(p.config.DATA_DIR, 'repositories', id), { recursive: true })
    const { status, result } = await p.call('repositories.contents', { workspaceId, id, path: 'a.txt' }, owner)
    expect([status, result?.text]).toEqual([200, 'one\n'])
  })

  it('reads an empty repository as one without commits', async () => {
    const url = name()
    newRepository(join(repositoriesIn(), url))
    const id = await synced(url)
    expect(await get(id)).toMatchObject({ status: 'ready', headSha: null, defaultBranch: null, languages: [] })
    expect((await p.call('repositories.tree', { workspaceId, id }, owner)).status).toBe(404)
    expect((await p.call('repositories.refs', { workspaceId, id }, owner)).result).toEqual({
      sha: null,
      defaultBranch: null,
      refs: [],
      next: null,
    })
  })
})

describe('repositories.del', () => {
  it('removes the mirror', async () => {
    const id = await synced(folder().url)
    const mirror = join(p.config.DATA_DIR, 'repositories', id)
    expect(existsSync(mirror)).toBe(true)
    expect((await p.call('repositories.del', { workspaceId, id }, owner)).status).toBe(200)
    await expect.poll(() => existsSync(mirror), { timeout: 10_000 }).toBe(false)
  })
})
