// Carries out questions about rows.
import { badRequest, notFound } from '../../../contract/errors.ts'
import { asRead, implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { isFull, mostTraceBytes } from '../rows/row_store.ts'
import { rowStoreOf } from '../rows/writing.ts'
import * as store from '../store.ts'
import { answer } from './answering.ts'
import { querying } from './contract.ts'
import { treeOf } from './traces.ts'

const mostSpans = 10_000

export default implement(querying, {
  'datasets.query': staged(async (ctx, { workspaceId, id, ...asked }) => {
    const dataset = await found(store.find(ctx.db, workspaceId, id), 'dataset')
    return await answer(rowStoreOf(ctx), dataset, asked, ctx.now())
  }, asRead),

  'datasets.traces.get': staged(async (ctx, { workspaceId, id, traceId }) => {
    const dataset = await found(store.find(ctx.db, workspaceId, id), 'dataset')
    if (dataset.kind !== 'traces') throw badRequest(`The dataset holds ${dataset.kind}; ask one of the kind traces.`)
    const rows = await rowStoreOf(ctx).trace(dataset, traceId, mostSpans + 1)
    if (rows.length === 0) throw notFound('trace')
    return { traceId, ...treeOf(rows.slice(0, mostSpans)), partial: isFull(rows, mostSpans + 1, mostTraceBytes) }
  }, asRead),
})
