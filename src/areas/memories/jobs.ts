// What is done after the answer, so that nobody waits for it: uses are counted, texts embedded, paths compared.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { nullable, object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Follower, follow } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { RepositoryId } from '../repositories/fields/contract.ts'
import { clearFault, noteFailedSearch } from '../workspaces/embeddings/store.ts'
import { compareMemories } from './about/comparing.ts'
import { MemoryId } from './fields/contract.ts'
import { embedMemories } from './meaning/embedding.ts'
import { countUses } from './store.ts'

/** A sync that found something else: what memories tell of there may have changed. */
export const followers: readonly Follower[] = [
  follow('memories.repositories', 'repositories.synced', async ({ enqueue }, { chain, target, id }) => {
    if (target) await enqueue('memories.compare', { workspaceId: chain, repositoryId: target.id, cause: id })
  }),
]

export const ages: Ages = { memory_use_hours: { column: 'hour', afterDays: 400 } }

export default {
  'memories.compare': job({
    // Each change has a cause of its own, as below.
    payload: object({
      workspaceId: WorkspaceId,
      repositoryId: RepositoryId,
      memoryId: Type.Optional(MemoryId),
      cause: Type.String(),
    }),
    key: ({ repositoryId, cause }) => `${repositoryId} ${cause}`,
    timeoutSeconds: 600,
    retries: 5,
    run: (ctx, { cause: _, ...compared }) => compareMemories(ctx, compared),
  }),
  'memories.used': job({
    payload: object({ workspaceId: WorkspaceId, ids: Type.Array(MemoryId, { maxItems: 50 }) }),
    run: ({ db, now }, { workspaceId, ids }) => countUses(db, workspaceId, ids, now()),
  }),
  'memories.embed': job({
    // Each change has a cause of its own, since a job that waits may start before the change is committed.
    payload: object({ workspaceId: WorkspaceId, memoryId: Type.Optional(MemoryId), cause: Type.String() }),
    key: ({ workspaceId, cause }) => `${workspaceId} ${cause}`,
    timeoutSeconds: 600,
    run: (ctx, { workspaceId, memoryId = null }) => embedMemories(ctx, workspaceId, memoryId),
  }),
  /** How a search fared with the endpoint, which is told where that has changed. */
  'memories.askedMeaning': job({
    payload: object({ workspaceId: WorkspaceId, error: nullable(Type.String()) }),
    run: async ({ db, now, enqueue }, { workspaceId, error }) => {
      if (error !== null) return await noteFailedSearch(db, workspaceId, error, now())
      await clearFault(db, workspaceId)
      await enqueue('memories.embed', { workspaceId, cause: 'it goes well again' })
    },
  }),
} satisfies Jobs
