// Carries out the operations on the audit log.
import { hash } from 'node:crypto'
import { notFound } from '../../contract/errors.ts'
import { type ChainRow, checkChain, exportSeal, genesis, type Start, toldBy } from '../../contract/ledger_verifier.ts'
import { isAudited } from '../../contract/operation.ts'
import type { Db } from '../../kit/db.ts'
import { implement, staged } from '../../kit/implement.ts'
import type { Settings } from '../../kit/settings.ts'
import { areas, operation, operationIds } from '../../operations.ts'
import { auditLogs } from './contract.ts'
import { csvLine, csvTitles } from './csv.ts'
import * as store from './store.ts'

const sha256 = (text: string) => hash('sha256', text)

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
    const head = (await store.findHead(db, workspaceId)) ?? { ...genesis, signature: '' }
    const { start, problem } = await startOf(db, settings, workspaceId, fromSeq)
    const last = Math.min(toSeq ?? head.seq, head.seq)
    const rows = flat(store.filedAfter(db, workspaceId, start.seq, last))
    const chain = await checkChain(sha256, start, rows, filingProblem)
    const broken =
      (problem ? { seq: start.seq + 1, problem } : chain.broken) ??
      headProblem(settings, workspaceId, head, chain.end, last) ??
      (await expectation(db, workspaceId, expectSeq, expectHash))
    return {
      ok: broken === null,
      checked: chain.checked,
      firstBrokenSeq: broken?.seq ?? null,
      problem: broken?.problem ?? null,
      headSeq: head.seq,
      headHash: head.hash,
      publicKey: settings.exportKey.publicKey,
      earlierPublicKeys: await store.earlierExportKeys(db),
    }
  },

  'audit_logs.export': staged(
    async ({ db, settings }, { workspaceId, format = 'ndjson', from, to }) => {
      const { least, most } = await store.seqSpan(db, workspaceId, { from, to })
      const after = (least ?? 1) - 1
      const upTo = most ?? 0
      const chunks =
        format === 'csv'
          ? csvFile(db, workspaceId, after, upTo)
          : ndjsonFile(db, settings, workspaceId, await exportStart(db, workspaceId, after), upTo)
      return { chunks, format, fromSeq: after + 1, toSeq: upTo }
    },
    async ({ note }, { workspaceId }, { chunks, format }) => {
      note({ target: { object: 'audit_log', id: workspaceId }, after: { format } })
      const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
      return { contentType, fileName: `audit_log_${workspaceId}.${format}`, chunks }
    },
  ),
})

async function* flat<R>(batches: AsyncIterable<R[]>): AsyncGenerator<R> {
  for await (const rows of batches) yield* rows
}

/** The columns that an entry is found by must say what it says. */
function filingProblem(row: ChainRow & store.Filed): string | null {
  const { id, at, action, outcome, actorId, targetObject, targetId } = row
  const told = toldBy(row.entry) ?? {}
  const actor = told.actor as { id?: unknown } | null | undefined
  const target = told.target as { object?: unknown; id?: unknown } | null | undefined
  const pairs = [
    [id, told.id],
    [at, told.at],
    [action, told.action],
    [outcome, told.outcome],
    [actorId, actor?.id ?? null],
    [targetObject, target?.object ?? null],
    [targetId, target?.id ?? null],
  ]
  return pairs.every(([filed, said]) => filed === said) ? null : 'what the entry is found by was changed'
}

/** From the beginning, from the signed checkpoint, or from the row before a given one. */
async function startOf(
  db: Db,
  settings: Settings,
  chain: string,
  fromSeq: number | undefined,
): Promise<{ start: Start; problem: string | null }> {
  const checkpoint = await store.findCheckpoint(db, chain)
  const base: Start = checkpoint ? { seq: checkpoint.seq, hash: checkpoint.hash } : genesis
  if (checkpoint && checkpoint.signature !== settings.signLedger('checkpoint', chain, base.seq, base.hash)) {
    return { start: base, problem: 'the checkpoint of the pruning was changed' }
  }
  const before =
    fromSeq !== undefined && fromSeq > base.seq + 1 ? await store.startBefore(db, chain, fromSeq) : undefined
  return { start: before ?? base, problem: null }
}

/** A tail that was cut off, or a head that was moved, shows here: only the instance can sign a head. */
function headProblem(settings: Settings, chain: string, head: store.Head, end: Start, last: number) {
  if (head.seq === 0) return null
  if (head.signature !== settings.signLedger('head', chain, head.seq, head.hash)) {
    return { seq: head.seq, problem: 'the head of the chain was changed' }
  }
  if (end.seq < last) return { seq: end.seq + 1, problem: 'entries at the end are missing' }
  if (last === head.seq && end.hash !== head.hash)
    return { seq: end.seq, problem: 'the last entry is not the signed one' }
  return null
}

async function expectation(db: Db, chain: string, seq: number | undefined, expected: string | undefined) {
  if (seq === undefined || expected === undefined) return null
  const row = await store.startBefore(db, chain, seq + 1)
  return row?.hash === expected ? null : { seq, problem: 'the entry differs from the one that was expected' }
}

async function exportStart(db: Db, chain: string, after: number): Promise<Start> {
  if (after === 0) return genesis
  const checkpoint = await store.findCheckpoint(db, chain)
  if (checkpoint?.seq === after) return { seq: checkpoint.seq, hash: checkpoint.hash }
  return (await store.startBefore(db, chain, after + 1)) ?? genesis
}

/** Each line is what was hashed; the last one is signed, so that a cut file is found. */
async function* ndjsonFile(db: Db, settings: Settings, chain: string, start: Start, upTo: number) {
  yield `${JSON.stringify({ type: 'atrium.audit_export', version: 1, chain, start })}\n`
  let end = start
  let count = 0
  for await (const rows of store.rowsAfter(db, chain, start.seq, upTo)) {
    const last = rows.at(-1) as ChainRow
    end = { seq: last.seq, hash: last.hash }
    count += rows.length
    yield rows.map(row => `${JSON.stringify(row)}\n`).join('')
  }
  const { publicKey, sign } = settings.exportKey
  const signature = sign(exportSeal(chain, start, end))
  yield `${JSON.stringify({ type: 'atrium.audit_export.end', count, end, publicKey, signature })}\n`
}

const csvBatch = 1_000

async function* csvFile(db: Db, chain: string, after: number, upTo: number) {
  yield csvTitles
  for (let seq = after; seq < upTo; ) {
    const entries = await store.shownAfter(db, chain, seq, Math.min(csvBatch, upTo - seq))
    if (entries.length === 0) return
    yield entries.map(csvLine).join('')
    seq = entries.at(-1)?.seq ?? upTo
  }
}
