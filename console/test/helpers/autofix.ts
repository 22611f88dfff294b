// An autofix to look at: a patch needs a repository that was read.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, vi } from 'vitest'
import type { Person } from './browser.ts'

const patch = `diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-# Small
+# Larger
`

const ada = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']

/** Mirrors a directory of the service's and answers with the id of the repository. */
export async function mirrored({ client, workspaceId }: Pick<Person, 'client' | 'workspaceId'>, url: string) {
  const { id } = await client.call('repositories.post', { workspaceId, url, provider: 'local' })
  const isReady = async () =>
    expect((await client.call('repositories.get', { workspaceId, id })).status, url).toBe('ready')
  await vi.waitFor(isReady, { timeout: 30_000, interval: 100 })
  return id
}

export async function proposed(someone: Pick<Person, 'client' | 'workspaceId'>, threadId: string): Promise<string> {
  // One for each process: another may be in the middle of making its own.
  const name = `small-${process.pid}`
  const folder = join(inject('code'), name)
  if (!existsSync(folder)) {
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...ada, ...args], { stdio: 'pipe' })
    mkdirSync(folder)
    writeFileSync(join(folder, 'README.md'), '# Small\n')
    git('init', '--quiet', '--initial-branch=main')
    git('add', '.')
    git('commit', '--quiet', '--no-gpg-sign', '--message', 'Begin')
  }
  const repositoryId = await mirrored(someone, name)
  const { client, workspaceId } = someone
  const fields = { workspaceId, repositoryId, threadId, title: 'Grow the title', patch }
  return (await client.call('autofixes.post', fields)).id
}
