// What happens by itself: events and times start automations, steps go on, and old history goes.
import { Type } from 'typebox'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Follower, followTogether } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { stranded } from './executions/store.ts'
import { ExecutionId } from './fields/contract.ts'
import { run } from './running/running.ts'
import { dueSchedules, listeningAmong } from './store.ts'
import { onEntries, wake } from './triggering/events.ts'
import { fire, sweep } from './triggering/schedules.ts'

/** Workspaces without an automation that waits for events are never read. */
export const followers: readonly Follower[] = [
  followTogether('automations.events', '*', onEntries, { where: listeningAmong }),
  followTogether('automations.decided', 'agent_tools.approvals.*', wake),
  followTogether('automations.ended', 'threads.runs.*', wake),
]

export default {
  'automations.run': job({
    payload: object({ id: ExecutionId, slot: Type.Optional(Type.String({ maxLength: 64 })) }),
    key: ({ id, slot = '' }) => `${id} ${slot}`,
    group: ({ id }) => id,
    concurrency: 16,
    timeoutSeconds: 600,
    retries: 5,
    run,
  }),
  'automations.fire': job({
    payload: object({}),
    schedule: '* * * * *',
    due: now => [dueSchedules(now, 1)],
    run: fire,
  }),
  'automations.sweep': job({
    payload: object({}),
    schedule: '* * * * *',
    due: now => [stranded(now, 1)],
    run: sweep,
  }),
} satisfies Jobs

export const ages: Ages = {
  automation_executions: { column: 'created', afterDays: 30 },
  automation_tokens: { column: 'until' },
}
