// What agents at work took is counted after the answer.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { SkillId } from './fields/contract.ts'
import { countUse } from './versions/store.ts'

export default {
  'skills.used': job({
    payload: object({ workspaceId: WorkspaceId, id: SkillId, version: Type.Integer({ minimum: 1 }) }),
    run: ({ db, now }, { workspaceId, id, version }) => countUse(db, workspaceId, id, version, now()),
  }),
} satisfies Jobs
