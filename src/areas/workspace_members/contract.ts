// Who belongs to a workspace, as what, and how people get in and out.
import { Type } from 'typebox'
import { id, TeamId, UserId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { roles } from '../../contract/permissions.ts'
import { choice, deleted, nullable, object, personal, record, secret, timestamp } from '../../contract/records.ts'
import { agentCallers, scopes } from '../../contract/scopes.ts'

export const InviteId = id('invite', 24)

const position = choice(roles)
const narrowed = nullable(Type.Array(choice(scopes, { title: 'Scope' }), { maxItems: 1000, examples: [null] }))
const email = Type.String({ format: 'email', maxLength: 254, examples: ['grace@example.com'] })

export const Member = record('Member', {
  workspaceId: WorkspaceId,
  userId: UserId,
  position,
  scopes: narrowed,
  forename: personal(Type.String()),
  surname: personal(nullable(Type.String())),
  username: personal(nullable(Type.String())),
  email: personal(nullable(Type.String({ description: 'The proven address.' }))),
  invitedBy: nullable(UserId),
  lastActive: nullable(timestamp),
  status: choice(['active', 'suspended']),
  created: timestamp,
  updated: timestamp,
  _object: choice(['workspace_member']),
})

const inviteFields = {
  id: InviteId,
  workspaceId: WorkspaceId,
  email: personal(nullable(email)),
  position,
  teamIds: Type.Array(TeamId),
  maxUses: Type.Integer({ minimum: 1, maximum: 100 }),
  uses: Type.Integer({ minimum: 0 }),
  expiresAt: timestamp,
  status: choice(['pending', 'accepted', 'revoked', 'expired']),
  createdBy: nullable(UserId),
  created: timestamp,
  updated: timestamp,
  _object: choice(['invite']),
}

export const Invite = record('Invite', inviteFields)

const InviteWithToken = record('InviteWithToken', {
  ...inviteFields,
  token: secret({ maxLength: 128, description: 'Shown this once.', examples: ['inv_…'] }),
})

const member = { workspaceId: WorkspaceId, userId: UserId }
const invite = { workspaceId: WorkspaceId, inviteId: InviteId }

export const workspaceMembers = area('workspace_members', {
  'workspace_members.list': {
    summary: 'List the members of a workspace',
    route: 'GET /v1/workspace_members/{workspaceId}',
    access: ['workspace_members:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'userId', 'position', 'forename', 'lastActive', 'updated'],
      filter: ['userId', 'position', 'status', 'email', 'username'],
    }),
    result: page(Member),
  },
  'workspace_members.get': {
    summary: 'Show a member of a workspace',
    route: 'GET /v1/workspace_members/{workspaceId}/{userId}',
    access: ['workspace_members:read'],
    path: object(member),
    result: Member,
    errors: ['not_found'],
  },
  'workspace_members.patch': {
    summary: 'Change what a member is and may do',
    description: 'Making somebody admin or owner needs a session. `scopes` can narrow a position, never widen it.',
    route: 'PATCH /v1/workspace_members/{workspaceId}/{userId}',
    access: ['workspace_members:write'],
    restricted: agentCallers,
    path: object(member),
    body: object({
      position: Type.Optional(position),
      scopes: Type.Optional(narrowed),
      status: Type.Optional(choice(['active', 'suspended'])),
    }),
    result: Member,
    errors: ['not_found', 'conflict'],
  },
  'workspace_members.del': {
    summary: 'Remove a member, or leave with your own id',
    description: 'Their keys in the workspace end at once. `preview` only says what would go along.',
    route: 'DELETE /v1/workspace_members/{workspaceId}/{userId}',
    access: ['workspace_members:delete'],
    restricted: agentCallers,
    self: 'userId',
    path: object(member),
    query: object({ preview: Type.Optional(Type.Boolean({ default: false })) }),
    result: object({
      ...deleted('workspace_member', member).properties,
      isPreview: Type.Boolean(),
      takesAlong: object({
        apiKeys: Type.Array(object({ id: Type.String(), name: Type.String() })),
        teams: Type.Array(object({ id: Type.String(), name: Type.String() })),
        invites: Type.Integer({ minimum: 0 }),
      }),
    }),
    errors: ['not_found', 'conflict'],
  },
  'workspace_members.invites.list': {
    summary: 'List the invites of a workspace',
    route: 'GET /v1/workspace_members/{workspaceId}/invites',
    access: ['workspace_members:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'id', 'email', 'expiresAt', 'updated'],
      filter: ['id', 'email', 'position', 'status', 'createdBy'],
    }),
    result: page(Invite),
  },
  'workspace_members.invites.post': {
    summary: 'Invite somebody by mail, or make an open link',
    description: 'Without `email` it is an open link. The token is shown this once; a mailed invite has one use.',
    route: 'POST /v1/workspace_members/invites',
    access: ['workspace_members:write'],
    restricted: agentCallers,
    body: object({
      workspaceId: WorkspaceId,
      email: Type.Optional(personal(nullable(email))),
      position,
      teamIds: Type.Optional(Type.Array(TeamId, { maxItems: 50 })),
      maxUses: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1 })),
      expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 7 })),
    }),
    result: InviteWithToken,
    status: 201,
    errors: ['not_found'],
  },
  'workspace_members.invites.resend': {
    summary: 'Send an invite again, with a new token',
    description: 'The old token ends.',
    route: 'POST /v1/workspace_members/{workspaceId}/invites/{inviteId}/resend',
    access: ['workspace_members:write'],
    restricted: agentCallers,
    path: object(invite),
    result: InviteWithToken,
    errors: ['not_found'],
  },
  'workspace_members.invites.del': {
    summary: 'Revoke an invite',
    route: 'DELETE /v1/workspace_members/{workspaceId}/invites/{inviteId}',
    access: ['workspace_members:delete'],
    restricted: agentCallers,
    path: object(invite),
    result: deleted('invite', invite),
    errors: ['not_found'],
  },
  'workspace_members.invites.accept': {
    summary: 'Accept an invite as the signed-in user',
    route: 'POST /v1/workspace_members/invites/accept',
    access: 'user',
    body: object({ token: secret({ minLength: 1, maxLength: 128 }) }),
    result: Member,
    errors: ['not_found'],
  },
})
