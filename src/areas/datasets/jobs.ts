// Errors in rows that become issues, and rows that go: purged, over their retention, or of a dataset that is gone.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { detect, detectAll } from './detecting/alerting.ts'
import { waitingDatasets } from './detecting/store.ts'
import { DatasetId } from './fields/contract.ts'
import { conditionOf } from './querying/filter.ts'
import { clearLeftovers, retain } from './rows/keeping.ts'
import { rowStoreOf } from './rows/writing.ts'
import { find } from './store.ts'

export default {
  'datasets.purge': job({
    payload: object({
      workspaceId: WorkspaceId,
      id: DatasetId,
      /** Nanoseconds since 1970. */
      before: Type.String(),
      filter: Type.Optional(Type.String()),
    }),
    timeoutSeconds: 3_600,
    group: ({ workspaceId }) => workspaceId,
    run: async (ctx, { workspaceId, id, before, filter }) => {
      const dataset = await find(ctx.db, workspaceId, id)
      if (!dataset) return
      const span = { from: 0n, to: BigInt(before) }
      await rowStoreOf(ctx).remove(dataset, span, conditionOf(dataset.kind, filter), ctx.signal)
      if (ctx.signal.aborted) throw new Error('the purge goes on with the next try')
      const target = { object: 'dataset', id }
      await ctx.transaction(tx => ctx.record(tx, { chain: workspaceId, action: 'datasets.purged', target }))
    },
  }),
  // Woken by each write that finds errors. The schedule is for what a process that died has left, and for what is over.
  'datasets.detect': job({
    payload: object({ no: Type.Optional(Type.Integer({ description: 'Of the dataset; all where nothing is said.' })) }),
    schedule: '* * * * *',
    ifChanged: ['dataset_findings'],
    due: () => [waitingDatasets],
    timeoutSeconds: 300,
    retries: 5,
    concurrency: 2,
    key: ({ no }) => String(no ?? 'all'),
    run: async (ctx, { no }) => {
      await (no === undefined ? detectAll(ctx) : detect(ctx, no))
    },
  }),
  'datasets.retain': job({
    payload: object({}),
    schedule: '53 * * * *',
    timeoutSeconds: 3_000,
    run: async ctx => {
      await retain(ctx)
      await clearLeftovers(ctx)
    },
  }),
  'datasets.clear': job({ payload: object({}), timeoutSeconds: 3_000, run: clearLeftovers }),
} satisfies Jobs
