// Whether what memories tell of in a repository has changed since they were written.
import { ApiError, refused } from '../../../contract/errors.ts'
import type { Context } from '../../../kit/context.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { objectsAt } from '../../repositories/reading/objects.ts'
import { type About, type Compared, compare, pathsIn } from './store.ts'

const mostPaths = 500

/** 400 where a path stands beside something that has none. */
export function refusePaths(about: readonly About[]): void {
  const index = about.findIndex(({ object, path }) => path !== undefined && object !== 'repository')
  if (index === -1) return
  throw refused(`about.${index}.path`, 'object', 'left out, unless it is about a repository')
}

/** Looks at the paths of a memory once what names them is committed. */
export async function lookAt(
  enqueue: Context['enqueue'],
  { workspaceId, memoryId }: { workspaceId: string; memoryId: string },
  about: readonly About[],
  cause: string,
): Promise<void> {
  const repositories = new Set(about.flatMap(({ id, path }) => (path === undefined ? [] : [id])))
  for (const repositoryId of repositories) {
    await enqueue('memories.compare', { workspaceId, repositoryId, memoryId, cause })
  }
}

/** All memories that tell of the repository, or one whose paths were not looked at yet. */
export async function compareMemories(ctx: JobContext, compared: Compared): Promise<void> {
  const { workspaceId, repositoryId } = compared
  let paths = await pathsIn(ctx.db, compared, { after: '', most: mostPaths })
  if (paths.length === 0) return
  const reading = { ...ctx, origin: { requestId: ctx.id, ifNoneMatch: null } }
  const objectOf = await objectsAt(reading, workspaceId, { repositoryId }).catch(error => {
    // Gone, disabled or not synced yet: the next sync asks for another look.
    if (error instanceof ApiError && (error.kind === 'not_found' || error.kind === 'conflict')) return null
    throw error
  })
  if (!objectOf) return
  while (paths.length > 0) {
    ctx.signal.throwIfAborted()
    const found: { path: string; content: string }[] = []
    for (const path of paths) {
      const object = await objectOf(path)
      found.push({ path, content: object ? `${object.mode} ${object.sha}` : '' })
    }
    await compare(ctx.db, compared, found)
    const isLast = paths.length < mostPaths
    paths = isLast ? [] : await pathsIn(ctx.db, compared, { after: paths.at(-1) ?? '', most: mostPaths })
  }
}
