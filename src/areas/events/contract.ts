// Live updates: the ledger of a workspace as it grows.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { object } from '../../contract/records.ts'

export const events = area('events', {
  'events.stream': {
    summary: 'Follow what happens in a workspace, as it happens',
    description:
      'Server-sent events: `id` is the sequence number, `event` the action, `data` an entry of the audit log. ' +
      'Send `Last-Event-ID` to go on where you stopped; without it the stream begins now.',
    route: 'GET /v1/events/{workspaceId}/stream',
    access: ['audit_logs:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: object({
      lastEventId: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    }),
    result: Type.String({ description: 'A stream of events, not the envelope.' }),
    produces: ['text/event-stream'],
  },
})
