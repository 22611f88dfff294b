// What happens to rows by themselves: old days go, and so do rows of datasets that are gone.
import type { JobContext } from '../../../kit/jobs.ts'
import { nanosOf } from '../../../kit/nanoseconds.ts'
import { sql } from '../../../kit/sql.ts'
import { dayNs, type Place, type RowStore } from './row_store.ts'
import { rowStoreOf } from './writing.ts'

type Aged = Place & { id: string; workspaceId: string; retentionDays: number }

const datasetsAtOnce = 500

/** Whole days, each dataset as long as it says. A day that nobody keeps any more is dropped at once. */
export async function retain(ctx: JobContext): Promise<void> {
  const today = (nanosOf(ctx.now()) / dayNs) * dayNs
  const store = rowStoreOf(ctx)
  await store.turnDays(today, ctx.log)
  let after = 0
  while (!ctx.signal.aborted) {
    const datasets = await ctx.db.query<Aged>(sql`
      select no, kind, id, workspace_id, retention_days from datasets where no > ${after}::int
      order by no limit ${datasetsAtOnce}::int`)
    const volumes = await store.volumes(datasets)
    for (const dataset of datasets) {
      const oldest = volumes.get(dataset.no)?.first ?? today
      if (oldest >= keptFrom(dataset, today)) continue
      if (ctx.signal.aborted) return
      await retainOne(ctx, store, dataset, today).catch(error =>
        ctx.log.error({ err: error, datasetId: dataset.id }, 'old rows of a dataset could not be removed'),
      )
    }
    if (datasets.length < datasetsAtOnce) return
    after = datasets.at(-1)?.no ?? after
  }
}

function keptFrom({ retentionDays }: Aged, today: bigint): bigint {
  return today - BigInt(retentionDays) * dayNs
}

async function retainOne(ctx: JobContext, store: RowStore, dataset: Aged, today: bigint): Promise<void> {
  const span = { from: 0n, to: keptFrom(dataset, today) }
  const removed = await store.remove(dataset, span, null, ctx.signal)
  if (removed === 0) return
  await ctx.transaction(tx =>
    ctx.record(tx, {
      chain: dataset.workspaceId,
      action: 'datasets.retained',
      target: { object: 'dataset', id: dataset.id },
    }),
  )
}

/** Rows whose dataset is gone, in pieces. */
export async function clearLeftovers(ctx: JobContext): Promise<void> {
  const left = await ctx.db.query<Place>(sql`
    select dataset_no as no, kind from dataset_leftovers order by dataset_no limit 100`)
  const store = rowStoreOf(ctx)
  for (const place of left) {
    await store.remove(place, { from: 0n, to: 1n << 62n }, null, ctx.signal)
    if (ctx.signal.aborted) return
    await ctx.db.query(sql`delete from dataset_leftovers where dataset_no = ${place.no}::int`)
  }
}
