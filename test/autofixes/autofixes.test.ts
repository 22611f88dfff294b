// Autofixes on real repositories: what git says of a patch, who approves it, and what becomes of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, said, settled, write } from '../helpers/repositories.ts'

let p: TestPlatform
let owner: TestCaller
let admin: TestCaller
let folder: string
let repositoryId: string
let workspaceId: string
const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`)
const clones = mkdtempSync(join(tmpdir(), 'atrium-autofixes-'))

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
  admin = await p.as('admin', workspaceId)
  folder = newRepository(join(repositoriesIn(), `autofixes-${process.pid}`))
  write(folder, { 'a.txt': `${lines.join('\n')}\n`, 'b.txt': 'one\ntwo\n', 'run.sh': 'echo\n' })
  commit(folder, 'Begin')
  repositoryId = await mirrored(p, owner, folder.slice(repositoriesIn().length + 1))
})
afterAll(async () => {
  rmSync(clones, { recursive: true, force: true })
  await p.close()
})

/** What `git diff` says of a change, which is taken back. */
function patchOf(change: () => void): string {
  change()
  git(folder, ['add', '--all', '.'])
  const patch = git(folder, ['diff', '--cached', '--binary']).toString('utf8')
  git(folder, ['reset', '--quiet', '--hard'])
  return patch
}
const replaced = (number: number, text: string) =>
  `${lines.map((line, index) => (index === number - 1 ? text : line)).join('\n')}\n`
let count = 0
const post = (fields: Record<string, unknown>, caller: TestCaller = owner) =>
  p.call('autofixes.post', { workspaceId, repositoryId, title: `Fix number ${count++}`, ...fields }, caller)
const call = (name: string, id: string, fields: object = {}, caller: TestCaller = owner) =>
  p.call(`autofixes.${name}` as 'autofixes.get', { workspaceId, id, ...fields }, caller)
const simple = (number = 5) => patchOf(() => write(folder, { 'a.txt': replaced(number, `changed ${count++}`) }))
async function text(id: string, format: string): Promise<string> {
  const { status, text } = await p.call('autofixes.diff', { workspaceId, id, format }, owner)
  expect(status).toBe(200)
  return text
}
let cloned = 0
const clone = () => {
  const place = join(clones, String(cloned++))
  git(clones, ['clone', '--quiet', folder, place])
  return place
}

describe('the check', () => {
  it('is clean, with what the patch does to files, and warns of what to look at twice', async () => {
    const patch = patchOf(() => {
      write(folder, {
        'a.txt': replaced(5, 'changed'),
        '.github/workflows/ci.yml': 'on: push\n',
        'package-lock.json': '{}\n',
      })
      write(folder, { 'key.txt': `AKIA${'ABCDEFGHIJKLMNOP'}\n` })
      git(folder, ['mv', 'b.txt', 'c.txt'])
      git(folder, ['rm', '--quiet', 'run.sh'])
    })
    const { status, result } = await post({ patch: patch.trimEnd() })
    expect([status, result.status, result.check.state, result.baseRef]).toEqual([201, 'proposed', 'clean', 'main'])
    expect(result.baseSha).toBe(said(folder, 'rev-parse', 'HEAD'))
    const files = result.files.map((file: Record<string, unknown>) => [
      file.path,
      file.change,
      file.additions,
      file.deletions,
    ])
    expect(files).toEqual([
      ['.github/workflows/ci.yml', 'add', 1, 0],
      ['a.txt', 'modify', 1, 1],
      ['c.txt', 'rename', 0, 0],
      ['key.txt', 'add', 1, 0],
      ['package-lock.json', 'add', 1, 0],
      ['run.sh', 'delete', 0, 1],
    ])
    const warned = result.check.warnings.map((one: { kind: string; path: string }) => `${one.kind} ${one.path}`)
    expect(warned).toEqual(['ci_file .github/workflows/ci.yml', 'secret_like key.txt', 'lockfile package-lock.json'])
    expect(await text(result.id, 'patch')).toBe(patch)
    const json = JSON.parse(await text(result.id, 'json'))
    expect(json.files.map((file: { path: string }) => file.path)).toEqual(files.map(([path]: unknown[]) => path))
  })

  it('refuses with its line what is no patch, and what would leave the repository', async () => {
    const header = (name: string) => `--- /dev/null\n+++ ${name}\n@@ -0,0 +1 @@\n+x\n`
    const refused = {
      garbage: ['not a patch', 1],
      'a hunk that is too short': ['--- a/b.txt\n+++ b/b.txt\n@@ -1,3 +1,3 @@\n one\n-two\n', 6],
      'an absolute path': [header('/etc/passwd'), 2],
      'a path that climbs': [header('b/../../etc/passwd'), 2],
      'git itself': [header('b/.git/config'), 2],
      'git in capitals': [header('b/sub/.GIT/hooks/post-update'), 2],
      'git in quotes': [header('"b/\\056git/config"'), 2],
      'git by another name': [header('b/GIT~1/config'), 2],
      'a rename out': ['diff --git a/b.txt b/b.txt\nsimilarity index 100%\nrename from b.txt\nrename to ../b.txt\n', 4],
      'a binary without content': ['diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n', 3],
      'a binary that is too large': [
        'diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral 2000000\nzcmZ\n',
        4,
      ],
    } as Record<string, [string, number]>
    for (const [name, [patch, line]] of Object.entries(refused)) {
      const { status, error } = await post({ patch })
      expect([name, status, error?.metadata?.line]).toEqual([name, 400, line])
    }
    for (const fields of [
      { baseSha: 'f'.repeat(40) },
      { baseRef: 'nowhere' },
      { baseRef: '--upload-pack=x' },
      { repositoryId: 'repo_0123456789abcdefghijklmn' },
    ]) {
      expect([(await post({ patch: simple(), ...fields })).status, fields]).toEqual([400, fields])
    }
    const beyond =
      'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\ndiff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+q\n'
    const { result } = await post({ patch: beyond })
    expect(result.check.state).toBe('invalid')
  })

  it('keeps one that does not apply to its base as invalid, and it cannot be approved', async () => {
    const { status, result } = await post({ patch: '--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n one\n-three\n+four\n' })
    expect([status, result.check.state]).toEqual([201, 'invalid'])
    expect(result.check.conflicts).toEqual([{ path: 'b.txt', line: 1, text: 'The lines that it changes are others.' }])
    expect((await call('approve', result.id)).status).toBe(409)
    expect((await call('apply', result.id, { target: 'branch' })).status).toBe(409)
  })

  it('follows the repository: stale and clean, in conflict with path and line, and clean again', async () => {
    const { result: near } = await post({ patch: simple(10) })
    const { result: far } = await post({ patch: simple(30) })
    write(folder, { 'a.txt': replaced(10, 'changed by somebody else') })
    commit(folder, 'Go on')
    await settled(p, owner, repositoryId)
    const state = async (id: string) => (await call('get', id)).result.check.state
    await expect.poll(() => state(near.id), { timeout: 20_000 }).toBe('conflict')
    await expect.poll(() => state(far.id), { timeout: 20_000 }).toBe('stale_clean')
    const { result } = await call('get', near.id)
    expect(result.check.conflicts).toEqual([
      { path: 'a.txt', line: 10, text: 'The lines that it changes were changed there too.' },
    ])
    expect((await call('approve', near.id)).status).toBe(409)
    const { result: log } = await p.call('audit_logs.list', { workspaceId, action: 'autofixes.conflicted' }, owner)
    expect(log.items.map(({ target }: { target: { id: string } }) => target.id)).toEqual([near.id])
    git(folder, ['revert', '--no-edit', 'HEAD'])
    await settled(p, owner, repositoryId)
    expect((await call('check', near.id)).result.check.state).toBe('stale_clean')
  })
})

describe('decisions', () => {
  it('count the approvals of people, of the patch that they read', async () => {
    const { result } = await post({ patch: simple(7), status: 'draft' })
    expect((await call('approve', result.id)).status).toBe(409)
    await call('patch', result.id, { status: 'proposed' })
    expect((await call('apply', result.id, { target: 'branch' })).status).toBe(409)
    expect((await call('approve', result.id, { patchSha256: 'a'.repeat(64) })).status).toBe(409)
    const { result: once } = await call('approve', result.id, { patchSha256: result.patchSha256 })
    expect([once.status, once.approvals.length]).toEqual(['approved', 1])
    const { result: changed } = await call('patch', result.id, { patch: simple(8) })
    expect([changed.status, changed.approvals, changed.patchSha256 === result.patchSha256]).toEqual([
      'proposed',
      [],
      false,
    ])
    const key = await p.key(owner, { scopes: ['autofixes:read', 'autofixes:write'] })
    expect((await call('approve', result.id, {}, key)).status).toBe(403)
    const { result: no } = await call('reject', result.id, { reason: 'wrong', note: 'Not so.' })
    expect([no.status, no.closeReason, no.closeNote]).toEqual(['rejected', 'wrong', 'Not so.'])
    for (const name of ['approve', 'check', 'patch'] as const) {
      expect((await call(name, result.id, name === 'patch' ? { title: 'Another title' } : {})).status).toBe(409)
    }
    expect((await call('del', result.id)).status).toBe(200)
  })

  it('need as many as the settings say', async () => {
    await p.call('workspaces.settings.patch', { workspaceId, autofix: { requiredApprovals: 2 } }, owner)
    const { result } = await post({ patch: simple(9) })
    expect((await call('approve', result.id)).result.status).toBe('proposed')
    expect((await call('approve', result.id)).result.approvals.length).toBe(1)
    expect((await call('approve', result.id, {}, admin)).result.status).toBe('approved')
    await p.call('workspaces.settings.patch', { workspaceId, autofix: { mode: 'auto' } }, owner)
    const { result: auto } = await post({ patch: simple(11) })
    const { result: applied } = await call('apply', auto.id, { target: 'branch' })
    expect(applied.status).toBe('applied')
    await p.call(
      'workspaces.settings.patch',
      { workspaceId, autofix: { mode: 'approval', requiredApprovals: 1 } },
      owner,
    )
  })

  it('fail with the repository', async () => {
    const { result } = await post({ patch: simple(9) })
    const id = await mirrored(p, owner, `${folder.slice(repositoriesIn().length + 1)}/.git`)
    const { result: other } = await post({ patch: simple(9), repositoryId: id })
    await p.call('repositories.del', { workspaceId, id }, owner)
    const { result: failed } = await call('get', other.id)
    expect([failed.status, failed.closeReason, failed.repositoryId]).toEqual(['failed', 'repository_deleted', null])
    expect((await call('get', result.id)).result.status).toBe('proposed')
  })
})

describe('applying', () => {
  it('makes the commit that `git am` makes of the mbox, and finds it merged, squashed or not', async () => {
    const description =
      'Why it helps.\n\n---\n--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-one\n+evil\n two\nFrom: Eve <eve@example.com>'
    const { result } = await post({ patch: simple(20), description })
    await call('approve', result.id)
    const mbox = await text(result.id, 'mbox')
    const { result: applied } = await call('apply', result.id, { target: 'branch' })
    expect([applied.status, applied.branch]).toEqual(['applied', `autofix/${result.id}`])
    const shown = await p.call(
      'repositories.contents',
      { workspaceId, id: repositoryId, ref: applied.commitSha, path: 'a.txt' },
      owner,
    )
    const place = clone()
    git(place, ['am', '--quiet'], { input: mbox })
    expect(said(place, 'show', 'HEAD:a.txt')).toBe(shown.result.text.trim())
    expect(said(place, 'show', 'HEAD:b.txt')).toBe('one\ntwo')
    expect(said(place, 'log', '-1', '--format=%an <%ae>')).not.toContain('Eve')
    expect(said(place, 'log', '-1', '--format=%B')).toContain(`Autofix: ${result.id}`)
    expect((await call('del', result.id)).status).toBe(409)
    for (const target of ['push', 'pull_request']) expect((await call('apply', result.id, { target })).status).toBe(409)

    const { result: squashed } = await post({ patch: simple(25) })
    git(folder, ['am', '--quiet'], { input: mbox })
    write(folder, {
      'b.txt': 'one\ntwo\nthree\n',
      'a.txt': said(folder, 'show', 'HEAD:a.txt').replace('line 3\n', 'line three\n'),
    })
    commit(folder, 'Change the same file again')
    await settled(p, owner, repositoryId)
    const status = async (id: string) => (await call('get', id)).result.status
    await expect.poll(() => status(result.id), { timeout: 20_000 }).toBe('merged')
    git(folder, ['apply'], { input: await text(squashed.id, 'patch') })
    write(folder, { 'b.txt': 'one\n' })
    commit(folder, 'Squash it with something else')
    await settled(p, owner, repositoryId)
    await expect.poll(() => status(squashed.id), { timeout: 20_000 }).toBe('merged')
    const merged = (await p.call('autofixes.list', { workspaceId, status: 'merged' }, owner)).result.count
    const day = 86_400_000
    const [from, to] = [-day, day].map(ms => new Date(p.now().getTime() + ms).toISOString())
    const asked = {
      workspaceId,
      metrics: ['autofixes.merged'],
      from,
      to,
      groupBy: ['repository'],
      granularity: 'month',
    }
    const counted = async () => {
      const { groups } = (await p.call('analytics.query', asked, owner)).result.series[0]
      const sum = (points: { value: number }[]) => points.reduce((all, { value }) => all + value, 0)
      return groups.map((group: { by: object; points: { value: number }[] }) => [group.by, sum(group.points)])
    }
    await expect.poll(counted, { timeout: 20_000 }).toEqual([[{ repository: repositoryId }, merged]])
    expect((await post({ patch: await text(squashed.id, 'patch'), baseSha: squashed.baseSha })).status).toBe(409)
  })

  it('publishes a page without the names of people', async () => {
    const { result } = await post({ patch: simple(35), description: 'Mail ada@example.com.' })
    const { status, result: page } = await call('publish', result.id)
    expect([status, page.kind, page.redactions]).toEqual([201, 'autofix_run', 1])
  })
})

it('says so where its branch is gone', async () => {
  git(folder, ['branch', 'passing'])
  await settled(p, owner, repositoryId)
  const { result } = await post({ patch: simple(33), baseRef: 'passing' })
  await call('approve', result.id)
  git(folder, ['branch', '--quiet', '-D', 'passing'])
  await settled(p, owner, repositoryId)
  for (const [name, fields] of [
    ['check', {}],
    ['apply', { target: 'branch' }],
    ['diff', { format: 'mbox' }],
  ] as const) {
    const { status, error } = await call(name, result.id, fields)
    expect([name, status, error?.metadata?.baseRef]).toEqual([name, 409, 'passing'])
  }
  expect((await call('patch', result.id, { baseRef: 'main' })).result.check.state).not.toBe('invalid')
})

it('says so where a repository has names that git would not write', async () => {
  const hostile = newRepository(join(repositoriesIn(), `autofixes-hostile-${process.pid}`))
  write(hostile, { 'a.txt': 'one\n' })
  commit(hostile, 'Begin')
  const blob = said(hostile, 'rev-parse', 'HEAD:a.txt')
  const inner = git(hostile, ['mktree'], { input: `100644 blob ${blob}\tconfig\n` })
    .toString()
    .trim()
  const tree = git(hostile, ['mktree'], { input: `040000 tree ${inner}\t.git\n100644 blob ${blob}\ta.txt\n` })
    .toString()
    .trim()
  git(hostile, ['update-ref', 'refs/heads/main', said(hostile, 'commit-tree', tree, '-m', 'Bad')])
  const id = await mirrored(p, owner, hostile.slice(repositoriesIn().length + 1))
  const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n'
  const { status, result } = await post({ patch, repositoryId: id })
  expect([status, result.check.state]).toEqual([201, 'invalid'])
})

describe('agents', () => {
  const working = async (kind: 'autofix' | 'private') => {
    const { result } = await p.call(
      'threads.post',
      { workspaceId, type: kind === 'autofix' ? 'autofix' : 'chat' },
      owner,
    )
    return { threadId: result.id as string, run: await p.run(owner, kind, { threadId: result.id }) }
  }

  it('change what their own thread made, decide nothing, and are superseded by themselves', async () => {
    const { threadId, run } = await working('autofix')
    const { status, result } = await post({ patch: simple(12) }, run)
    expect([status, result.origin, result.threadId]).toEqual([201, 'investigation', threadId])
    for (const [name, fields] of [
      ['approve', {}],
      ['reject', { reason: 'other' }],
      ['apply', { target: 'branch' }],
      ['del', {}],
    ] as const) {
      expect([name, (await call(name, result.id, fields, run)).status]).toEqual([name, 403])
    }
    expect((await call('patch', result.id, { patch: simple(13) }, run)).status).toBe(200)
    const other = await working('autofix')
    for (const name of ['patch', 'check'] as const) {
      const fields = name === 'patch' ? { title: 'Not mine to change' } : {}
      expect((await call(name, result.id, fields, other.run)).status).toBe(403)
    }
    expect((await post({ patch: simple(14), threadId }, other.run)).status).toBe(403)
    const { result: next } = await post({ patch: simple(15) }, run)
    expect((await call('get', result.id)).result.status).toBe('superseded')
    // Whoever started the run is not enough by themselves.
    expect((await call('approve', next.id)).result.status).toBe('proposed')
    expect((await call('apply', next.id, { target: 'branch' })).status).toBe(409)
    expect((await call('approve', next.id, {}, admin)).result.status).toBe('approved')
  })

  it('cannot have a patch approved that came after the one that was read', async () => {
    const { run } = await working('autofix')
    const { result } = await post({ patch: simple(16) }, run)
    const read = result.patchSha256
    await call('approve', result.id, { patchSha256: read }, admin)
    await call('patch', result.id, { patch: simple(17) }, run)
    const { result: after } = await call('get', result.id)
    expect([after.status, after.approvals]).toEqual(['proposed', []])
    expect((await call('approve', result.id, { patchSha256: read }, admin)).status).toBe(409)
  })
})

it('names nothing of another workspace, and is not there for others', async () => {
  const stranger = await p.user()
  const { result } = await post({ patch: simple(18) })
  const elsewhere = { workspaceId: stranger.workspaceId, title: 'From elsewhere', patch: simple(18) }
  expect((await p.call('autofixes.post', { ...elsewhere, repositoryId }, stranger)).status).toBe(400)
  for (const name of ['get', 'diff', 'patch', 'check', 'approve', 'reject', 'apply', 'publish', 'del'] as const) {
    const fields = { reason: 'other', target: 'branch' }
    const needed = name === 'reject' ? { reason: fields.reason } : name === 'apply' ? { target: fields.target } : {}
    const there = { workspaceId: stranger.workspaceId, id: result.id, ...needed }
    expect([name, (await p.call(`autofixes.${name}`, there, stranger)).status]).toEqual([name, 404])
  }
  const key = await p.key(owner, { scopes: ['autofixes:read', 'autofixes:write'] })
  expect((await post({ patch: simple(18) }, key)).status).toBe(400)
})

it('goes one way when twenty ask at once', async () => {
  const { result } = await post({ patch: simple(22) })
  await call('approve', result.id)
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('apply', result.id, { target: 'branch' })))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter(status => status === 200).length).toBe(1)
  expect(new Set(statuses.filter(status => status !== 200)).size).toBe(1)
})
