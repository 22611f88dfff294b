// What happens by itself: events go out as the ledger grows, what failed is tried again, tools of others are looked at
// once a day, and old traffic goes.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Follower, followTogether } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { backfill } from './deliveries/backfilling.ts'
import { fanOut } from './deliveries/fanning.ts'
import { send, sweep } from './deliveries/sending.ts'
import { dueTargets } from './deliveries/targets/store.ts'
import { IntegrationId } from './fields/contract.ts'
import { PayloadId } from './inbound/contract.ts'
import { take } from './inbound/taking.ts'
import { listeningAmong } from './store.ts'
import { renewAll, renewOne } from './tools/renewing.ts'
import { withTools } from './tools/store.ts'

const target = object({ id: IntegrationId })
const sending = (health: 'well' | 'failing') =>
  job({
    payload: target,
    key: ({ id }) => id,
    group: ({ id }) => id,
    concurrency: 16,
    timeoutSeconds: 60,
    run: (ctx, { id }) => send(ctx, id, health),
  })
const seq = Type.Integer({ minimum: 0 })

/** Workspaces without a target are never read. */
export const followers: readonly Follower[] = [
  followTogether('integrations.events', '*', fanOut, { where: listeningAmong }),
]

export default {
  'integrations.send': sending('well'),
  // A target that hangs holds its place for as long as it may take to answer: those that are well have other places.
  'integrations.sendToFailing': sending('failing'),
  'integrations.retry': job({
    payload: object({ id: IntegrationId, slot: seq }),
    key: ({ id, slot }) => `${id} ${slot}`,
    run: ({ enqueue }, { id }) => enqueue('integrations.send', { id }),
  }),
  'integrations.sweep': job({
    payload: object({}),
    schedule: '* * * * *',
    due: now => [dueTargets(now, 1)],
    run: sweep,
  }),
  'integrations.take': job({
    payload: object({ id: PayloadId }),
    concurrency: 4,
    run: (ctx, { id }) => take(ctx, id),
  }),
  'integrations.backfill': job({
    payload: object({ id: IntegrationId, fromSeq: seq, toSeq: seq }),
    timeoutSeconds: 600,
    run: backfill,
  }),
  'integrations.refreshTools': job({
    payload: object({}),
    schedule: '50 4 * * *',
    due: () => [withTools],
    run: renewAll,
  }),
  'integrations.refreshToolsOf': job({
    payload: object({ workspaceId: WorkspaceId, id: IntegrationId }),
    key: ({ id }) => id,
    // Slow servers of one workspace must not take all places.
    group: ({ workspaceId }) => workspaceId,
    retries: 3,
    run: renewOne,
  }),
} satisfies Jobs

export const ages: Ages = {
  integration_deliveries: { column: 'created', afterDays: 30 },
  integration_payloads: { column: 'received', afterDays: 7 },
  integration_tokens: { column: 'until' },
  integration_oauth_starts: { column: 'expires_at' },
}
