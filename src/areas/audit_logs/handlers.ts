// Carries out the operations on the audit log.
import { notFound } from '../../contract/errors.ts'
import { filteredExport, filteredNote } from '../../contract/ledger_verifier.ts'
import { isAudited } from '../../contract/operation.ts'
import type { Db } from '../../kit/db.ts'
import { implement, staged } from '../../kit/implement.ts'
import { rowBefore } from '../../kit/ledger_check.ts'
import { chainFile } from '../../kit/ledger_file.ts'
import { areas, operation, operationIds } from '../../operations.ts'
import { auditLogs } from './contract.ts'
import { csvEntry, csvTitles } from './csv.ts'
import * as store from './store.ts'
import { checkInTurn } from './verification.ts'

export default implement(auditLogs, {
  'audit_logs.list': ({ db }, { workspaceId, ...query }) => store.pageOfLogs(db, query, workspaceId),

  'audit_logs.get': async ({ db }, { workspaceId, id }) => {
    const entry = await store.find(db, workspaceId, id)
    if (!entry) throw notFound('entry')
    return entry
  },

  'audit_logs.actions': async () => {
    const written = operationIds.flatMap(id => {
      const declared = operation(id)
      return declared && (isAudited(declared) || declared.access !== 'public')
        ? [{ action: id, summary: declared.summary }]
        : []
    })
    const caused = areas.flatMap(area => Object.entries(area.events).map(([action, summary]) => ({ action, summary })))
    return { actions: [...written, ...caused].sort((one, other) => (one.action < other.action ? -1 : 1)) }
  },

  'audit_logs.verify': async ({ db, settings }, { workspaceId, fromSeq, toSeq, expectSeq, expectHash }) => {
    const check = await checkInTurn(db, settings, workspaceId, { fromSeq, toSeq })
    const broken = check.broken ?? (await expectation(db, workspaceId, expectSeq, expectHash))
    return {
      ok: broken === null,
      checked: check.checked,
      firstBrokenSeq: broken?.seq ?? null,
      problem: broken?.problem ?? null,
      headSeq: check.head.seq,
      headHash: check.head.hash,
      publicKey: settings.exportKey.publicKey,
      earlierPublicKeys: await store.earlierExportKeys(db),
    }
  },

  'audit_logs.export': staged(
    async ({ db, settings }, { workspaceId, format = 'ndjson', from, to, ...filters }) => {
      const { least, most } = await store.seqSpan(db, workspaceId, { from, to })
      const span = { after: (least ?? 1) - 1, upTo: most ?? 0 }
      if (format === 'csv') return { chunks: csvFile(db, workspaceId, span, filters), format }
      const isFiltered = Object.keys(filters).length > 0
      const chunks = isFiltered
        ? filteredFile(db, workspaceId, span, filters)
        : chainFile(db, settings, workspaceId, await store.exportStart(db, workspaceId, span.after), span.upTo)
      return { chunks, format }
    },
    async ({ note }, { workspaceId, from, to, ...filters }, { chunks, format }) => {
      note({ target: { object: 'audit_log', id: workspaceId }, after: { from, to, ...filters, format } })
      const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
      return { contentType, fileName: `audit_log_${workspaceId}.${format}`, chunks }
    },
  ),
})

async function expectation(db: Db, chain: string, seq: number | undefined, expected: string | undefined) {
  if (seq === undefined || expected === undefined) return null
  const row = await rowBefore(db, chain, seq + 1)
  return row?.hash === expected ? null : { seq, problem: 'the entry differs from the one that was expected' }
}

/** Without what the filters leave out there is no chain: its first line says so, and nothing is signed. */
async function* filteredFile(db: Db, chain: string, span: SeqSpan, filters: store.Filters) {
  yield `${JSON.stringify({ type: filteredExport, version: 1, chain, filters, note: filteredNote })}\n`
  let count = 0
  for await (const rows of store.matchingRows(db, chain, span, filters)) {
    count += rows.length
    yield rows.map(row => `${JSON.stringify(row)}\n`).join('')
  }
  yield `${JSON.stringify({ type: `${filteredExport}.end`, count })}\n`
}

type SeqSpan = { after: number; upTo: number }

async function* csvFile(db: Db, chain: string, span: SeqSpan, filters: store.Filters) {
  yield csvTitles
  for await (const entries of store.matchingEntries(db, chain, span, filters)) yield entries.map(csvEntry).join('')
}
