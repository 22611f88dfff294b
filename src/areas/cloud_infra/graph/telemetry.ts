// How nodes fare by the spans of the services that they are, asked as the caller may ask it.
import type { Static } from 'typebox'
import { ApiError } from '../../../contract/errors.ts'
import type { BeforeContext } from '../../../kit/context.ts'
import type { NodeRow } from '../nodes/store.ts'
import type { graph, Health } from './contract.ts'

type Telemetry = Static<(typeof graph.operations)['cloud_infra.telemetry']['result']>
type Answer = { rows: (string | number | null)[][]; partial: boolean }
type Dataset = { id: string }

const mostDatasets = 5
const mostErrors = 10
const mostServices = 50

/** Tags under which senders and clusters name the service, the first that there is. */
const serviceTags = ['service.name', 'app.kubernetes.io/name', 'app', 'com.docker.compose.service']

export function serviceOf({ tags, name, category }: NodeRow): string | null {
  for (const tag of serviceTags) {
    const service = Object.hasOwn(tags, tag) ? tags[tag] : undefined
    if (service) return service
  }
  return category === 'compute' || category === 'code' || category === 'other' ? name : null
}

/** In CEL, a text is written as in JSON. */
const isOf = (service: string) => `service == ${JSON.stringify(service)}`

export async function telemetryOf(
  call: BeforeContext['call'],
  node: NodeRow,
  span: { from: string; to: string },
): Promise<Telemetry> {
  const service = serviceOf(node)
  const none = { requests: 0, errors: 0, errorRate: null, p95Ms: null, series: [], lastErrors: [], partial: false }
  if (service === null) return { service, datasets: [], ...none }
  const { workspaceId } = node
  const datasets: string[] = []
  const parts: Omit<Telemetry, 'service' | 'datasets'>[] = []
  for (const { id } of await tracesOf(call, workspaceId)) {
    const asked = { workspaceId, id, ...span, filter: isOf(service) }
    const aggregates = [{ fn: 'count' }, { fn: 'p95', field: 'durationMs' }]
    const whole = (await call('datasets.query', { ...asked, aggregates })) as Answer
    const [count = 0, p95 = null] = (whole.rows[0] ?? []) as [number?, (number | null)?]
    if (count === 0) continue
    datasets.push(id)
    const interval = intervalOf(span)
    const all = (await call('datasets.query', { ...asked, aggregates, interval })) as Answer
    const failed = { ...asked, filter: `${isOf(service)} && status == "error"` }
    const bad = (await call('datasets.query', { ...failed, aggregates: [{ fn: 'count' }], interval })) as Answer
    const errorsAt = new Map(bad.rows.map(([at, errors]) => [at, Number(errors)]))
    const series = all.rows.map(([at, requests, p95Ms = null]) => ({
      ...{ at: String(at), requests: Number(requests), errors: errorsAt.get(at ?? null) ?? 0 },
      p95Ms: p95Ms === null ? null : Number(p95Ms),
    }))
    const errors = series.reduce((sum, point) => sum + point.errors, 0)
    const lastErrors = errors > 0 ? await lastOf(call, failed) : []
    parts.push({ requests: count, errors, errorRate: null, p95Ms: p95, series, lastErrors, partial: whole.partial })
  }
  return { service, datasets, ...(parts.length > 0 ? together(parts) : none) }
}

async function lastOf(call: BeforeContext['call'], asked: { id: string }): Promise<Telemetry['lastErrors']> {
  const { items } = (await call('datasets.rows.list', { ...asked, perPage: mostErrors })) as {
    items: { at: string; name?: string | null; traceId?: string | null }[]
  }
  return items.map(({ at, name, traceId = null }) => ({ at, name: name ?? '', traceId, datasetId: asked.id }))
}

/** Of several datasets: sums, and the slowest of the 95th percentiles, since those cannot be added. */
function together(parts: readonly Omit<Telemetry, 'service' | 'datasets'>[]) {
  const sum = (read: (part: (typeof parts)[number]) => number) => parts.reduce((all, part) => all + read(part), 0)
  const byTime = new Map<string, Telemetry['series'][number]>()
  for (const point of parts.flatMap(({ series }) => series)) {
    const before = byTime.get(point.at) ?? { at: point.at, requests: 0, errors: 0, p95Ms: null }
    const p95Ms = largest([before.p95Ms, point.p95Ms])
    byTime.set(point.at, {
      ...{ at: point.at, requests: before.requests + point.requests, errors: before.errors + point.errors, p95Ms },
    })
  }
  const [requests, errors] = [sum(part => part.requests), sum(part => part.errors)]
  return {
    ...{ requests, errors, errorRate: requests > 0 ? errors / requests : null },
    p95Ms: largest(parts.map(part => part.p95Ms)),
    series: [...byTime.values()].sort((one, other) => (one.at < other.at ? -1 : 1)),
    lastErrors: parts
      .flatMap(part => part.lastErrors)
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, mostErrors),
    partial: parts.some(({ partial }) => partial),
  }
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter(value => value !== null)
  return known.length > 0 ? Math.max(...known) : null
}

/** About 60 points. */
function intervalOf({ from, to }: { from: string; to: string }): string {
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000
  if (minutes <= 60) return '1m'
  if (minutes <= 6 * 60) return '5m'
  return minutes <= 3 * 24 * 60 ? '1h' : '1d'
}

/** None where the caller may not read datasets. */
export async function healthOf(
  call: BeforeContext['call'],
  nodes: readonly NodeRow[],
  span: { from: string; to: string },
): Promise<Static<typeof Health>[]> {
  const named = nodes.flatMap(node => {
    const service = serviceOf(node)
    return service === null ? [] : [{ node, service }]
  })
  const services = [...new Set(named.map(({ service }) => service))].slice(0, mostServices)
  const [workspaceId] = nodes.map(node => node.workspaceId)
  if (services.length === 0 || workspaceId === undefined) return []
  const seen = new Map<string, { requests: number; errors: number; p95Ms: number | null }>()
  for (const { id } of await allowed(tracesOf(call, workspaceId), [])) {
    const filter = `service in [${services.map(service => JSON.stringify(service)).join(', ')}]`
    const asked = { workspaceId, id, ...span, groupBy: ['service', 'status'], limit: 1_000 }
    const aggregates = [{ fn: 'count' }, { fn: 'p95', field: 'durationMs' }]
    const { rows } = (await call('datasets.query', { ...asked, filter, aggregates })) as Answer
    for (const [service, status, count, p95 = null] of rows) {
      const before = seen.get(String(service)) ?? { requests: 0, errors: 0, p95Ms: null }
      seen.set(String(service), {
        requests: before.requests + Number(count),
        errors: before.errors + (status === 'error' ? Number(count) : 0),
        p95Ms: largest([before.p95Ms, p95 === null ? null : Number(p95)]),
      })
    }
  }
  return named.flatMap(({ node, service }) => {
    const found = seen.get(service)
    if (!found) return []
    const { requests, errors, p95Ms } = found
    return [{ nodeId: node.id, service, requests, errorRate: requests > 0 ? errors / requests : null, p95Ms }]
  })
}

async function tracesOf(call: BeforeContext['call'], workspaceId: string): Promise<Dataset[]> {
  const asked = { workspaceId, kind: 'traces', perPage: mostDatasets, orderBy: 'updated' }
  return ((await call('datasets.list', asked)) as { items: Dataset[] }).items
}

/** What the caller may not read is left out. */
export async function allowed<T>(asking: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'forbidden') return otherwise
    throw error
  }
}
