// Carries out the operations on telemetry tokens, and takes what is sent with them.
import { badRequest, conflict, forbidden, refused } from '../../contract/errors.ts'
import { signals } from '../../contract/operation.ts'
import { scopesLacking } from '../../contract/permissions.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { newId } from '../../kit/random.ts'
import { hintOf, newTelemetrySecret, tokenHash } from '../../kit/tokens.ts'
import { findTarget } from '../datasets/rows/writing.ts'
import { TelemetryTokenId, telemetryTokens } from './contract.ts'
import { receive } from './receiving.ts'
import * as store from './store.ts'

export default implement(telemetryTokens, {
  'telemetry_tokens.list': ({ db, now }, { workspaceId, ...query }) =>
    store.pageOfTokens(db, query, workspaceId, now()),

  'telemetry_tokens.get': ({ db, now }, { workspaceId, id }) => existing(store.find(db, workspaceId, id, now())),

  'telemetry_tokens.post': async ({ db, caller, now }, { workspaceId, name, ...given }) => {
    const { routes = {}, limits = {}, resourceDefaults = {}, allowedOrigins = [], expiresAt = null } = given
    await refuseRoutes(db, caller, workspaceId, routes)
    const token = newTelemetrySecret()
    const made = {
      id: newId(TelemetryTokenId),
      workspaceId,
      ownerId: caller.ownerId,
      name,
      routes: { traces: null, logs: null, metrics: null, ...routes },
      resourceDefaults,
      limits: { itemsPerMinute: null, bytesPerDay: null, ...limits },
      allowedOrigins: originsOf(allowedOrigins),
      expiresAt: endOf(caller, expiresAt, now()),
      hint: hintOf(token),
    }
    return { ...(await store.insert(db, made, tokenHash(token), now())), token }
  },

  'telemetry_tokens.patch': async ({ db, caller, now, note }, { workspaceId, id, status, ...fields }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id, now()))
    const isRevoking = status === 'revoked' && before.status !== 'revoked'
    const changes: store.Changes = { ...fields, ...(isRevoking && { revokedAt: now() }) }
    return await patched(note, before, changes, async () => {
      if (fields.routes) await refuseRoutes(db, caller, workspaceId, fields.routes)
      if (fields.allowedOrigins) changes.allowedOrigins = originsOf(fields.allowedOrigins)
      if (fields.expiresAt !== undefined) changes.expiresAt = endOf(caller, fields.expiresAt, now())
      return await store.update(db, id, changes, now())
    })
  },

  'telemetry_tokens.rotate': async ({ db, caller, now, note }, { workspaceId, id, overlapHours = 0 }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id, now()))
    note({ before })
    if (before.status === 'revoked') throw conflict('The token was revoked, which is for good; make a new one.')
    if (signals.some(signal => before.routes[signal] !== null)) refuseWithoutDatasets(caller)
    const token = newTelemetrySecret()
    const oldUntil = overlapHours > 0 ? new Date(now().getTime() + overlapHours * 3_600_000) : null
    await store.replaceSecret(db, id, tokenHash(token), oldUntil, now())
    const oldSecretUntil = oldUntil?.toISOString() ?? null
    return { ...(await store.update(db, id, { hint: hintOf(token), oldSecretUntil }, now())), token }
  },

  'telemetry_tokens.del': async ({ db, now, note }, { workspaceId, id, force = false }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id, now()))
    note({ before })
    const isInUse = before.lastUsedAt !== null && now().getTime() - Date.parse(before.lastUsedAt) < inUseMs
    if (isInUse && before.status === 'active' && !force) {
      throw conflict('The token was used in the last hour; stop its senders first, or delete it with force=true.')
    }
    await store.remove(db, workspaceId, id)
    return { workspaceId, id, _object: 'telemetry_token' as const }
  },

  'telemetry_tokens.traces': staged(receive('traces'), async (_ctx, _input, refused) =>
    refused ? { partialSuccess: { rejectedSpans: refused.count, errorMessage: refused.why } } : {},
  ),

  'telemetry_tokens.logs': staged(receive('logs'), async (_ctx, _input, refused) =>
    refused ? { partialSuccess: { rejectedLogRecords: refused.count, errorMessage: refused.why } } : {},
  ),

  'telemetry_tokens.metrics': staged(receive('metrics'), async (_ctx, _input, refused) =>
    refused ? { partialSuccess: { rejectedDataPoints: refused.count, errorMessage: refused.why } } : {},
  ),
})

const inUseMs = 3_600_000

function existing(reading: Promise<store.Token | undefined>): Promise<store.Token> {
  return found(reading, 'telemetry token')
}

/** A token lets whoever has it write into its datasets: only who may write there hands that on. */
function refuseWithoutDatasets(caller: Caller): void {
  const missing = scopesLacking(caller, ['datasets:write'])
  if (missing.length === 0) return
  const detail = 'A token that points at a dataset lets others write there: it takes the scope datasets:write besides.'
  throw forbidden(detail, { reason: 'scope', missing })
}

/** A dataset of another workspace is as unknown as one that never was. */
async function refuseRoutes(db: Db, caller: Caller, workspaceId: string, routes: Partial<store.Token['routes']>) {
  for (const signal of signals) {
    const datasetId = routes[signal]
    if (!datasetId) continue
    refuseWithoutDatasets(caller)
    const path = `routes.${signal}`
    const target = await findTarget(db, workspaceId, datasetId)
    if (!target) throw refused(path, 'reference', 'a dataset of this workspace')
    if (target.kind !== signal) throw refused(path, 'kind', `a dataset of the kind ${signal}`)
  }
}

/** As a browser writes them; anything else would never be met. */
function originsOf(origins: readonly string[]): string[] {
  const index = origins.findIndex(one => !URL.canParse(one) || new URL(one).origin !== one)
  if (index !== -1) {
    throw refused(
      `allowedOrigins.${index}`,
      'origin',
      'an origin as browsers write it, such as https://shop.example.com',
    )
  }
  return [...new Set(origins)]
}

/** What a key makes or prolongs ends no later than the key. */
function endOf(caller: Caller, wanted: string | null, now: Date): string | null {
  const ofCaller = caller.credential === 'session' ? null : caller.expires
  if (wanted === null) return ofCaller
  const moment = new Date(wanted)
  if (moment <= now) throw badRequest('"expiresAt" lies in the past; to end the token now, revoke or delete it.')
  const text = moment.toISOString()
  return ofCaller !== null && ofCaller < text ? ofCaller : text
}
