// Code that leaves with a workspace: a mirror of a repository that is gone by then, and bundles taken apart.
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { World } from '../calls.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, write } from '../helpers/repositories.ts'

export const everyByte = Uint8Array.from({ length: 256 }, (_, n) => n)

/** Branches and a tag with a text of its own, synced. Nobody can fetch it again: its folder goes. */
export async function codeOnlyHere({ p, workspaceId, owner }: World): Promise<string> {
  const folder = newRepository(mkdtempSync(join(repositoriesIn(), 'leaving-')))
  try {
    write(folder, { 'README.md': '# Pump\n', 'src/valve.ts': 'export const open = true\n' })
    commit(folder, 'Begin')
    git(folder, ['tag', '--annotate', '--message', 'The first', 'v1.0'])
    write(folder, { 'src/valve.ts': 'export const open = false\n' })
    commit(folder, 'Close it')
    git(folder, ['switch', '--quiet', '--create', 'fix/leak', 'v1.0'])
    write(folder, { 'src/seal.bin': everyByte })
    commit(folder, 'Seal it')
    git(folder, ['switch', '--quiet', 'main'])
    git(folder, ['branch', 'ancient', ancient(folder)])
    return await mirrored(p, { ...owner, workspaceId }, basename(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As some tools wrote commits years ago, and well-known repositories have them: nothing before the address. */
function ancient(folder: string): string {
  const made = (type: string, input: string) =>
    String(git(folder, ['hash-object', '-w', '-t', type, '--literally', '--stdin'], { input })).trim()
  const blob = made('blob', 'Old\n')
  const tree = String(git(folder, ['mktree'], { input: `100644 blob ${blob}\tREADME\n` })).trim()
  const by = 'Ada<ada@example.com> 1100000000 +0000'
  return made('commit', `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\nOld\n`)
}

/** Name → commit or tag, by the head of a bundle. */
export function refsIn(bundle: Buffer | undefined): Record<string, string> {
  const [head = ''] = bundle?.toString('latin1').split('\n\n', 1) ?? []
  const lines = head.split('\n').filter(line => /^[0-9a-f]{40} /.test(line))
  return Object.fromEntries(lines.map(line => [line.slice(41), line.slice(0, 40)]))
}
