// What agents found at work is counted after the answer: a search waits for nothing.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { MemoryId } from './contract.ts'
import { countUses } from './store.ts'

export default {
  'memories.used': job({
    payload: object({ workspaceId: WorkspaceId, ids: Type.Array(MemoryId, { maxItems: 50 }) }),
    run: ({ db, now }, { workspaceId, ids }) => countUses(db, workspaceId, ids, now()),
  }),
} satisfies Jobs
