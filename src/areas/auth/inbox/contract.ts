// The inbox of a person, across workspaces: what others did that names them.
import { Type } from 'typebox'
import { id, UserId, WorkspaceId } from '../../../contract/ids.ts'
import { list, pageWithNext } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, personal, record, timestamp } from '../../../contract/records.ts'

export const InboxEntryId = id('inbox', 24)

export const InboxEntry = record('InboxEntry', {
  id: InboxEntryId,
  type: Type.String({
    description: 'As the notification settings name it under `preferences`.',
    examples: ['workspace_members.patch'],
  }),
  text: personal(
    Type.String({ description: 'What happened, in words.', examples: ['Ada made you admin of Analytical Engines'] }),
  ),
  workspace: nullable(object({ id: WorkspaceId, name: Type.String({ examples: ['Analytical Engines'] }) })),
  target: nullable(
    object({
      object: Type.String({ examples: ['workspace_member'] }),
      id: Type.String(),
      title: Type.String(),
    }),
  ),
  actor: nullable(object({ id: UserId, name: personal(Type.String({ examples: ['Ada'] })) })),
  isRead: Type.Boolean(),
  created: timestamp,
  _object: choice(['inbox_entry']),
})

export const inbox = area(
  'auth.inbox',
  {
    'auth.inbox.list': {
      summary: 'List what I was notified of',
      description:
        'Across workspaces, kept for 90 days. What belongs to a workspace that I left is not shown, and `target` is ' +
        'null where I may not read the record any more. `isRead=false` with `perPage=1` counts what is unread.',
      route: 'GET /v1/auth/inbox',
      words: 'notifications inbox unread mentions assigned news',
      access: 'user',
      query: list({ sort: ['created'], filter: ['isRead', 'type', 'workspaceId'], also: ['after'] }),
      result: pageWithNext(InboxEntry),
    },
    'auth.inbox.patch': {
      summary: 'Mark one of my notifications as read or unread',
      route: 'PATCH /v1/auth/inbox/{id}',
      words: 'seen unread inbox notification',
      access: 'user',
      path: object({ id: InboxEntryId }),
      body: object({ isRead: Type.Boolean() }),
      result: InboxEntry,
      errors: ['not_found'],
      // What somebody has looked at is no change of anything.
      audit: false,
    },
    'auth.inbox.readAll': {
      summary: 'Mark all my notifications as read',
      route: 'POST /v1/auth/inbox/read_all',
      words: 'clear inbox seen notifications',
      access: 'user',
      body: object({
        until: Type.Optional({ ...timestamp, description: 'Only what came until then: what I have seen.' }),
      }),
      result: object({ read: Type.Integer({ minimum: 0 }) }),
      audit: false,
    },
  },
  // What happened to a record goes with it; that it was deleted is told without it.
  { attaches: { inbox_entries: 'any' } },
)
