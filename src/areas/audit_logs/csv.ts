// The audit log as a spreadsheet, in which no cell can be made to run.
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

export const csvTitles = `${titles.join(',')}\r\n`

export function csvLine(entry: AuditLogRow): string {
  const { actor, target } = entry
  const cells = [
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
  ]
  return `${cells.map(cell).join(',')}\r\n`
}

/** A leading =, +, -, @, tab or line break would be taken for a formula: an apostrophe makes it text. */
function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
