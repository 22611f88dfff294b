// Who belongs to a workspace, as what, and how people get in and out.
import { Type } from 'typebox'
import { id, TeamId, UserId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { roles } from '../../contract/permissions.ts'
import { choice, deleted, nullable, object, personal, record, secret, timestamp } from '../../contract/records.ts'
import { agentCallers, scopes } from '../../contract/scopes.ts'

export const InviteId = id('invite', 24)

const position = choice(roles, { examples: ['member'] })
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

/** As much as somebody needs to decide; nothing that names a record. */
const InvitePreview = record('InvitePreview', {
  workspaceName: Type.String({ examples: ['Analytical Engine'] }),
  inviterName: nullable(Type.String({ examples: ['Ada Lovelace'] })),
  position,
  isForAddress: Type.Boolean({ description: 'Whether only the account with the invited address can accept it.' }),
  expiresAt: timestamp,
  _object: choice(['invite_preview']),
})

const member = { workspaceId: WorkspaceId, userId: UserId }
const invite = { workspaceId: WorkspaceId, inviteId: InviteId }

export const workspaceMembers = area(
  'workspace_members',
  {
    'workspace_members.list': {
      summary: 'List the members of a workspace',
      route: 'GET /v1/workspace_members/{workspaceId}',
      words: 'users people who roles find person everybody',
      access: ['workspace_members:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'userId', 'position', 'forename', 'lastActive', 'updated'],
        filter: ['userId', 'position', 'status', 'email', 'username'],
        also: ['q'],
      }),
      result: page(Member),
    },
    'workspace_members.get': {
      summary: 'Show a member of a workspace',
      route: 'GET /v1/workspace_members/{workspaceId}/{userId}',
      words: 'user person',
      access: ['workspace_members:read'],
      path: object(member),
      result: Member,
      errors: ['not_found'],
    },
    'workspace_members.patch': {
      counts: 'members',
      summary: 'Change what a member is and may do',
      description: 'Making somebody admin or owner needs a session. `scopes` can narrow a position, never widen it.',
      route: 'PATCH /v1/workspace_members/{workspaceId}/{userId}',
      words: 'role admin suspend promote demote user make someone position permissions',
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
      words: 'kick out user person leave remove from workspace',
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
          records: Type.Array(
            object({
              object: Type.String({ examples: ['api_key'] }),
              id: Type.String(),
              title: Type.String(),
              ends: Type.Boolean({
                description: 'True where it ends; false where it passes to the workspace’s owner.',
              }),
            }),
            { description: 'Everything that the member owns here.' },
          ),
          teams: Type.Array(object({ id: Type.String(), name: Type.String() })),
          invites: Type.Integer({ minimum: 0 }),
        }),
      }),
      errors: ['not_found', 'conflict'],
    },
    'workspace_members.invites.list': {
      summary: 'List the invites of a workspace',
      route: 'GET /v1/workspace_members/{workspaceId}/invites',
      words: 'pending invitations',
      access: ['workspace_members:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'id', 'email', 'expiresAt', 'updated'],
        filter: ['id', 'email', 'position', 'status', 'createdBy', 'teamIds'],
      }),
      result: page(Invite),
    },
    'workspace_members.invites.post': {
      summary: 'Invite somebody by mail, or make an open link',
      description: 'Without `email` it is an open link. The token is shown this once; a mailed invite has one use.',
      route: 'POST /v1/workspace_members/invites',
      words: 'invitation colleague add new user people person send email workspace',
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
      words: 'invitation again',
      access: ['workspace_members:write'],
      restricted: agentCallers,
      path: object(invite),
      result: InviteWithToken,
      errors: ['not_found'],
    },
    'workspace_members.invites.del': {
      summary: 'Revoke an invite',
      past: 'revoked',
      route: 'DELETE /v1/workspace_members/{workspaceId}/invites/{inviteId}',
      words: 'cancel invitation withdraw',
      access: ['workspace_members:delete'],
      restricted: agentCallers,
      path: object(invite),
      result: deleted('invite', invite),
      errors: ['not_found'],
    },
    'workspace_members.invites.preview': {
      summary: 'Show what an invite leads to, by its token',
      description: 'For whoever holds the token. One that is unknown, used up, revoked or expired is not found.',
      route: 'POST /v1/workspace_members/invites/preview',
      words: 'who invited me invitation inviter role as what',
      access: 'public',
      unverified: true,
      audit: false,
      body: object({ token: secret({ minLength: 1, maxLength: 128 }) }),
      result: InvitePreview,
      errors: ['not_found'],
    },
    'workspace_members.invites.accept': {
      counts: 'members',
      summary: 'Accept an invite as the signed-in user',
      past: 'accepted an invite and became',
      route: 'POST /v1/workspace_members/invites/accept',
      words: 'join invitation',
      access: 'user',
      body: object({ token: secret({ minLength: 1, maxLength: 128 }) }),
      result: Member,
      errors: ['not_found'],
    },
  },
  {
    about: 'Who belongs to a workspace, as what, and how people join.',
    leaves: { invites: 'opens the workspace: invite again' },
    records: {
      workspace_member: {
        id: UserId,
        table: 'workspace_members',
        key: 'user_id',
        title: ['forename', 'surname'],
        told: { table: 'users', by: 'user_id' },
        search: ['forename', 'surname', 'username', 'proven_email'],
      },
    },
    refers: { 'invites.team_ids': 'team[]' },
    notifies: {
      'workspace_members.invites.post': {
        title: 'I am invited to a workspace',
        text: 'You are invited to {workspace} as {position}: the link is in the mail, or with whoever invited you',
        outside: true,
        ownMail: true,
      },
      'workspace_members.patch': {
        title: 'My role in a workspace is changed',
        text: '{actor} changed your role in {workspace} to {position}',
      },
      'workspace_members.del': {
        title: 'I am removed from a workspace',
        text: 'You were removed from {workspace}',
        outside: true,
      },
    },
  },
)
