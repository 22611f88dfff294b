// Workspaces: the tenant that everything else hangs under.
import { Type } from 'typebox'
import { UserId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { secretsSet } from '../../contract/sealed.ts'
import { AgentGiven, agentFields } from './agent/contract.ts'
import { AutofixSettings, AutofixSettingsGiven } from './autofix/contract.ts'
import { claims } from './claims/contract.ts'
import { Embeddings, EmbeddingsGiven } from './embeddings/contract.ts'
import { exports } from './exports/contract.ts'
import { imports } from './imports/contract.ts'

const name = Type.String({ minLength: 2, maxLength: 64, examples: ['Analytical Engines'] })
const slug = Type.String({
  minLength: 3,
  maxLength: 48,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  'x-hint': 'lowercase letters and digits, parts joined by single hyphens',
  examples: ['analytical-engines'],
})
const description = nullable(Type.String({ maxLength: 500, examples: ['Where the engine is built.'] }))

export const Workspace = record('Workspace', {
  id: WorkspaceId,
  name,
  slug,
  description,
  ownerId: UserId,
  status: choice(['active', 'suspended', 'deleting']),
  deleteAt: nullable(timestamp),
  created: timestamp,
  updated: timestamp,
  _object: choice(['workspace']),
})

const settings = {
  timezone: Type.String({ maxLength: 64, examples: ['Europe/London'] }),
  retention: object({ auditDays: Type.Integer({ minimum: 30, maximum: 3650 }) }),
  maxKeyAgeDays: nullable(Type.Integer({ minimum: 1, maximum: 3650 })),
  pages: object({
    links: Type.Boolean({ description: 'Whether pages may be published for everybody who has their address.' }),
    maxTtlDays: nullable(
      Type.Integer({ minimum: 1, maximum: 3650, description: 'How long a page may be read at the most.' }),
    ),
  }),
  agent: object(agentFields),
  autofix: AutofixSettings,
  embeddings: Embeddings,
}

export const Settings = record('WorkspaceSettings', { ...settings, secretsSet })

const path = object({ workspaceId: WorkspaceId })

/** All but exports, imports and claims. */
export const own = area('workspaces', {
  'workspaces.list': {
    summary: 'List the workspaces of the caller',
    description: 'A session sees its memberships, a key its one workspace.',
    route: 'GET /v1/workspaces',
    words: 'organizations organisations belong tenants',
    access: ['workspaces:read'],
    whileDeleting: true,
    query: list({
      sort: ['id', 'name', 'slug', 'created', 'updated'],
      filter: ['id', 'name', 'slug', 'ownerId', 'status'],
    }),
    result: page(Workspace),
  },
  'workspaces.get': {
    summary: 'Show a workspace',
    route: 'GET /v1/workspaces/{workspaceId}',
    words: 'organization organisation details',
    access: ['workspaces:read'],
    whileDeleting: true,
    path,
    result: Workspace,
    errors: ['not_found'],
  },
  'workspaces.post': {
    summary: 'Create a workspace',
    description: 'Without a slug, one is made from the name. A key is bound to its workspace and cannot make another.',
    route: 'POST /v1/workspaces',
    words: 'organization organisation new tenant',
    access: ['workspaces:write'],
    credentials: ['session', 'oauth'],
    restricted: agentCallers,
    body: object({ name, slug: Type.Optional(slug), description: Type.Optional(description) }),
    result: Workspace,
    status: 201,
  },
  'workspaces.patch': {
    summary: 'Change a workspace, or hand it to another owner',
    description: 'A new `ownerId` must be an admin of the workspace; the owner who hands it over becomes admin.',
    route: 'PATCH /v1/workspaces/{workspaceId}',
    words: 'organization rename ownership transfer owner',
    access: ['workspaces:write'],
    path,
    body: object({
      name: Type.Optional(name),
      slug: Type.Optional(slug),
      description: Type.Optional(description),
      ownerId: Type.Optional(UserId),
    }),
    result: Workspace,
    errors: ['not_found', 'conflict'],
  },
  'workspaces.settings.get': {
    summary: 'Show the settings of a workspace',
    route: 'GET /v1/workspaces/{workspaceId}/settings',
    words: 'configuration preferences options',
    access: ['workspaces:read'],
    path,
    result: Settings,
  },
  'workspaces.settings.patch': {
    summary: 'Change the settings of a workspace',
    description:
      'Of `agent`, `autofix` and `embeddings`, only the fields that are sent change. The key of an endpoint is never shown again, ' +
      'and goes when `baseUrl` names another host. `embeddings` names an endpoint by which memories are found by ' +
      'meaning too, where the database has pgvector: `isUsed` says whether they are.',
    route: 'PATCH /v1/workspaces/{workspaceId}/settings',
    words: 'configure configuration preferences options',
    access: ['workspaces:write'],
    restricted: agentCallers,
    path,
    body: object({
      timezone: Type.Optional(settings.timezone),
      retention: Type.Optional(settings.retention),
      maxKeyAgeDays: Type.Optional(settings.maxKeyAgeDays),
      pages: Type.Optional(settings.pages),
      agent: Type.Optional(AgentGiven),
      autofix: Type.Optional(AutofixSettingsGiven),
      embeddings: Type.Optional(EmbeddingsGiven),
    }),
    result: Settings,
  },
  'workspaces.del': {
    summary: 'Delete a workspace; it can be restored for 30 days',
    description: 'Its keys stop at once. `confirm` must be the slug of the workspace.',
    past: 'asked to delete',
    route: 'DELETE /v1/workspaces/{workspaceId}',
    words: 'organization remove',
    access: ['workspaces:delete'],
    restricted: agentCallers,
    whileDeleting: true,
    path,
    query: object({ confirm: Type.String({ maxLength: 256, examples: ['analytical-engines'] }) }),
    result: Workspace,
    errors: ['not_found', 'conflict'],
  },
  'workspaces.restore': {
    summary: 'Restore a workspace that is about to be deleted',
    route: 'POST /v1/workspaces/{workspaceId}/restore',
    words: 'undo deletion deleted recover organization',
    access: ['workspaces:delete'],
    restricted: agentCallers,
    whileDeleting: true,
    path,
    result: Workspace,
    errors: ['not_found'],
  },
})

export const workspaces = area(
  'workspaces',
  { ...own.operations, ...exports.operations, ...imports.operations, ...claims.operations },
  {
    about: 'Workspaces, their settings, their export and import, and their end.',
    carries: { workspace_members: {} },
    leaves: {
      workspaces: 'is carried by itself',
      workspace_deleted_usage: 'is counted by this installation',
      workspace_embeddings: 'says what failed here',
      workspace_exports: 'is about files of this installation',
      workspace_file_pieces: 'is carried as the ledgers that it holds',
      workspace_histories: 'is carried as files',
      workspace_imports: 'is about imports that are under way here',
      workspace_plans: 'is what this installation grants',
      placeholders: 'people are carried by themselves',
    },
    notifies: {
      'workspaces.imported': {
        title: 'A workspace is imported in which I may claim a place',
        text: 'Somebody imported a workspace that names your address: claim your place in your inbox, or leave it',
        outside: true,
      },
    },
    events: {
      'workspaces.purged': 'A deleted workspace ended for good when its time to be restored was over',
    },
  },
)
