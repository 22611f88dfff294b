// A source that has only a part of its history: what it has is read as git reads it there, and the rest is not invented.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, said, settled, write } from '../helpers/repositories.ts'

const whole = join(repositoriesIn(), `whole-${process.pid}`)
const shallow = join(repositoriesIn(), `shallow-${process.pid}`)

let p: TestPlatform
let owner: TestCaller
let id: string

beforeAll(async () => {
  newRepository(whole)
  for (let number = 1; number <= 6; number++) {
    write(whole, { 'a.txt': Array.from({ length: number }, (_, at) => `line ${at + 1}\n`).join('') })
    if (number === 2) write(whole, { 'old.txt': 'from the beginning\n' })
    commit(whole, `Change ${number}`)
  }
  git(repositoriesIn(), ['clone', '--quiet', '--depth=3', '--no-local', `file://${whole}`, shallow])
  expect(said(shallow, 'rev-parse', '--is-shallow-repository')).toBe('true')
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  id = await mirrored(p, owner, `shallow-${process.pid}`)
}, 60_000)
afterAll(async () => {
  await p.close()
  for (const folder of [whole, shallow]) rmSync(folder, { recursive: true, force: true })
})

const read = async (what: string, input: object = {}) =>
  await p.call(`repositories.${what}`, { workspaceId: owner.workspaceId, id, ...input }, owner)

type Read = { sha: string; parents: string[] }

const history = async (input: object = {}) =>
  ((await read('commits', { limit: 100, ...input })).result.commits as Read[]).map(({ sha, parents }) =>
    `${sha} ${parents.join(' ')}`.trim(),
  )

/** Line by line: commit, its line there, and whether the history begins with it. */
async function blamed(path: string) {
  const { result } = await read('blame', { path })
  const begins = new Map(result.commits.map((one: { sha: string; isBoundary: boolean }) => [one.sha, one.isBoundary]))
  return result.ranges.flatMap((range: { from: number; to: number; commitSha: string }) =>
    Array.from(
      { length: range.to - range.from + 1 },
      () => `${begins.get(range.commitSha) ? '^' : ''}${range.commitSha}`,
    ),
  )
}

const gitBlamed = (path: string) =>
  said(shallow, 'blame', '--line-porcelain', 'HEAD', '--', path)
    .split(/\n(?=[0-9a-f]{40} )/)
    .map(line => `${/^boundary$/m.test(line) ? '^' : ''}${line.slice(0, 40)}`)

describe('a shallow repository', () => {
  it('is mirrored: its history ends where that of the source does', async () => {
    const { result } = await p.call('repositories.get', { workspaceId: owner.workspaceId, id }, owner)
    expect(result).toMatchObject({ status: 'ready', error: null, headSha: said(shallow, 'rev-parse', 'HEAD') })
    expect(await history()).toEqual(said(shallow, 'rev-list', '--parents', 'HEAD').split('\n'))
    expect(await history()).toHaveLength(3)
    expect(await history({ path: 'old.txt' })).toEqual(
      said(shallow, 'rev-list', '--parents', 'HEAD', '--', 'old.txt').split('\n'),
    )
  })

  it('has all its files, authors of lines and differences as git has them there', async () => {
    for (const path of ['a.txt', 'old.txt']) {
      expect((await read('contents', { path })).result.text).toBe(git(shallow, ['show', `HEAD:${path}`]).toString())
    }
    expect(await blamed('a.txt')).toEqual(gitBlamed('a.txt'))
    expect(await blamed('old.txt')).toEqual(gitBlamed('old.txt'))
    for (const head of said(shallow, 'rev-list', 'HEAD').split('\n')) {
      const { result } = await read('diff', { head, format: 'unified' })
      expect(result.patch).toBe(
        git(shallow, ['diff-tree', '--root', '--no-commit-id', '-p', '--full-index', head]).toString(),
      )
    }
  })

  it('has nothing of the commits before: they are not found', async () => {
    const before = said(whole, 'rev-parse', 'HEAD~4')
    for (const what of ['commits', 'tree']) expect((await read(what, { ref: before })).status).toBe(404)
    expect((await read('diff', { base: before })).status).toBe(404)
  })

  it('is synced on from there, and again once the source has all of it', async () => {
    write(whole, { 'b.txt': 'new\n' })
    commit(whole, 'Change 7')
    git(shallow, ['pull', '--quiet', '--ff-only'])
    expect(await settled(p, owner, id)).toMatchObject({ status: 'ready', headSha: said(whole, 'rev-parse', 'HEAD') })
    expect(await history()).toEqual(said(shallow, 'rev-list', '--parents', 'HEAD').split('\n'))
    expect(await history()).toHaveLength(4)
    git(shallow, ['fetch', '--quiet', '--unshallow'])
    write(whole, { 'b.txt': 'newer\n' })
    commit(whole, 'Change 8')
    git(shallow, ['pull', '--quiet', '--ff-only'])
    expect(await settled(p, owner, id)).toMatchObject({ status: 'ready', headSha: said(whole, 'rev-parse', 'HEAD') })
    expect(await history()).toEqual(said(whole, 'rev-list', '--parents', 'HEAD').split('\n'))
    expect(await history()).toHaveLength(8)
  })
})
