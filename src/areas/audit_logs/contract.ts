// The audit log: who did what, read from the ledger. Nobody may write or delete here.
import { Type } from 'typebox'
import { id, WorkspaceId } from '../../contract/ids.ts'
import { list, pageWithNext } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, nullable, object, personal, record, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'

export const AuditLogId = id('aud', 24)

const outcome = choice(['success', 'denied'])

export const AuditLog = record('AuditLog', {
  id: AuditLogId,
  workspaceId: WorkspaceId,
  seq: Type.Integer({ minimum: 1 }),
  at: timestamp,
  action: Type.String({ description: 'The operation, or what a job did.', examples: ['api_keys.post'] }),
  outcome,
  reason: nullable(Type.String({ description: 'Why it was refused.' })),
  missing: Type.Array(Type.String({ description: 'Scopes that were missing.' })),
  omitted: Type.Integer({ minimum: 0, description: 'Refusals like this one that were left out before it.' }),
  actor: object({
    type: Type.String({ examples: ['session'] }),
    id: nullable(Type.String({ description: 'The user, team or system on whose behalf.' })),
    name: nullable(personal(Type.String())),
    credentialId: nullable(Type.String()),
    callerKind: nullable(Type.String()),
    surface: Type.String({ examples: ['rest'] }),
  }),
  target: nullable(object({ object: Type.String(), id: Type.String() })),
  changes: Type.Array(
    object({ path: Type.String(), before: Type.Optional(Type.Unknown()), after: Type.Optional(Type.Unknown()) }),
  ),
  requestId: nullable(Type.String()),
  cause: nullable(Type.String()),
  ip: personal(nullable(Type.String())),
  userAgent: personal(nullable(Type.String())),
  previousHash: Type.String(),
  hash: Type.String(),
  _object: choice(['audit_log']),
})

const listed = list({
  sort: ['seq', 'at', 'action'],
  filter: ['action', 'actorId', 'object', 'targetId', 'outcome'],
  also: ['span', 'after'],
})
const { orderBy: _by, order: _order, perPage: _size, page: _page, after: _after, ...narrowed } = listed.properties
const inWorkspace = object({ workspaceId: WorkspaceId })

export const auditLogs = area(
  'audit_logs',
  {
    'audit_logs.list': {
      summary: 'List what was done in a workspace',
      route: 'GET /v1/audit_logs/{workspaceId}',
      words: 'history activity recent happened yesterday who deleted changed log events',
      access: ['audit_logs:read'],
      path: inWorkspace,
      query: listed,
      result: pageWithNext(AuditLog),
    },
    'audit_logs.get': {
      summary: 'Show one entry of the audit log',
      route: 'GET /v1/audit_logs/{workspaceId}/{id}',
      words: 'log event entry',
      access: ['audit_logs:read'],
      path: object({ workspaceId: WorkspaceId, id: AuditLogId }),
      result: AuditLog,
      errors: ['not_found'],
    },
    'audit_logs.actions': {
      summary: 'List the actions that an audit log can hold',
      route: 'GET /v1/audit_logs/{workspaceId}/actions',
      words: 'events kinds audited types',
      access: ['audit_logs:read'],
      path: inWorkspace,
      result: object({ actions: Type.Array(object({ action: Type.String(), summary: Type.String() })) }),
    },
    'audit_logs.verify': {
      summary: 'Check that no entry was changed, removed or reordered',
      description: 'With `expectSeq` and `expectHash` of an earlier export, also that this entry still stands.',
      route: 'GET /v1/audit_logs/{workspaceId}/verify',
      words: 'tampering integrity chain',
      access: ['audit_logs:read'],
      path: inWorkspace,
      query: object({
        fromSeq: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        toSeq: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        expectSeq: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        expectHash: Type.Optional(Type.String({ maxLength: 64 })),
      }),
      result: object({
        ok: Type.Boolean(),
        checked: Type.Integer({ minimum: 0 }),
        firstBrokenSeq: nullable(Type.Integer()),
        problem: nullable(Type.String()),
        headSeq: Type.Integer({ minimum: 0 }),
        headHash: Type.String(),
        publicKey: Type.String({ description: 'Signs exports; compare it with the one in a file.' }),
        earlierPublicKeys: Type.Array(Type.String(), {
          description: 'Signed exports before the instance changed its secret key; newest first.',
        }),
      }),
    },
    'audit_logs.export': {
      summary: 'Export the audit log as NDJSON or CSV',
      description:
        'Streamed. NDJSON can be checked offline with `atrium audit verify FILE`, a span of time too. With the filters of ' +
        'the list, entries are left out: such a file says so in its first line and cannot be verified as a chain. ' +
        'The export is itself recorded.',
      route: 'GET /v1/audit_logs/{workspaceId}/export',
      access: ['audit_logs:export'],
      restricted: agentCallers,
      path: inWorkspace,
      query: object({ format: Type.Optional(choice(['ndjson', 'csv'], { default: 'ndjson' })), ...narrowed }),
      result: Type.String({ description: 'A file, not the envelope.' }),
      produces: ['application/x-ndjson', 'text/csv'],
      audit: true,
    },
  },
  {
    about: 'Who did what in a workspace, in a log that cannot be changed unnoticed.',
    leaves: { ledger_checkpoints: 'the signed file of the ledger says where it begins' },
    events: {
      'audit_logs.pruned': 'Entries older than the retention were removed behind a signed checkpoint',
      'audit_logs.begun': "The instance's chain recorded that another chain began",
      'audit_logs.anchored': "The instance's chain recorded where another chain stands",
    },
  },
)
