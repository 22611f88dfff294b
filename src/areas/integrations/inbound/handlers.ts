// Takes what other systems send, shows it, and tries mappings on it.
import { notFound, slowDown, unauthorized } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import { answering, answerOf, implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { newId } from '../../../kit/random.ts'
import { openValues } from '../../../kit/sealed.ts'
import { tokenHash } from '../../../kit/tokens.ts'
import * as integrations from '../store.ts'
import { secretsColumn } from '../types/contract.ts'
import { inbound, PayloadId } from './contract.ts'
import { checkMapping } from './mapping/mapping.ts'
import { mostPayloadBytes, type Received } from './payloads.ts'
import { signatureFault } from './senders.ts'
import * as store from './store.ts'
import { mappedAs } from './taking.ts'

const mostShown = 256 * 1024
const mostTried = 50
const mostTaken = 50
/** What could not be used is kept for seven days, but for so many at the most. */
const mostOthers = 200
/** What waits is kept whole, so it is bounded by its size too. */
const mostWaiting = { count: 1_000, bytes: 64 * 1024 * 1024 }

export default implement(inbound, {
  'integrations.payloads.list': async ({ db }, { workspaceId, id, ...query }) => {
    await found(integrations.connection(db, workspaceId, id), 'integration')
    return await store.pageOfPayloads(db, query, id)
  },

  'integrations.payloads.get': async ({ db }, { workspaceId, id, payloadId }) => {
    await found(integrations.connection(db, workspaceId, id), 'integration')
    return await found(store.find(db, id, payloadId, mostShown), 'payload')
  },

  'integrations.mapping.test': async ({ db, now }, { workspaceId, id, format, mapping, payloadId }) => {
    const { config } = await found(integrations.connection(db, workspaceId, id), 'integration')
    if (mapping !== undefined) checkMapping(mapping)
    const tried = { ...config, ...(format && { format }), ...(mapping && { mapping }) }
    const one = payloadId && (await found(store.find(db, id, payloadId, mostPayloadBytes), 'payload'))
    const payloads = one ? [one] : await store.latest(db, id, mostTried)
    const items = payloads.map(kept => {
      const mapped = mappedAs(tried, kept, now())
      const { alerts, resolved, reason } =
        'reason' in mapped ? { alerts: [], resolved: [], ...mapped } : { ...mapped, reason: null }
      return { payloadId: kept.id, received: kept.received, alerts, resolved, reason }
    })
    return { items }
  },

  'integrations.inbound': staged(
    async ({ db, now, settings }, { token, content }) => {
      const connection = await integrations.connectionOfToken(db, tokenHash(token), now())
      if (!connection) throw notFound('address')
      const { headers = {}, bytes } = content
      const received: Received = { headers, contentType: headers['content-type'] ?? '', bytes }
      const secrets = openValues(settings, secretsColumn, connection.id, connection.secrets)
      return { connection, received, fault: signatureFault({ ...connection, secrets }, received, now()) }
    },
    async ({ db, now, enqueue }, _input, { connection, received, fault }) => {
      const id = newId(PayloadId)
      const { id: integrationId, workspaceId, status } = connection
      const isIdle = status === 'paused' || status === 'disabled'
      const outcome = fault !== null ? 'refused' : isIdle ? 'ignored' : 'waiting'
      const reason = fault ?? (isIdle ? `The integration is ${status}.` : null)
      if (outcome === 'waiting') await refuseFlood(db, integrationId)
      const kept = {
        headers: shownHeaders(received.headers),
        body: textOf(received.bytes),
        bytes: received.bytes.length,
      }
      await store.keep(db, { id, workspaceId, integrationId, outcome, reason, ...kept }, now())
      await store.trim(db, integrationId, mostTaken, mostOthers)
      if (outcome === 'waiting') await enqueue('integrations.take', { id })
      // Slack wants exactly this; what is refused becomes an error below.
      return connection.type === 'slack' && fault === null ? answering(200, { id, outcome }) : { id, outcome }
    },
    async (_ctx, _input, result) => {
      // With a status of its own it is wrapped.
      if ((answerOf(result).result as { outcome?: string }).outcome === 'refused')
        throw unauthorized('The signature is missing or wrong.')
      return result
    },
  ),
})

async function refuseFlood(db: Db, integrationId: string): Promise<void> {
  const { count, bytes } = await store.waitingOf(db, integrationId)
  if (count < mostWaiting.count && bytes < mostWaiting.bytes) return
  throw slowDown('So much waits to be looked at that no more is taken. Send it again in a minute.')
}

/** As it can be kept: signatures were checked on the bytes. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '')
}

const proofs = /signature|token|authorization|cookie|secret|password|^x-forwarded|^x-real-ip/

function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => !proofs.test(name))
  return Object.fromEntries(shown.slice(0, 50).map(([name, text]) => [name, text.slice(0, 1_024)]))
}
