// Imports: an archive of a workspace becomes that workspace, on this installation or another.
import { Type } from 'typebox'
import { UserId, WorkspaceId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { planDimensions } from '../../../contract/plans.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'

const count = Type.Integer({ minimum: 0 })
const gibibyte = 1024 * 1024 * 1024

export const WorkspaceImport = record('WorkspaceImport', {
  id: { ...WorkspaceId, description: 'Of the workspace that it makes; of a dry run, the id that it would have now.' },
  dryRun: Type.Boolean({ description: 'Nothing was written.' }),
  name: Type.String(),
  slug: Type.String({ description: 'Another one than in the archive where that is taken here.' }),
  ownerId: UserId,
  source: object({
    workspaceId: Type.String(),
    made: timestamp,
    publicKey: Type.String({
      description: 'Of the installation that signed the archive: compare it with what it says.',
    }),
    ledgerEntries: { ...count, description: 'Entries of its ledger, kept as history with their signature.' },
  }),
  tables: Type.Array(object({ area: Type.String(), table: Type.String(), rows: count }), {
    description: 'Those that the archive has records of.',
  }),
  files: object({ count, bytes: count }),
  ids: object({ kept: count, renewed: { ...count, description: 'Ids that records have here already.' } }),
  people: object({
    placeholders: { ...count, description: 'All but who imports: whoever has proven the address of one may claim it.' },
  }),
  beyondPlan: Type.Array(object({ dimension: choice(planDimensions), limit: count, current: count }), {
    description: 'What the archive has more of than the plan of a new workspace: with any, an import is refused.',
  }),
  secretsToSet: Type.Array(
    object({
      table: Type.String({ examples: ['integrations'] }),
      count,
      first: Type.Array(object({ id: Type.String(), names: Type.Array(Type.String(), { examples: [['token']] }) })),
    }),
    { description: 'No archive has them: set them again here. How many, and the first hundred.' },
  ),
  warnings: Type.Array(Type.String(), {
    description: 'What the archive has and this version does not know: the first hundred.',
  }),
  imported: nullable(timestamp),
  _object: choice(['workspace_import']),
})

export const ImportProgress = record('ImportProgress', {
  phase: choice(['none', 'checking', 'writing'], { description: '`none` where no import of mine is under way.' }),
  part: nullable(Type.String({ description: 'What is looked at or written.', examples: ['issues'] })),
  done: { ...count, description: 'How many parts of this phase are done.' },
  total: count,
  _object: choice(['import_progress']),
})

export const imports = area('workspaces', {
  'workspaces.import': {
    summary: 'Import a workspace from an export',
    description:
      'Takes the zip of `workspaces.exports.file`, of this installation or another. The whole archive is checked before ' +
      'anything is written; with `dryRun` nothing is. Ids are kept where they are free. Who imports is the owner. Everybody ' +
      'else is a placeholder, which who has proven that address may claim (`workspaces.claims.accept`); whether somebody ' +
      'has an account here is not told. Automations are off, integrations paused, and secrets must be set again.',
    past: 'imported',
    route: 'POST /v1/workspaces/import',
    words: 'archive restore move migrate upload zip bring',
    access: ['workspaces:write'],
    credentials: ['session', 'oauth'],
    restricted: agentCallers,
    tool: false,
    query: object({ dryRun: Type.Optional(Type.Boolean({ default: false })) }),
    consumes: ['zip'],
    bodyLimit: gibibyte,
    bodyOnDisk: true,
    result: WorkspaceImport,
    status: 201,
    also: { 200: WorkspaceImport },
    errors: ['payment_required'],
  },
  'workspaces.imports.get': {
    summary: 'Show how far my import is',
    description: 'For who waits for `workspaces.import`, of which one of a person is read at a time.',
    route: 'GET /v1/workspaces/imports',
    words: 'archive progress status',
    access: 'user',
    result: ImportProgress,
  },
})
