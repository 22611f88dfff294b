// The audit log: who did what, read from the ledger. Nobody may write or delete here.
import { Type } from 'typebox'
import { id, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
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

const span = {
  from: Type.Optional({ ...timestamp, description: 'At this time or later.' }),
  to: Type.Optional({ ...timestamp, description: 'Before this time.' }),
}
const inWorkspace = object({ workspaceId: WorkspaceId })

export const auditLogs = area(
  'audit_logs',
  {
    'audit_logs.list': {
      summary: 'List what was done in a workspace',
      route: 'GET /v1/audit_logs/{workspaceId}',
      access: ['audit_logs:read'],
      path: inWorkspace,
      query: list({
        sort: ['seq', 'at', 'action'],
        filter: ['action', 'actorId', 'object', 'targetId', 'outcome'],
        extra: span,
      }),
      result: page(AuditLog),
    },
    'audit_logs.get': {
      summary: 'Show one entry of the audit log',
      route: 'GET /v1/audit_logs/{workspaceId}/{id}',
      access: ['audit_logs:read'],
      path: object({ workspaceId: WorkspaceId, id: AuditLogId }),
      result: AuditLog,
      errors: ['not_found'],
    },
    'audit_logs.actions': {
      summary: 'List the actions that an audit log can hold',
      route: 'GET /v1/audit_logs/{workspaceId}/actions',
      access: ['audit_logs:read'],
      path: inWorkspace,
      result: object({ actions: Type.Array(object({ action: Type.String(), summary: Type.String() })) }),
    },
    'audit_logs.verify': {
      summary: 'Check that no entry was changed, removed or reordered',
      description: 'With `expectSeq` and `expectHash` of an earlier export, also that this entry still stands.',
      route: 'GET /v1/audit_logs/{workspaceId}/verify',
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
        'Streamed. NDJSON can be checked offline with `atrium audit verify FILE`. The export is itself recorded.',
      route: 'GET /v1/audit_logs/{workspaceId}/export',
      access: ['audit_logs:export'],
      restricted: agentCallers,
      path: inWorkspace,
      query: object({ format: Type.Optional(choice(['ndjson', 'csv'], { default: 'ndjson' })), ...span }),
      result: Type.String({ description: 'A file, not the envelope.' }),
      produces: ['application/x-ndjson', 'text/csv'],
      audit: true,
    },
  },
  {
    'audit_logs.pruned': 'Entries older than the retention were removed behind a signed checkpoint',
  },
)
