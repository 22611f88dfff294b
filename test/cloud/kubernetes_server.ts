// A stand-in for the API of a cluster: its paths, pages, rights and faults as documented, over TLS of its own authority.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { authority } from '../helpers/certificates.ts'

type Item = { metadata: { name: string; namespace?: string; [field: string]: unknown }; [field: string]: unknown }
export type Rule = {
  verbs: string[]
  apiGroups: string[]
  resources: string[]
  resourceNames?: string[]
  /** Where it counts; everywhere where it is not said. */
  namespace?: string
}
type Asked = { plural: string; namespace: string | null; from: string | null; limit: number }
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { body: string }
  | 'stall'
  | 'reset'

/** Where each list is: plural → group and version, kind, whether it is in namespaces. */
const served: Record<string, [groupVersion: string, kind: string, isOfCluster?: true]> = {
  namespaces: ['v1', 'Namespace', true],
  nodes: ['v1', 'Node', true],
  pods: ['v1', 'Pod'],
  services: ['v1', 'Service'],
  persistentvolumes: ['v1', 'PersistentVolume', true],
  persistentvolumeclaims: ['v1', 'PersistentVolumeClaim'],
  configmaps: ['v1', 'ConfigMap'],
  secrets: ['v1', 'Secret'],
  serviceaccounts: ['v1', 'ServiceAccount'],
  deployments: ['apps/v1', 'Deployment'],
  replicasets: ['apps/v1', 'ReplicaSet'],
  statefulsets: ['apps/v1', 'StatefulSet'],
  daemonsets: ['apps/v1', 'DaemonSet'],
  jobs: ['batch/v1', 'Job'],
  cronjobs: ['batch/v1', 'CronJob'],
  ingresses: ['networking.k8s.io/v1', 'Ingress'],
  networkpolicies: ['networking.k8s.io/v1', 'NetworkPolicy'],
  horizontalpodautoscalers: ['autoscaling/v2', 'HorizontalPodAutoscaler'],
}
export const plurals = Object.keys(served)
const namesOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
/** Of these nobody should ask for more than names. */
const holdValues = ['secrets', 'configmaps', 'serviceaccounts']

const ours = authority('cluster')
export const { ca, caller } = ours
export const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjbHVzdGVyLXRva2VuIn0.c2lnbmF0dXJlLW9mLWEtdG9rZW4'

export type Cluster = {
  url: string
  objects: Record<string, Item[]>
  rules: Rule[]
  isIncomplete: boolean
  fault: (asked: Asked) => Fault | undefined
  asked: Asked[]
  /** What no client that reads the documentation would send. */
  violations: string[]
  close: () => Promise<void>
}

