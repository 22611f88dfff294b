// The audit log as a spreadsheet.
import { csvLine } from '../../kit/csv.ts'
import type { AuditLogRow } from './store.ts'

const titles = [
  'seq',
  'at',
  'action',
  'outcome',
  'reason',
  'actor_type',
  'actor_id',
  'actor_name',
  'credential_id',
  'caller_kind',
  'surface',
  'object',
  'object_id',
  'changes',
  'request_id',
  'ip',
  'user_agent',
  'hash',
]

export const csvTitles = csvLine(titles)

export function csvEntry(entry: AuditLogRow): string {
  const { actor, target } = entry
  return csvLine([
    entry.seq,
    entry.at,
    entry.action,
    entry.outcome,
    entry.reason,
    actor.type,
    actor.id,
    actor.name,
    actor.credentialId,
    actor.callerKind,
    actor.surface,
    target?.object,
    target?.id,
    JSON.stringify(entry.changes),
    entry.requestId,
    entry.ip,
    entry.userAgent,
    entry.hash,
  ])
}
