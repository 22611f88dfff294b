// Carries out the trial of detection.
import { asRead, implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { rowStoreOf } from '../rows/writing.ts'
import * as store from '../store.ts'
import { detecting } from './contract.ts'
import { tryDetection } from './trying.ts'

export default implement(detecting, {
  'datasets.detection.test': staged(async (ctx, { workspaceId, id, issueDetection }) => {
    const dataset = await found(store.find(ctx.db, workspaceId, id), 'dataset')
    const detection = { ...dataset.issueDetection, ...issueDetection, enabled: true }
    return await tryDetection(rowStoreOf(ctx), dataset, detection, ctx.now())
  }, asRead),
})
