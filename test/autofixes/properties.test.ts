// Random changes: a patch that the check calls clean applies with `git am` on a fresh clone to the same tree, and one
// that it calls conflicting does not. More of them: PATCHES=500 npm test -- test/autofixes/properties.test.ts
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, said, settled, write } from '../helpers/repositories.ts'

const rounds = Number(process.env.PATCHES ?? 12)
let p: TestPlatform
let owner: TestCaller
let folder: string
let repositoryId: string
const place = mkdtempSync(join(tmpdir(), 'atrium-patches-'))

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  folder = newRepository(join(repositoriesIn(), `properties-${process.pid}`))
  for (const name of ['a.txt', 'b.txt', 'c.txt']) write(folder, { [name]: textOf(name) })
  commit(folder, 'Begin')
  repositoryId = await mirrored(p, owner, folder.slice(repositoriesIn().length + 1))
})
afterAll(async () => {
  rmSync(place, { recursive: true, force: true })
  await p.close()
})

let seed = Number(process.env.SEED ?? 20261117)
/** The same numbers for the same seed. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((seed / 2_147_483_648) * below)
}

let words = 0
const textOf = (name: string) => Array.from({ length: 60 }, (_, index) => `${name} line ${index}\n`).join('')

/** Lines changed, added and taken away, a file moved, made or deleted: up to four of these. */
function change(): void {
  for (let left = 1 + random(4); left > 0; left--) {
    const names = said(folder, 'ls-files').split('\n')
    const name = names[random(names.length)] as string
    const does = random(12)
    if (does === 0) write(folder, { [`new${words++}.txt`]: textOf(`new ${words}`) })
    else if (does === 1 && names.length > 3) git(folder, ['rm', '--quiet', '--force', name])
    else if (does === 2) git(folder, ['mv', name, `moved${words++}.txt`])
    else editLines(name)
    git(folder, ['add', '--all', '.'])
  }
}

function editLines(name: string): void {
  const lines = git(folder, ['show', `:${name}`])
    .toString()
    .split('\n')
  const at = random(Math.max(lines.length - 1, 1))
  const does = random(3)
  if (does === 0) lines[at] = `changed ${words++}`
  else if (does === 1) lines.splice(at, 0, `added ${words++}`)
  else lines.splice(at, 1 + random(3))
  write(folder, { [name]: lines.join('\n') })
}

it(`holds for ${rounds} random patches on branches that went on`, async () => {
  const { workspaceId } = owner
  const states: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    const base = said(folder, 'rev-parse', 'HEAD')
    change()
    const patch = git(folder, ['diff', '--cached', '--binary', '--find-renames']).toString()
    const wanted = said(folder, 'write-tree')
    git(folder, ['reset', '--quiet', '--hard'])
    if (patch === '') continue
    const fields = { workspaceId, repositoryId, title: `Random change ${round}`, patch }
    const { result, status } = await p.call('autofixes.post', fields, owner)
    expect([status, result.check.state, result.baseSha]).toEqual([201, 'clean', base])
    await amEquals(result.id, 'clean', wanted)
    if (random(4) > 0) change()
    commit(folder, 'Go on')
    await settled(p, owner, repositoryId)
    const { result: after, status: then } = await p.call('autofixes.check', { workspaceId, id: result.id }, owner)
    // The sync may have looked first, and the change may be there already.
    const state = then === 409 ? 'merged' : after.status === 'merged' ? 'merged' : after.check.state
    states[state] = (states[state] ?? 0) + 1
    if (state !== 'merged') await amEquals(result.id, state, null)
    await p.call('autofixes.reject', { workspaceId, id: result.id, reason: 'other' }, owner)
  }
  if (rounds >= 100) process.stdout.write(`${JSON.stringify(states)}\n`)
}, 3_600_000)

/** `git am` on the newest commit: to this tree, or to the one that applying makes; or not at all. */
async function amEquals(id: string, state: string, tree: string | null): Promise<void> {
  const { workspaceId } = owner
  const clone = join(place, id)
  rmSync(clone, { recursive: true, force: true })
  git(place, ['clone', '--quiet', folder, clone])
  const { text } = await p.call('autofixes.diff', { workspaceId, id, format: 'mbox' }, owner)
  const isApplied = succeeds(() => git(clone, ['am', '--quiet'], { input: text }))
  expect([id, state, isApplied]).toEqual([id, state, state !== 'conflict'])
  if (!isApplied) return
  if (tree !== null) expect(said(clone, 'rev-parse', 'HEAD^{tree}')).toBe(tree)
  rmSync(clone, { recursive: true, force: true })
}

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
