// A repository that was found changed: its autofixes are checked again, and those that it has by now are merged.
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type Follower, follow } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { RepositoryId } from '../repositories/fields/contract.ts'
import { lookAtAll } from './settling.ts'

export const followers: readonly Follower[] = [
  follow('autofixes.repositories', 'repositories.synced', async ({ enqueue }, { chain, target }) => {
    if (target) await enqueue('autofixes.look', { workspaceId: chain, repositoryId: target.id })
  }),
]

export default {
  'autofixes.look': job({
    payload: object({ workspaceId: WorkspaceId, repositoryId: RepositoryId }),
    timeoutSeconds: 900,
    key: ({ repositoryId }) => repositoryId,
    run: (ctx, { workspaceId, repositoryId }) => lookAtAll(ctx, workspaceId, repositoryId),
  }),
} satisfies Jobs
