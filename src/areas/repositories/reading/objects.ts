// What stands at a path of a repository, without reading what is in it: for other areas that follow code.
import { ApiError } from '../../../contract/errors.ts'
import { commitAt, type ReadingContext } from './mirrors.ts'
import { type Found, foundAt } from './trees.ts'

type Place = { repositoryId: string; ref?: string | undefined }

/** Null where nothing does. The default branch where no ref is named. */
export async function objectAt(
  ctx: ReadingContext,
  workspaceId: string,
  { path, ...place }: Place & { path: string },
): Promise<Found | null> {
  return await (await objectsAt(ctx, workspaceId, place))(path)
}

/** The same for many paths of one commit, which is looked up once. */
export async function objectsAt(
  ctx: ReadingContext,
  workspaceId: string,
  { repositoryId, ref }: Place,
): Promise<(path: string) => Promise<Found | null>> {
  const { mirror, sha } = await commitAt(ctx, { workspaceId, id: repositoryId, ref })
  return path =>
    foundAt(mirror, repositoryId, sha, { path }).catch(error => {
      if (error instanceof ApiError && error.kind === 'not_found') return null
      throw error
    })
}
