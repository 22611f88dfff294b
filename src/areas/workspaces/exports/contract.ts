// Exports: a workspace as one file, with which it can leave.
import { Type } from 'typebox'
import { id, UserId, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { agentCallers, type Scope, scopes } from '../../../contract/scopes.ts'

export const WorkspaceExportId = id('wexp', 24)

const count = Type.Integer({ minimum: 0 })

export const WorkspaceExport = record('WorkspaceExport', {
  id: WorkspaceExportId,
  workspaceId: WorkspaceId,
  userId: { ...UserId, description: 'Who asked for it. Nobody else can fetch the file.' },
  status: choice(['waiting', 'running', 'ready', 'failed']),
  part: nullable(Type.String({ description: 'What is being packed.', examples: ['issues'] })),
  done: { ...count, description: 'How many parts are packed.' },
  total: { ...count, description: 'How many parts there are; 0 until it is known.' },
  size: nullable({ ...count, description: 'Bytes of the file, once it is ready.' }),
  sha256: nullable(Type.String({ description: 'Of the file, in hexadecimal.' })),
  error: nullable(Type.String({ examples: ['The archive would be too large for a zip.'] })),
  expiresAt: { ...timestamp, description: 'Then the file is removed.' },
  created: timestamp,
  updated: timestamp,
  _object: choice(['workspace_export']),
})

const path = object({ workspaceId: WorkspaceId })
const one = object({ workspaceId: WorkspaceId, exportId: WorkspaceExportId })
const people = ['session', 'oauth'] as const
/** An archive has what every area has: whoever may not read one of them gets no file with it. */
const everything: readonly [Scope, ...Scope[]] = [
  'workspaces:read',
  'audit_logs:export',
  ...scopes.filter(scope => scope.endsWith(':read') && scope !== 'workspaces:read'),
]

export const exports = area('workspaces', {
  'workspaces.exports.post': {
    summary: 'Export a workspace with everything in it',
    description:
      'Answers at once; `workspaces.exports.get` shows how far it is, and `workspaces.exports.file` sends the zip for 24 ' +
      'hours. It has the rows of every area, files, repositories, rows of datasets and the signed ledger, and no secret. ' +
      'What is private to others stays behind. It takes the right to read every area. While one is under way, it is ' +
      'the answer; when it is ready it takes the place of earlier ones.',
    past: 'asked for an export of',
    route: 'POST /v1/workspaces/{workspaceId}/exports',
    words: 'archive leave download backup takeout dump everything move',
    access: ['workspaces:write', ...everything],
    credentials: people,
    restricted: agentCallers,
    whileDeleting: true,
    tool: false,
    path,
    result: WorkspaceExport,
    status: 202,
  },
  'workspaces.exports.list': {
    summary: 'List my exports of a workspace',
    description: 'Those that I asked for and whose file is not removed yet: one that is ready, and one under way.',
    route: 'GET /v1/workspaces/{workspaceId}/exports',
    words: 'archive download progress earlier',
    access: ['workspaces:read'],
    credentials: people,
    restricted: agentCallers,
    whileDeleting: true,
    tool: false,
    path,
    query: list({ sort: ['created', 'id'], filter: ['id', 'status'] }),
    result: page(WorkspaceExport),
  },
  'workspaces.exports.get': {
    summary: 'Show how far an export is',
    route: 'GET /v1/workspaces/{workspaceId}/exports/{exportId}',
    words: 'archive progress status',
    access: ['workspaces:read'],
    credentials: people,
    restricted: agentCallers,
    whileDeleting: true,
    tool: false,
    path: one,
    result: WorkspaceExport,
    errors: ['not_found'],
  },
  'workspaces.exports.file': {
    summary: 'Download an export',
    description:
      'A zip, for who asked for it. `workspaces.import` takes it, on this installation or another, up to 1 GiB.',
    past: 'downloaded',
    route: 'GET /v1/workspaces/{workspaceId}/exports/{exportId}/file',
    words: 'archive fetch zip save',
    access: everything,
    credentials: people,
    restricted: agentCallers,
    whileDeleting: true,
    tool: false,
    audit: true,
    path: one,
    result: Type.String({ description: 'The zip.' }),
    produces: ['application/zip'],
    errors: ['not_found', 'conflict'],
  },
})
