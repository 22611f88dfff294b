// The rows of inputs of integrations.
import type { integrations } from '../../src/areas/integrations/contract.ts'
import { DeliveryId } from '../../src/areas/integrations/deliveries/contract.ts'
import * as deliveries from '../../src/areas/integrations/deliveries/store.ts'
import { IntegrationId } from '../../src/areas/integrations/fields/contract.ts'
import { PayloadId } from '../../src/areas/integrations/inbound/contract.ts'
import * as payloads from '../../src/areas/integrations/inbound/store.ts'
import { discover } from '../../src/areas/integrations/mcp/oauth.ts'
import { grantSecrets, startSecrets } from '../../src/areas/integrations/oauth/contract.ts'
import * as oauth from '../../src/areas/integrations/oauth/store.ts'
import * as people from '../../src/areas/integrations/people/store.ts'
import * as store from '../../src/areas/integrations/store.ts'
import * as tools from '../../src/areas/integrations/tools/store.ts'
import { type IntegrationType, secretsColumn } from '../../src/areas/integrations/types/contract.ts'
import { newId } from '../../src/kit/random.ts'
import { sealValues } from '../../src/kit/sealed.ts'
import { hintOf, newToken, tokenHash } from '../../src/kit/tokens.ts'
import type { CallRow, World } from '../calls.ts'
import { loopback } from '../helpers/mcp_servers.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { answersOfMany } from './receivers.ts'

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

/** By its store, so that it can belong to somebody who may make none. */
async function integrationIn(
  { p, workspaceId }: World,
  { userId }: TestCaller,
  type: IntegrationType = 'webhook',
  config: Record<string, unknown> = { url: 'https://example.com/hook' },
  secrets: Record<string, string> = {},
) {
  const id = newId(IntegrationId)
  const sealed = sealValues(
    p.platform.settings,
    secretsColumn,
    id,
    type === 'webhook' ? { ...secrets, secret: 'whsec_c2VjcmV0' } : secrets,
  )
  const made = {
    ...{ id, workspaceId, ownerId: userId, slug: id.replace('_', '-'), name: 'Call integration', type, config },
    ...{
      secrets: sealed,
      grantedBy: userId,
      events: ['teams.post' as const],
      scopes: ['teams:read' as const],
      fromSeq: 0,
      inboundHint: null,
    },
  }
  await p.database.transaction(tx => store.insert(tx, made, '', p.now()))
  return { workspaceId, id }
}

async function deliveryIn(w: World, caller: TestCaller) {
  const { workspaceId, id } = await integrationIn(w, caller)
  const deliveryId = newId(DeliveryId)
  const body = '{"type":"teams.post"}'
  const one = {
    id: deliveryId,
    workspaceId,
    integrationId: id,
    messageId: 'msg_call',
    action: 'teams.post',
    eventSeq: 1,
    people: [],
    body,
  }
  await deliveries.insert(w.p.database, [one], w.p.now())
  return { workspaceId, id, deliveryId }
}

const mapping = { title: 'payload.title' }

async function payloadIn(w: World, caller: TestCaller) {
  const { workspaceId, id } = await integrationIn(w, caller, 'inbound', { mapping })
  const payloadId = newId(PayloadId)
  const kept = { headers: { 'content-type': 'application/json' }, body: '{"title":"Full"}', bytes: 16 }
  const made = { id: payloadId, workspaceId, integrationId: id, outcome: 'taken' as const, reason: null, ...kept }
  await payloads.keep(w.p.database, made, w.p.now())
  return { workspaceId, id, payloadId }
}

async function addressIn(w: World) {
  const { id } = await integrationIn(w, w.owner, 'inbound', { mapping })
  const token = newToken('hook')
  await w.p.database.transaction(async tx => {
    await store.replaceToken(tx, id, tokenHash(token), null, w.p.now())
    await store.update(tx, id, { inboundHint: hintOf(token) }, w.p.now())
  })
  return { token, content: { kind: 'any', bytes: Buffer.from('{"title":"Disk full"}') } }
}

