// Reads a cluster over its API: what runs in it, and how that hangs together.
import type { Found, NodeKey, Unseen } from '../../found/contract.ts'
import { type Asking, ask, type Refusal } from '../asking.ts'
import { gather, keyText } from '../gathered.ts'
import { UnreadableSource } from '../unreadable.ts'
import { at, textOf } from '../values.ts'
import { callTo, checkNamespaces, type KubernetesAccess } from './access.ts'
import { addPlaces, type Counts, countPods, isMadeAnew, type OwnedPod, propertiesOfPods } from './collapsing.ts'
import { type KubernetesObject, keyNamed } from './kinds.ts'
import { budget, type ListCall, listAll } from './listing.ts'
import { liveProperties } from './live.ts'
import { nodesAndEdges } from './objects.ts'
import { type Extent, fullName, type Resource, resourcesIn, typeOfResource } from './resources.ts'

/** After this many lists in a row that nobody answered, the rest is not asked for. */
const mostSilent = 3
const silent: readonly Unseen['code'][] = ['unreachable', 'timeout', 'throttled']
/** Whose pods are whose is only known where all of these were read to their end. */
const needsWhole = ['Pod', 'ReplicaSet', 'Job']

type Reading = {
  objects: KubernetesObject[]
  pods: OwnedPod[]
  unseen: Unseen[]
  /** Kinds that were not read, or not to their end. */
  partly: Set<string>
}

export async function readKubernetes(access: KubernetesAccess, options: Asking & Extent): Promise<Found> {
  checkNamespaces(options.namespaces)
  const call: ListCall = { ...callTo(access), asking: options, left: budget() }
  const reading = await readLists(call, options)
  if (options.namespaces) reading.objects.unshift(...namespacesOf(reading.objects, options.namespaces))
  const externalId = clusterIn(reading.objects) ?? (await askForCluster(call))
  const isCounted = needsWhole.every(kind => !reading.partly.has(kind))
  const counts: Counts = isCounted ? countPods(reading.pods, reading.objects) : new Map()
  return put(reading, counts, externalId)
}

async function readLists(call: ListCall, extent: Extent): Promise<Reading> {
  const reading: Reading = { objects: [], pods: [], unseen: [], partly: new Set() }
  let inARow: { count: number; last?: Refusal } = { count: 0 }
  let isFirst = true
  for (const resource of resourcesIn(extent)) {
    const refusal =
      inARow.count >= mostSilent ? inARow.last : await readResource(call, resource, extent.namespaces, reading)
    if (refusal) {
      throwIfWhole(refusal, isFirst)
      reading.partly.add(resource.kind)
      reading.unseen.push(unseenOf(resource, refusal))
    }
    inARow = refusal && silent.includes(refusal.code) ? { count: inARow.count + 1, last: refusal } : { count: 0 }
    isFirst = false
  }
  return reading
}

/** What was read before it failed is kept: it is there, whatever else is. */
async function readResource(
  call: ListCall,
  resource: Resource,
  namespaces: readonly string[] | undefined,
  into: Reading,
): Promise<Refusal | undefined> {
  let first: Refusal | undefined
  for (const namespace of namespaces ?? [null]) {
    const { objects, pods, refusal } = await listAll(call, resource, namespace)
    for (const object of objects) into.objects.push(object)
    for (const pod of pods) into.pods.push(pod)
    first ??= refusal
    if (refusal && (refusal.status === 401 || silent.includes(refusal.code))) break
  }
  return first
}

/** Those in which something is: where only some are read, nobody needs the right to look at namespaces themselves. */
function namespacesOf(objects: readonly KubernetesObject[], names: readonly string[]): KubernetesObject[] {
  const used = new Set(objects.map(object => at(object, 'metadata', 'namespace')))
  return names.filter(name => used.has(name)).map(name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
}

/** Credentials that are refused, or a cluster that cannot be called at all: nothing else would be learnt. */
function throwIfWhole({ code, status, why }: Refusal, isFirst: boolean): void {
  if (status === 401) {
    const text = 'The cluster refuses the credentials; they are wrong, or too old. Give a new token or certificate.'
    throw new UnreadableSource('auth', text)
  }
  const isUncallable = status === null && ['auth', 'forbidden', 'unreachable', 'timeout'].includes(code)
  if (isFirst && isUncallable) throw new UnreadableSource(code, `The cluster cannot be read: ${why}.`)
}

function unseenOf(resource: Resource, { code, status, why }: Refusal): Unseen {
  const name = fullName(resource)
  const advice = new Map<number | null, string>([
    [403, ` Let its account list ${name}; the manifest to paste has the rule.`],
    [404, ' Its version may be too old to have them.'],
  ])
  const text = `The cluster was asked for ${name}, and ${why}.${advice.get(status) ?? ''}`
  return { region: null, types: [typeOfResource(resource)], code, text }
}

const system = 'kube-system'

/** The namespace that every cluster has, and never another one of. */
function clusterIn(objects: readonly KubernetesObject[]): string | null {
  const found = objects.find(({ kind, metadata }) => kind === 'Namespace' && at(metadata, 'name') === system)
  return textOf(at(found, 'metadata', 'uid'), 128) ?? null
}

async function askForCluster({ server, options, asking }: ListCall): Promise<string | null> {
  const { value } = await ask(asking, `${server}/api/v1/namespaces/${system}`, options)
  return at(value, 'metadata', 'name') === system ? (textOf(at(value, 'metadata', 'uid'), 128) ?? null) : null
}

function put({ objects, unseen }: Reading, counts: Counts, externalId: string | null): Found {
  const kept = objects.filter(object => !isMadeAnew(object))
  const drawn = nodesAndEdges(kept)
  const more = new Map<string, Record<string, unknown>>()
  const add = (key: NodeKey | undefined, properties: Record<string, unknown>) => {
    if (key) more.set(keyText(key), { ...more.get(keyText(key)), ...properties })
  }
  for (const object of kept) add(keyOfObject(object), liveProperties(object))
  for (const entry of counts.values()) {
    const { kind, namespace, name } = entry.owner
    add(keyNamed(kind, namespace, name), propertiesOfPods(entry))
  }
  const gathered = gather('The cluster')
  for (const node of drawn.nodes) {
    gathered.node({ ...node, properties: { ...node.properties, ...more.get(keyText(node)) } })
  }
  for (const { from, to, relation, confidence } of drawn.edges) gathered.edge(from, to, relation, confidence)
  addPlaces(gathered, counts)
  for (const one of [...unseen, ...drawn.unseen]) gathered.unseen(one)
  return gathered.found(externalId)
}

function keyOfObject({ kind, metadata }: KubernetesObject): NodeKey | undefined {
  return keyNamed(String(kind), String(at(metadata, 'namespace') ?? ''), at(metadata, 'name'))
}
