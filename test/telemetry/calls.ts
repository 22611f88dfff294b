// The rows of inputs of telemetry tokens.
import { TelemetryTokenId, type telemetryTokens } from '../../src/areas/telemetry_tokens/contract.ts'
import * as store from '../../src/areas/telemetry_tokens/store.ts'
import { newId } from '../../src/kit/random.ts'
import { hintOf, newTelemetrySecret, tokenHash } from '../../src/kit/tokens.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { datasetIn, senderIn } from './senders.ts'

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

/** By its store, so that it can belong to somebody who may make none. */
async function tokenIn({ p, workspaceId }: World, { userId }: TestCaller) {
  const secret = newTelemetrySecret()
  const token = {
    id: newId(TelemetryTokenId),
    workspaceId,
    ownerId: userId,
    name: 'Call token',
    routes: { traces: null, logs: null, metrics: null },
    resourceDefaults: {},
    limits: { itemsPerMinute: null, bytesPerDay: null },
    allowedOrigins: [],
    expiresAt: null,
    hint: hintOf(secret),
  }
  await p.database.transaction(tx => store.insert(tx, token, tokenHash(secret), p.now()))
  return { workspaceId, id: token.id }
}

async function routesIn({ p, workspaceId, owner }: World) {
  return { routes: { logs: await datasetIn(p, { ...owner, workspaceId }, 'logs') } }
}

async function sender({ p, owner }: World): Promise<TestCaller> {
  const { id, token, headers } = await senderIn(p, owner)
  return { ...owner, id, token, headers }
}

const door: CallRow = { input: () => ({ content: { kind: 'json', bytes: Buffer.from('{}') } }), by: sender }

export const calls: Readonly<Record<keyof typeof telemetryTokens.operations, CallRow>> = {
  'telemetry_tokens.list': { input: inWorkspace },
  'telemetry_tokens.get': { input: tokenIn },
  'telemetry_tokens.post': {
    input: async w => ({ ...inWorkspace(w), name: 'Call token', ...(await routesIn(w)) }),
    gives: ['datasets:write'],
  },
  'telemetry_tokens.patch': {
    input: async (w, caller) => ({ ...(await tokenIn(w, caller)), ...(await routesIn(w)) }),
    gives: ['datasets:write'],
  },
  'telemetry_tokens.rotate': { input: async (w, caller) => ({ ...(await tokenIn(w, caller)), overlapHours: 1 }) },
  'telemetry_tokens.del': { input: tokenIn },
  'telemetry_tokens.traces': door,
  'telemetry_tokens.logs': door,
  'telemetry_tokens.metrics': door,
}
