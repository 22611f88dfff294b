// Carries out the operations on rows.
import { ApiError, badRequest, conflict } from '../../../contract/errors.ts'
import { asRead, implement, staged } from '../../../kit/implement.ts'
import { endOfTime } from '../../../kit/nanoseconds.ts'
import { found } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import { eventStream } from '../../../kit/sse.ts'
import { conditionOf } from '../querying/filter.ts'
import { momentOf } from '../querying/planning.ts'
import * as store from '../store.ts'
import { acceptRows } from './accepting.ts'
import type { Span } from './condition.ts'
import { cursorForm, rows } from './contract.ts'
import { exported } from './exporting.ts'
import { readPage } from './paging.ts'
import { shownRow } from './showing.ts'
import { counted, refuseStream } from './streams.ts'
import { tailed } from './tailing.ts'
import { volumeOf } from './volume.ts'
import { appendRows, findTarget, rowStoreOf, type Target } from './writing.ts'

const mostNamed = 100

export default implement(rows, {
  'datasets.rows.list': staged(
    async (ctx, { workspaceId, id, filter, order = 'desc', perPage = 100, after, ...span }) => {
      const dataset = await found(store.find(ctx.db, workspaceId, id), 'dataset')
      const condition = conditionOf(dataset.kind, filter)
      const query = { ...spanOf(span), condition, order, after: cursorOf(after), limit: perPage }
      const { rows: items, next } = await readPage(rowStoreOf(ctx), dataset, query)
      return { items: items.map(shownRow), next: next && `${next.at}.${next.id}` }
    },
    asRead,
  ),

  'datasets.rows.post': staged(async (ctx, { workspaceId, id, content }) => {
    const target = await found(findTarget(ctx.db, workspaceId, id), 'dataset')
    refuseClosed(target)
    const accepted = acceptRows(target.kind, content, ctx.now())
    const { written, rejected } = await appendRows(ctx, target, accepted.rows)
    const placed = rejected.map(({ index, why }) => ({ index: accepted.places[index] as number, why }))
    const all = [...accepted.rejected, ...placed].sort((one, other) => one.index - other.index)
    return { accepted: written, rejected: all.slice(0, mostNamed), rejectedCount: all.length }
  }, asRead),

  'datasets.export': staged(async (ctx, { workspaceId, id, filter, format = 'ndjson', ...span }) => {
    const dataset = await found(store.find(ctx.db, workspaceId, id), 'dataset')
    const rows = exported(rowStoreOf(ctx), dataset, spanOf(span), conditionOf(dataset.kind, filter), format)
    refuseStream(workspaceId)
    const chunks = counted(workspaceId, rows)
    const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
    return { contentType, fileName: `${dataset.slug}.${format}`, chunks }
  }, asRead),

  'datasets.tail': staged(async (ctx, { workspaceId, id, filter }) => {
    const dataset = await found(store.find(ctx.db, workspaceId, id), 'dataset')
    const condition = conditionOf(dataset.kind, filter)
    const rows = rowStoreOf(ctx)
    refuseStream(workspaceId)
    const chunks = (signal: AbortSignal) => counted(workspaceId, tailed(rows, dataset, condition, ctx.now, signal))
    return { contentType: eventStream, chunks }
  }, asRead),

  'datasets.purge': staged(
    (ctx, input) => volumeOf(ctx, input),
    async (ctx, { workspaceId, id, before, filter }, volume) => {
      const { db, caller, access, enqueue } = ctx
      const dataset = await found(store.find(db, workspaceId, id, reachOf(access, caller)), 'dataset')
      if (before === undefined && (filter === undefined || filter.trim() === '')) {
        throw badRequest('Say which rows: "before" a time, or a "filter".', [
          { path: 'before', rule: 'required', expected: '"before" or "filter"' },
        ])
      }
      conditionOf(dataset.kind, filter)
      const at = before === undefined ? endOfTime : momentOf(before, 'before')
      const payload = { workspaceId, id, before: String(at), ...(filter && { filter }) }
      await enqueue('datasets.purge', payload)
      return store.shown(dataset, volume)
    },
  ),
})

function refuseClosed({ status }: Target): void {
  if (status === 'paused') throw conflict('The dataset is paused; resume it first.', { state: status })
  if (status === 'full') throw new ApiError('payment_required', 'The plan of the workspace takes no more rows.')
}

function spanOf({ from, to }: { from?: string; to?: string }): Span {
  return {
    from: from === undefined ? 0n : momentOf(from, 'from'),
    to: to === undefined ? endOfTime : momentOf(to, 'to'),
  }
}

function cursorOf(after: string | undefined): { at: bigint; id: number } | null {
  if (after === undefined) return null
  const [, at, id] = cursorForm.exec(after) ?? []
  if (at === undefined || id === undefined || BigInt(at) > endOfTime || Number(id) > Number.MAX_SAFE_INTEGER) {
    throw badRequest('"after" must be the "next" of an earlier page.', [
      { path: 'after', rule: 'cursor', expected: 'the "next" of an earlier page' },
    ])
  }
  return { at: BigInt(at), id: Number(id) }
}
