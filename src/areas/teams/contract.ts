// Teams: groups of members that can own keys and records.
import { Type } from 'typebox'
import { TeamId, UserId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, personal, record, shown, timestamp } from '../../contract/records.ts'

const name = Type.String({ minLength: 2, maxLength: 64, examples: ['Difference Engine'] })
const slug = Type.String({
  minLength: 2,
  maxLength: 48,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  'x-hint': 'lowercase letters and digits, parts joined by single hyphens',
  examples: ['difference-engine'],
})
const description = nullable(Type.String({ maxLength: 256 }))
const color = nullable(
  shown(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', 'x-hint': 'a colour such as #3366cc', examples: ['#3366cc'] }), {
    format: 'colour',
  }),
)
const icon = nullable(Type.String({ maxLength: 32 }))
const lead = nullable(UserId)

export const Team = record('Team', {
  id: TeamId,
  workspaceId: WorkspaceId,
  name,
  slug,
  description,
  color,
  icon,
  lead,
  memberCount: Type.Integer({ minimum: 0 }),
  created: timestamp,
  updated: timestamp,
  _object: choice(['team']),
})

export const TeamMember = record('TeamMember', {
  teamId: TeamId,
  workspaceId: WorkspaceId,
  userId: UserId,
  forename: personal(Type.String()),
  surname: personal(nullable(Type.String())),
  username: personal(nullable(Type.String())),
  created: timestamp,
  _object: choice(['team_member']),
})

const team = { workspaceId: WorkspaceId, id: TeamId }
const member = { ...team, userId: UserId }

export const teams = area(
  'teams',
  {
    'teams.list': {
      summary: 'List the teams of a workspace',
      route: 'GET /v1/teams/{workspaceId}',
      words: 'groups',
      access: ['teams:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['id', 'name', 'slug', 'created', 'updated'],
        filter: ['id', 'name', 'slug', 'lead'],
        also: ['q'],
      }),
      result: page(Team),
    },
    'teams.get': {
      summary: 'Show a team',
      route: 'GET /v1/teams/{workspaceId}/{id}',
      words: 'group',
      access: ['teams:read'],
      path: object(team),
      result: Team,
      errors: ['not_found'],
    },
    'teams.post': {
      summary: 'Create a team',
      description: 'Without a slug, one is made from the name.',
      route: 'POST /v1/teams',
      words: 'group people',
      access: ['teams:write'],
      body: object({
        workspaceId: WorkspaceId,
        name,
        slug: Type.Optional(slug),
        description: Type.Optional(description),
        color: Type.Optional(color),
        icon: Type.Optional(icon),
        lead: Type.Optional(lead),
      }),
      result: Team,
      status: 201,
    },
    'teams.patch': {
      summary: 'Change a team',
      route: 'PATCH /v1/teams/{workspaceId}/{id}',
      words: 'group rename',
      access: ['teams:write'],
      path: object(team),
      body: object({
        name: Type.Optional(name),
        slug: Type.Optional(slug),
        description: Type.Optional(description),
        color: Type.Optional(color),
        icon: Type.Optional(icon),
        lead: Type.Optional(lead),
      }),
      result: Team,
      errors: ['not_found', 'conflict'],
    },
    'teams.del': {
      summary: 'Delete a team',
      description: 'Refused while it owns records, unless `transferTo` names the team that takes them over.',
      route: 'DELETE /v1/teams/{workspaceId}/{id}',
      words: 'group',
      access: ['teams:delete'],
      path: object(team),
      query: object({ transferTo: Type.Optional(TeamId) }),
      result: deleted('team', team),
      errors: ['not_found', 'conflict'],
    },
    'teams.members.list': {
      summary: 'List the members of a team',
      route: 'GET /v1/teams/{workspaceId}/{id}/members',
      words: 'who people users group',
      access: ['teams:read'],
      path: object(team),
      query: list({ sort: ['created', 'userId', 'forename'], filter: ['userId', 'username'], also: ['q'] }),
      result: page(TeamMember),
      errors: ['not_found'],
    },
    'teams.members.post': {
      summary: 'Add a member of the workspace to a team',
      past: 'added to a team:',
      route: 'POST /v1/teams/{workspaceId}/{id}/members',
      words: 'person user someone group add',
      access: ['teams:write'],
      path: object(team),
      body: object({ userId: UserId }),
      result: TeamMember,
      status: 201,
      errors: ['not_found'],
    },
    'teams.members.del': {
      summary: 'Take somebody out of a team, or leave it',
      past: 'took out of a team:',
      route: 'DELETE /v1/teams/{workspaceId}/{id}/members/{userId}',
      words: 'person user someone group take off remove',
      access: ['teams:delete'],
      self: 'userId',
      path: object(member),
      result: deleted('team_member', member),
      errors: ['not_found'],
    },
  },
  {
    about: 'Groups of members.',
    carries: { teams: {}, team_members: {} },
    records: { team: { id: TeamId, table: 'teams', title: 'name', search: ['name', 'description'] } },
    refers: { 'teams.lead_id': 'workspace_member' },
  },
)
