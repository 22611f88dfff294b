// What agents at work took is counted after the answer; skills follow the repositories that they come from.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type Follower, follow } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { RepositoryId } from '../repositories/fields/contract.ts'
import { SkillId } from './fields/contract.ts'
import { followRepository } from './importing/following.ts'
import { countUse } from './versions/store.ts'

/** A sync that found something else: whoever follows that repository looks at it. */
export const followers: readonly Follower[] = [
  follow('skills.repositories', 'repositories.synced', async ({ enqueue }, { chain, target }) => {
    if (target) await enqueue('skills.follow', { workspaceId: chain, repositoryId: target.id })
  }),
]

export default {
  'skills.follow': job({
    payload: object({ workspaceId: WorkspaceId, repositoryId: RepositoryId }),
    timeoutSeconds: 600,
    key: ({ repositoryId }) => repositoryId,
    run: (ctx, { workspaceId, repositoryId }) => followRepository(ctx, workspaceId, repositoryId),
  }),
  'skills.used': job({
    payload: object({ workspaceId: WorkspaceId, id: SkillId, version: Type.Integer({ minimum: 1 }) }),
    run: ({ db, now }, { workspaceId, id, version }) => countUse(db, workspaceId, id, version, now()),
  }),
} satisfies Jobs
