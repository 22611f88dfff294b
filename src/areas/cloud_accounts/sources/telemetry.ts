// Services and who calls whom, as the traces of a dataset show it.

import { type Calls, callsIn } from '../../datasets/querying/calls.ts'
import { findTarget, rowStoreOf } from '../../datasets/rows/writing.ts'
import type { Found, NodeKey } from '../found/contract.ts'
import { gather } from './gathered.ts'
import { UnreadableSource } from './unreadable.ts'
import { known, looksSecret, textOf } from './values.ts'

type Reading = Parameters<typeof rowStoreOf>[0] & { now: () => Date; signal: AbortSignal }

export type Traces = { workspaceId: string; datasetId: string; lastSyncAt: string | null }

const dayMs = 86_400_000
const longestMs = 7 * dayMs

/** Of the last day, or since the last sync where that is longer ago; `complete` where all of it was looked at. */
export async function readTraces(ctx: Reading, asked: Traces): Promise<{ found: Found; complete: boolean }> {
  const target = await findTarget(ctx.db, asked.workspaceId, asked.datasetId)
  if (!target) throw new UnreadableSource('failed', 'The dataset is gone; name another one in "config.datasetId".')
  if (target.kind !== 'traces') {
    throw new UnreadableSource('malformed', `The dataset holds ${target.kind}; name one of the kind traces.`)
  }
  const now = ctx.now()
  const lastSync = asked.lastSyncAt === null ? now.getTime() : Date.parse(asked.lastSyncAt)
  const since = Math.max(Math.min(lastSync, now.getTime() - dayMs), now.getTime() - longestMs)
  const place = { no: target.datasetNo, kind: target.kind }
  const calls = await callsIn(rowStoreOf(ctx), place, new Date(since), now, ctx.signal)
  return { found: graphOf(calls, asked.datasetId), complete: !calls.isSampled }
}

export const serviceType = 'service'

/** Calls that are rare among those of a service may be a stray: the more of them, the surer. */
function confidenceOf(count: number, all: number): number {
  const share = all > 0 ? count / all : 0
  return Math.round(Math.min(1, 0.5 + Math.min(count, 100) / 400 + share / 4) * 100) / 100
}

const writing = /^(insert|update|delete|upsert|merge|replace|set|put|create|drop|alter|truncate|incr|lpush|rpush)/i

export function graphOf({ services, calls, uses }: Calls, datasetId: string): Found {
  const gathered = gather('The dataset')
  const names = new Set<string>()
  const serviceOf = (name: string): NodeKey | undefined => {
    const externalId = textOf(name, 256)
    if (externalId === undefined || looksSecret(externalId)) return undefined
    const key = { type: serviceType, externalId, region: '' }
    if (!names.has(externalId)) {
      gathered.node({ ...key, name: externalId, category: 'compute', properties: { datasetId }, tags: {} })
      names.add(externalId)
    }
    return key
  }
  for (const [name] of [...services].sort(byCount)) serviceOf(name)
  const out = new Map<string, number>()
  for (const { from, count } of calls) out.set(from, (out.get(from) ?? 0) + count)
  for (const { from, to, count } of calls) {
    const [caller, called] = [serviceOf(from), serviceOf(to)]
    if (caller && called) gathered.edge(caller, called, 'invokes', confidenceOf(count, out.get(from) ?? count))
  }
  for (const { service, kind, system, address, how, count } of uses) {
    const [caller, used] = [serviceOf(service), thingOf(kind, system, address)]
    if (!caller || !used) continue
    const category = kind === 'db' ? 'database' : 'messaging'
    gathered.node({
      ...used.key,
      name: used.name,
      category,
      properties: known({ system, address, datasetId }),
      tags: {},
    })
    const isWriting = kind === 'db' ? writing.test(how) : how === 'producer'
    gathered.edge(caller, used.key, isWriting ? 'writes' : 'reads', confidenceOf(count, services.get(service) ?? count))
  }
  return gathered.found(datasetId)
}

function byCount([one, less]: [string, number], [other, more]: [string, number]): number {
  return more - less || (one < other ? -1 : 1)
}

/** One that says no address is called by its system alone. */
function thingOf(kind: 'db' | 'messaging', system: string, address: string) {
  const plain = /^[a-z][a-z0-9_.-]{0,63}$/.exec(system.toLowerCase())?.[0]
  const place = address === '' ? '' : textOf(address, 256)
  if (!plain || place === undefined || looksSecret(place)) return undefined
  const type = kind === 'db' ? `database.${plain}` : `messaging.${plain}`
  const externalId = place === '' ? plain : place
  return { key: { type, externalId, region: '' }, name: place === '' ? plain : `${plain} ${place}` }
}