export async function cluster(objects: Record<string, Item[]> = {}): Promise<Cluster> {
  const state: Cluster = {
    url: '',
    objects,
    rules: [{ verbs: ['list'], apiGroups: ['*'], resources: ['*'] }],
    isIncomplete: false,
    fault: () => undefined,
    asked: [],
    violations: [],
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  const options = { ...ours.server, ca, requestCert: true, rejectUnauthorized: false }
  const server = createServer(options, (request, response) => void answer(state, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

function say(response: ServerResponse, status: number, value: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** As a cluster refuses; some repeat what they were sent, which must go no further. */
function refuse(response: ServerResponse, code: number, reason: string, headers = {}): void {
  const message = `${reason}: Bearer ${token}`
  say(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }, headers)
}

async function answer(state: Cluster, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let sent = ''
  for await (const part of request) sent += part
  const isKnown = request.headers.authorization === `Bearer ${token}` || (request.socket as TLSSocket).authorized
  if (!isKnown) return void refuse(response, 401, 'Unauthorized')
  const url = new URL(request.url ?? '/', 'https://cluster')
  if (request.method === 'POST') return void review(state, url.pathname, sent, response)
  if (request.method !== 'GET') {
    state.violations.push(`${request.method} ${url.pathname}`)
    return void refuse(response, 405, 'MethodNotAllowed')
  }
  const one = /^\/api\/v1\/namespaces\/([a-z0-9-]+)$/.exec(url.pathname)?.[1]
  if (one !== undefined) return void namespace(state, one, response)
  const path = /^\/(?:api|apis)\/((?:[\w.]+\/)?v\d)(?:\/namespaces\/([a-z0-9-]+))?\/(\w+)$/.exec(url.pathname)
  const [, groupVersion, inside, plural = ''] = path ?? []
  const isRoot = url.pathname.startsWith('/api/') === (groupVersion === 'v1')
  if (!path || !isRoot || served[plural]?.[0] !== groupVersion || (inside !== undefined && served[plural]?.[2])) {
    return void refuse(response, 404, 'NotFound')
  }
  list(state, plural, inside ?? null, { url, accept: request.headers.accept ?? '' }, response)
}

function namespace(state: Cluster, name: string, response: ServerResponse): void {
  const found = state.objects.namespaces?.find(({ metadata }) => metadata.name === name)
  const isAllowed = allows(state, { verb: 'get', group: '', resource: 'namespaces', namespace: null, name })
  if (!isAllowed) return void refuse(response, 403, 'Forbidden')
  if (!found) return void refuse(response, 404, 'NotFound')
  say(response, 200, { kind: 'Namespace', apiVersion: 'v1', ...found })
}

type Sent = { url: URL; accept: string }

function list(
  state: Cluster,
  plural: string,
  inside: string | null,
  { url, accept }: Sent,
  response: ServerResponse,
): void {
  const [groupVersion = '', kind = ''] = served[plural] ?? []
  const limit = Number(url.searchParams.get('limit'))
  const from = url.searchParams.get('continue')
  state.asked.push({ plural, namespace: inside, from, limit })
  if (!Number.isInteger(limit) || limit < 1) state.violations.push(`${plural}: limit ${limit}`)
  if (holdValues.includes(plural) && accept !== namesOnly) {
    state.violations.push(`${plural}: accept ${accept}`)
    return void refuse(response, 406, 'NotAcceptable')
  }
  const fault = state.fault({ plural, namespace: inside, from, limit })
  if (fault) return void misbehave(fault, response)
  const group = groupVersion.includes('/') ? (groupVersion.split('/')[0] ?? '') : ''
  if (!allows(state, { verb: 'list', group, resource: plural, namespace: inside }))
    return void refuse(response, 403, 'Forbidden')
  const all = (state.objects[plural] ?? []).filter(({ metadata }) => inside === null || metadata.namespace === inside)
  const start = from === null ? 0 : startOf(from, plural)
  if (start === null) return void refuse(response, 400, 'BadRequest')
  const page = all.slice(start, start + limit)
  const rest = all.length - start - page.length
  const more = rest > 0 ? { continue: tokenOf(plural, start + limit), remainingItemCount: rest } : {}
  const metadata = { resourceVersion: '1000', ...more }
  if (accept !== namesOnly)
    return void say(response, 200, { kind: `${kind}List`, apiVersion: groupVersion, metadata, items: page })
  const items = page.map(one => ({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: one.metadata,
  }))
  say(response, 200, { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items })
}

/** With letters that mean something else in an address. */
function tokenOf(plural: string, start: number): string {
  return `${Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', plural, start })).toString('base64')}+/&=?`
}

function startOf(given: string, plural: string): number | null {
  try {
    if (!given.endsWith('+/&=?')) return null
    const read = JSON.parse(Buffer.from(given.slice(0, -5), 'base64').toString())
    return read.plural === plural ? read.start : null
  } catch {
    return null
  }
}

function misbehave(fault: Fault, response: ServerResponse): void {
  if (fault === 'stall') return void response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[')
  if (fault === 'reset') return void response.socket?.destroy()
  if (!('status' in fault)) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(fault.body)
    return
  }
  if (fault.body === undefined) return void refuse(response, fault.status, 'Failed', fault.headers)
  response.writeHead(fault.status, fault.headers).end(fault.body)
}

type Wanted = { verb: string; group: string; resource: string; namespace: string | null; name?: string }

function allows({ rules }: Cluster, wanted: Wanted): boolean {
  const holds = (list: string[], one: string) => list.includes('*') || list.includes(one)
  return rules.some(
    rule =>
      holds(rule.verbs, wanted.verb) &&
      holds(rule.apiGroups, wanted.group) &&
      holds(rule.resources, wanted.resource) &&
      (!rule.resourceNames || (wanted.name !== undefined && rule.resourceNames.includes(wanted.name))) &&
      (rule.namespace === undefined || rule.namespace === wanted.namespace),
  )
}

function review(state: Cluster, path: string, sent: string, response: ServerResponse): void {
  const { kind, apiVersion, spec } = JSON.parse(sent)
  const known: Record<string, string> = {
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': 'SelfSubjectAccessReview',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews': 'SelfSubjectRulesReview',
  }
  if (known[path] !== kind || apiVersion !== 'authorization.k8s.io/v1') return void refuse(response, 400, 'BadRequest')
  if (kind === 'SelfSubjectAccessReview') {
    const { verb, group = '', resource, subresource, namespace = null, name } = spec.resourceAttributes
    const full = subresource ? `${resource}/${subresource}` : resource
    const allowed = allows(state, { verb, group, resource: full, namespace, ...(name && { name }) })
    return void say(response, 201, { kind, apiVersion, spec, status: { allowed } })
  }
  if (typeof spec.namespace !== 'string') return void refuse(response, 400, 'BadRequest')
  const own = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']
  const resourceRules = [
    { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: own },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ...state.rules
      .filter(rule => rule.namespace === undefined || rule.namespace === spec.namespace)
      .map(({ namespace: _, ...rule }) => rule),
  ]
  const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/version', '/api/*'] }]
  const incomplete = state.isIncomplete
  say(response, 201, {
    kind,
    apiVersion,
    spec,
    status: { resourceRules: incomplete ? [] : resourceRules, nonResourceRules, incomplete },
  })
}
