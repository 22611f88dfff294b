// Carries out the operations on deliveries.
import { badRequest, conflict } from '../../../contract/errors.ts'
import { scopesLacking } from '../../../contract/permissions.ts'
import type { Db } from '../../../kit/db.ts'
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { newId } from '../../../kit/random.ts'
import * as integrations from '../store.ts'
import { DeliveryId, deliveries, mostRedelivered } from './contract.ts'
import * as store from './store.ts'

const mostBackfilled = 10_000
/** Whoever asks for more than this again and again would fill the disk. */
const mostPending = 50_000

export default implement(deliveries, {
  'integrations.deliveries.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await store.pageOfDeliveries(db, query, id)
  },

  'integrations.deliveries.get': async ({ db, caller }, { workspaceId, id, deliveryId }) => {
    await existing(db, workspaceId, id)
    const delivery = await found(store.find(db, id, deliveryId), 'delivery')
    // What was sent is cut to the rights of the integration, not to those of whoever looks.
    return scopesLacking(caller, ['integrations:write']).length > 0 ? { ...delivery, requestBody: null } : delivery
  },

  'integrations.deliveries.redeliver': async ({ db, now, enqueue, note }, { workspaceId, id, deliveryId }) => {
    await sendable(db, workspaceId, id)
    const [made] = await store.replay(db, id, { ids: [deliveryId] }, [newId(DeliveryId)], now())
    const delivery = await found(made === undefined ? Promise.resolve(undefined) : store.find(db, id, made), 'delivery')
    note({ target: { object: 'integration', id }, after: { replayOf: delivery.replayOf } })
    await enqueue('integrations.send', { id })
    return delivery
  },

  'integrations.deliveries.redeliverMany': async ({ db, now, enqueue, note }, { workspaceId, id, ids, status }) => {
    if ((ids === undefined) === (status === undefined)) throw badRequest('Send either "ids" or "status".')
    await sendable(db, workspaceId, id)
    const newIds = Array.from({ length: ids?.length ?? mostRedelivered }, () => newId(DeliveryId))
    const made = await store.replay(db, id, ids ? { ids } : { status: status ?? '' }, newIds, now())
    note({ target: { object: 'integration', id }, after: { redelivered: made.length } })
    await enqueue('integrations.send', { id })
    return { redelivered: made.length }
  },

  'integrations.backfill': async ({ db, enqueue, note }, { workspaceId, id, fromSeq, toSeq }) => {
    const numbers = toSeq - fromSeq + 1
    if (numbers < 1 || numbers > mostBackfilled) {
      throw badRequest(`"toSeq" must be at least "fromSeq", and at most ${mostBackfilled - 1} beyond it.`)
    }
    const { events } = await sendable(db, workspaceId, id)
    if (events.length === 0) throw conflict('The integration is for no events; set some first.')
    note({ target: { object: 'integration', id }, after: { fromSeq, toSeq } })
    await enqueue('integrations.backfill', { id, fromSeq, toSeq })
    return { numbers }
  },
})

function existing(db: Db, workspaceId: string, id: string) {
  return found(integrations.connection(db, workspaceId, id), 'integration')
}

async function sendable(db: Db, workspaceId: string, id: string) {
  const integration = await existing(db, workspaceId, id)
  if (integration.status === 'disabled') {
    throw conflict('The integration is disabled: nothing is sent to it. Set its status to active first.', {
      state: integration.status,
    })
  }
  if (await store.isFull(db, id, mostPending)) {
    throw conflict(`${mostPending} deliveries wait to be sent to this target. Wait until it has taken some of them.`)
  }
  return { ...integration, events: (await integrations.listeningById(db, id))?.events ?? [] }
}