const definition = {
  name: 'echo',
  title: null,
  description: 'Says it again.',
  inputSchema: { type: 'object' },
  outputSchema: null,
  annotations: {},
}

/** A tool of a server that answers whatever it is asked. */
async function toolIn(w: World, caller: TestCaller, status: 'review' | 'approved' = 'review') {
  const { workspaceId, id } = await integrationIn(w, caller, 'mcp', { url: await answersOfMany() })
  const tool = {
    ...{ integrationId: id, workspaceId, tool: 'echo', definition, digest: 'digest', status, effect: 'read' as const },
    ...{ approved: definition, approvedDigest: 'digest', reviewedBy: null, reviewedAt: null },
  }
  await tools.put(w.p.database, tool, w.p.now())
  return { workspaceId, id, tool: 'echo' }
}

async function slackIn(w: World, caller: TestCaller) {
  const secrets = { webhookUrl: 'https://hooks.slack.com/services/T0/B0/x', signingSecret: 'signing' }
  return await integrationIn(w, caller, 'slack', { buttons: true }, secrets)
}

/** An admin where whoever calls is no member. */
function memberBehind(w: World, caller: TestCaller): string {
  const isMember = [w.owner, w.admin, w.member, w.viewer].some(({ userId }) => userId === caller.userId)
  return isMember ? caller.userId : w.admin.userId
}

async function linkedIn(w: World, caller: TestCaller) {
  const { workspaceId, id } = await slackIn(w, caller)
  const userId = memberBehind(w, caller)
  const link = { workspaceId, integrationId: id, userId, externalId: 'U0123ABCD' }
  await w.p.database.transaction(tx => people.put(tx, link, w.p.now()))
  return { workspaceId, id, userId }
}

async function serverIn(w: World, caller: TestCaller) {
  return await integrationIn(w, caller, 'mcp', { url: `${await answersOfMany()}/mcp` })
}

async function askedOf(w: World, caller: TestCaller) {
  const { workspaceId, id } = await serverIn(w, caller)
  const url = `${await answersOfMany()}/mcp`
  const asked = {
    ...{ workspaceId, userId: memberBehind(w, caller), url, redirectUri: 'http://127.0.0.1/connected' },
    ...{ clientId: 'stand-in', isRegistered: true, clientUntil: null, discovered: await discover(loopback, url) },
  }
  return { workspaceId, id, asked }
}

/** Somebody is on the way to connect it. */
async function startIn(w: World, caller: TestCaller) {
  const { workspaceId, id: integrationId, asked } = await askedOf(w, caller)
  const state = `${workspaceId}.${newToken('state')}`
  const id = tokenHash(state)
  const secrets = sealValues(w.p.platform.settings, startSecrets, id, { codeVerifier: 'verifier' })
  const until = new Date(w.p.now().getTime() + 600_000)
  await oauth.insertStart(w.p.database, { ...asked, id, integrationId, secrets }, until, w.p.now())
  return { workspaceId, state, code: 'code' }
}

async function connectedIn(w: World, caller: TestCaller) {
  const { workspaceId, id, asked } = await askedOf(w, caller)
  const secrets = sealValues(w.p.platform.settings, grantSecrets, id, { accessToken: 'stand-in-access' })
  await oauth.putGrant(w.p.database, { ...asked, id, secrets, scope: null, expiresAt: null }, w.p.now())
  return { workspaceId, id }
}

async function prometheusIn(w: World, caller: TestCaller) {
  return await integrationIn(w, caller, 'prometheus', { url: await answersOfMany() })
}

async function customIn(w: World, caller: TestCaller) {
  return await integrationIn(w, caller, 'custom', { url: `${await answersOfMany()}/{{ input.name }}` })
}

