// Carries out the operations on datasets themselves; rows and queries are spread in.
import { conflict } from '../../contract/errors.ts'
import { signals } from '../../contract/operation.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { asRead, implement, staged } from '../../kit/implement.ts'
import { found, unique } from '../../kit/outcomes.ts'
import { type Reach, reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { ownDatasets } from './contract.ts'
import detectingHandlers from './detecting/handlers.ts'
import { DatasetId, usualDetection } from './fields/contract.ts'
import queryingHandlers from './querying/handlers.ts'
import rowHandlers from './rows/handlers.ts'
import type { Volume } from './rows/row_store.ts'
import { volumeOf } from './rows/volume.ts'
import { rowStoreOf } from './rows/writing.ts'
import * as store from './store.ts'

const mostDatasets = 1_000
const usualRetention = 30

const own = implement(ownDatasets, {
  'datasets.list': staged(async (ctx, { workspaceId, ...query }) => {
    const { items, count } = await store.pageOfDatasets(ctx.db, query, workspaceId)
    const volumes = await rowStoreOf(ctx).volumes(items)
    return { items: items.map(item => store.shown(item, volumes.get(item.no))), count }
  }, asRead),

  'datasets.get': staged(async (ctx, { workspaceId, id }) => {
    const row = await found(store.find(ctx.db, workspaceId, id), 'dataset')
    const volumes = await rowStoreOf(ctx).volumes([row])
    return store.shown(row, volumes.get(row.no))
  }, asRead),

  'datasets.fields': async ({ db }, { workspaceId, id }) => {
    const { no } = await found(store.find(db, workspaceId, id), 'dataset')
    return { fields: await store.fieldsOf(db, no) }
  },

  'datasets.post': async ({ db, caller, now, note }, { workspaceId, slug, kind, labels: labelIds = [], ...given }) => {
    await enter(db, caller, workspaceId)
    if ((await store.countLocked(db, workspaceId)) >= mostDatasets) {
      throw conflict(`A workspace has at most ${mostDatasets} datasets; delete one that is not needed.`)
    }
    const { description = null, retentionDays = usualRetention, status = 'active', issueDetection = {} } = given
    note({ wants: retentionDays })
    const id = newId(DatasetId)
    const fields = { id, ownerId: caller.ownerId, slug, description, kind, retentionDays, status }
    const detection = { ...usualDetection, ...issueDetection }
    await once(slug, store.insert(db, workspaceId, { ...fields, issueDetection: detection }, now()))
    await labels.changeLabels(db, workspaceId, [{ object: 'dataset', id, add: labelIds }])
    return await existing(db, workspaceId, id, undefined)
  },

  'datasets.patch': staged(
    (ctx, input) => volumeOf(ctx, input),
    async ({ db, now, note, origin }, input, volume) => {
      const { workspaceId, id, labels: labelIds, kind, issueDetection, ...fields } = input
      await store.lock(db, workspaceId, id)
      const before = await existing(db, workspaceId, id, volume)
      if (!isUnchanged(origin.ifMatch, before)) {
        throw conflict('The dataset has changed since you read it; read it again.', { updated: before.updated })
      }
      if (kind !== undefined && kind !== before.kind) {
        throw conflict('The kind of a dataset cannot be changed; make another dataset.', { kind: before.kind })
      }
      note({ before })
      if ((fields.retentionDays ?? 0) > before.retentionDays) note({ wants: fields.retentionDays ?? 0 })
      if ([...Object.values(fields), labelIds, issueDetection].every(value => value === undefined)) {
        note({ unchanged: true })
        return before
      }
      const detection = { ...before.issueDetection, ...issueDetection }
      await once(fields.slug ?? '', store.update(db, id, { ...fields, updated: now() }, detection))
      if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'dataset', id, only: labelIds }])
      return await existing(db, workspaceId, id, volume)
    },
  ),

  'datasets.del': staged(
    (ctx, input) => volumeOf(ctx, input),
    async ({ db, caller, access, note, enqueue }, { workspaceId, id }, volume) => {
      const reach = reachOf(access, caller)
      await store.lock(db, workspaceId, id, reach)
      const before = await existing(db, workspaceId, id, volume, reach)
      await whileUnused(store.remove(db, workspaceId, id, reach))
      note({ before })
      await enqueue('datasets.clear', {})
      return { workspaceId, id, _object: 'dataset' as const }
    },
  ),
})

async function existing(
  db: Db,
  workspaceId: string,
  id: string,
  volume: Volume | undefined,
  reach: Reach = null,
): Promise<store.DatasetRecord> {
  return store.shown(await found(store.find(db, workspaceId, id, reach), 'dataset'), volume)
}

function once(slug: string, writing: Promise<void>): Promise<void> {
  const detail = 'The workspace has a dataset with this slug already; choose another.'
  return unique(writing, 'datasets__slug', detail, { field: 'slug', slug })
}

async function whileUnused(removing: Promise<void>): Promise<void> {
  let all = removing
  for (const signal of signals) {
    const detail = `A telemetry token sends ${signal} to this dataset; point it elsewhere or delete it first.`
    all = unique(all, `telemetry_tokens__${signal}`, detail, { signal })
  }
  await all
}

export default { ...own, ...rowHandlers, ...queryingHandlers, ...detectingHandlers }
