// A repository that was found changed, or a host that tells of a merge: autofixes are checked again, and some are merged.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { choice, nullable, object } from '../../contract/records.ts'
import { type Follower, follow } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { RepositoryId } from '../repositories/fields/contract.ts'
import { lookAtAll, settlePullRequest } from './settling.ts'

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
  'autofixes.pullRequest': job({
    payload: object({
      workspaceId: WorkspaceId,
      url: Type.String({ maxLength: 2_048 }),
      state: choice(['opened', 'merged', 'closed']),
      mergeSha: nullable(Type.String({ maxLength: 64 })),
    }),
    run: settlePullRequest,
  }),
} satisfies Jobs