async function alertedIn(w: World, caller: TestCaller) {
  const alert = { title: 'Pool is full', fingerprint: `pool ${newId(DeliveryId)}`, fields: { expression: 'up' } }
  const { result } = await w.p.call('issues.alerts.post', { workspaceId: w.workspaceId, alerts: [alert] }, w.owner)
  return { ...(await prometheusIn(w, caller)), issueId: result.items[0].issueId }
}

export const calls: Readonly<Record<keyof typeof integrations.operations, CallRow>> = {
  'integrations.catalog': { input: () => ({}) },
  'integrations.list': { input: inWorkspace },
  'integrations.get': { input: integrationIn },
  'integrations.post': {
    input: w => ({
      ...inWorkspace(w),
      name: 'Call hook',
      type: 'webhook',
      config: { url: 'https://example.com/hook' },
      events: ['teams.post'],
    }),
  },
  'integrations.patch': {
    input: async (w, caller) => ({ ...(await integrationIn(w, caller)), name: 'Renamed', config: { payload: 'thin' } }),
  },
  'integrations.rotateSecret': {
    input: async (w, caller) => ({ ...(await integrationIn(w, caller)), overlapHours: 1 }),
  },
  'integrations.del': { input: integrationIn },
  'integrations.test': {
    input: async (w, caller) => await integrationIn(w, caller, 'webhook', { url: await answersOfMany() }),
  },
  'integrations.call': {
    input: async (w, caller) => ({ ...(await customIn(w, caller)), input: { name: 'checkout' } }),
  },
  'integrations.prometheus.query': {
    input: async (w, caller) => ({ ...(await prometheusIn(w, caller)), query: 'up' }),
  },
  'integrations.prometheus.queryRange': {
    input: async (w, caller) => {
      const [to, from] = [w.p.now(), new Date(w.p.now().getTime() - 3_600_000)]
      return { ...(await prometheusIn(w, caller)), query: 'up', from: from.toISOString(), to: to.toISOString() }
    },
  },
  'integrations.prometheus.issue': { input: alertedIn },
  'integrations.deliveries.list': { input: integrationIn },
  'integrations.deliveries.get': { input: deliveryIn },
  'integrations.deliveries.redeliver': { input: deliveryIn },
  'integrations.deliveries.redeliverMany': {
    input: async (w, caller) => {
      const { deliveryId, ...of } = await deliveryIn(w, caller)
      return { ...of, ids: [deliveryId] }
    },
  },
  'integrations.backfill': {
    input: async (w, caller) => ({ ...(await integrationIn(w, caller)), fromSeq: 1, toSeq: 2 }),
  },
  'integrations.payloads.list': { input: async (w, caller) => integrationIn(w, caller, 'inbound', { mapping }) },
  'integrations.payloads.get': { input: payloadIn },
  'integrations.mapping.test': { input: async (w, caller) => ({ ...(await payloadIn(w, caller)), mapping }) },
  'integrations.inbound': { input: addressIn },
  'integrations.oauth.get': { input: connectedIn },
  'integrations.oauth.start': { input: serverIn },
  'integrations.oauth.finish': { input: startIn },
  'integrations.oauth.del': { input: connectedIn },
  'integrations.people.list': { input: slackIn },
  'integrations.people.put': {
    input: async (w, caller) => {
      const { workspaceId, id } = await linkedIn(w, caller)
      return { workspaceId, id, externalId: 'U0456EFGH' }
    },
  },
  'integrations.people.del': { input: linkedIn },
  'integrations.tools.list': {
    input: async (w, caller) => integrationIn(w, caller, 'mcp', { url: 'https://example.com/mcp' }),
  },
  'integrations.tools.refresh': { input: serverIn },
  'integrations.tools.review': {
    input: async (w, caller) => ({ ...(await toolIn(w, caller)), decision: 'approve', digest: 'digest' }),
  },
  'integrations.tools.call': {
    input: async (w, caller) => {
      const { workspaceId, id } = await toolIn(w, caller, 'approved')
      return { workspaceId, name: `int.${id.replace('_', '-')}.echo`, arguments: {} }
    },
  },
}
