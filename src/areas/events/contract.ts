// Live updates: the ledger of a workspace as it grows.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { object } from '../../contract/records.ts'

export const events = area(
  'events',
  {
    'events.stream': {
      summary: 'Follow what happens in a workspace, as it happens',
      description:
        'Server-sent events, for every member: `id` is the sequence number, `event` the action, `data` has `seq`, `at`, ' +
        '`action`, `target` and `actor`. An entry is sent where the credential may read what it is about; `outcome`, ' +
        '`reason`, `missing` and `changes` come with `audit_logs:read`, as do refusals. Events called `ephemeral` have ' +
        'no `id` and are not stored: progress, parts of an answer, and to a signed-in person that their inbox has ' +
        'changed (`auth.inbox.changed`). Send `Last-Event-ID` to go on where you stopped; ' +
        'without it the stream begins now. It ends when the rights of the credential change; come back with the last id.',
      route: 'GET /v1/events/{workspaceId}/stream',
      access: 'credential',
      path: object({ workspaceId: WorkspaceId }),
      query: object({
        lastEventId: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      }),
      result: Type.String({ description: 'A stream of events, not the envelope.' }),
      produces: ['text/event-stream'],
    },
  },
  { about: 'What happens in a workspace, as it happens.' },
)
