// Skills that follow a repository: after a sync, what changed in their folder is their next version.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { putContents } from '../files/contents.ts'
import * as skills from '../store.ts'
import { isSame } from './importing.ts'
import { type FromRepository, skillsAt, treeAt } from './repository.ts'
import * as store from './store.ts'

export async function followRepository(ctx: JobContext, workspaceId: string, repositoryId: string): Promise<void> {
  const reading = { ...ctx, origin: { requestId: ctx.id, ifNoneMatch: null } }
  for (const one of await store.followersOf(ctx.db, workspaceId, repositoryId)) {
    const place = { repositoryId, path: one.path, ref: one.ref ?? undefined }
    let tree = one.tree
    try {
      tree = await treeAt(reading, workspaceId, place)
      if (tree === one.tree && one.error === null) continue
      const [found] = tree === null ? [] : await skillsAt(reading, workspaceId, place)
      if (found?.folder !== '') throw badRequest(`There is no SKILL.md in "${one.path}" any more.`)
      await takeOver(ctx, workspaceId, one, found)
      await store.looked(ctx.db, one, repositoryId, { tree, error: null })
    } catch (error) {
      // What is wrong with the folder stays so until the next sync; what was wrong with the moment is tried again.
      if (!(error instanceof ApiError) || error.kind === 'unavailable' || error.kind === 'internal') throw error
      await store.looked(ctx.db, one, repositoryId, { tree, error: error.detail.slice(0, 500) })
    }
  }
}

async function takeOver(
  { transaction, record, feed, now }: JobContext,
  workspaceId: string,
  { id, slug }: store.Following,
  { text, markdown, files }: FromRepository,
): Promise<void> {
  if (text.name !== slug) {
    throw badRequest(`Its name is "${text.name}" there, and "${slug}" here; rename one of them.`)
  }
  const isChanged = await transaction(async tx => {
    await skills.lock(tx, workspaceId, id)
    const before = await skills.find(tx, workspaceId, id)
    if (!before) return false
    if (isSame(before, { markdown, files })) return false
    await putContents(tx, workspaceId, files)
    const state = { ...before, version: before.version + 1, markdown, text, files }
    await skills.write(tx, workspaceId, [state], null, now())
    await record(tx, { chain: workspaceId, action: 'skills.followed', target: { object: 'skill', id } })
    return true
  })
  if (isChanged) feed.tell(workspaceId, { action: 'skills.changed', target: { object: 'skill', id }, data: null })
}
