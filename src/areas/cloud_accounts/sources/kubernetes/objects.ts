// Turns Kubernetes objects, from an API or from manifests, into things and how they hang together.
import type { Found, NodeKey, Relation } from '../../found/contract.ts'
import { type Gathered, gather } from '../gathered.ts'
import { at, fieldsOf, listOf, numberOf, tagsOf, textOf } from '../values.ts'
import { type KubernetesObject, keyNamed, kindOf, kinds, propertiesOf } from './kinds.ts'
import { claimsOf, type Reference, readsOf } from './pods.ts'
import { type Selectable, selectable } from './selectors.ts'

export type { KubernetesObject } from './kinds.ts'

type Read = {
  object: KubernetesObject
  kindName: string
  kind: NonNullable<ReturnType<typeof kindOf>>[1]
  name: string
  namespace: string
  key: NodeKey
  /** Who made it, where that is a thing too. */
  owner: NodeKey | undefined
}

/** Where kubectl puts what names no namespace. */
const usualNamespace = 'default'

/**
 * Objects of other kinds are passed over. Edges may lead to things that are not among the objects, since references name
 * them; those by selectors only lead to what is there, so give all objects of a cluster at once.
 */
export function nodesAndEdges(
  objects: readonly KubernetesObject[],
  whole = 'The cluster',
): Pick<Found, 'nodes' | 'edges' | 'unseen'> {
  const gathered = gather(whole)
  const reads = inOrder(objects)
  for (const read of reads) gathered.node(nodeOf(read))
  const byKey = new Map(reads.map(read => [read.key.type + read.key.externalId, read]))
  const isThere = (key: NodeKey) => byKey.has(key.type + key.externalId)
  const workloads = selectable()
  for (const read of reads) {
    // The edges of whoever owns it say the same, for all that it makes.
    if (read.kind.pod && !(read.owner && isThere(read.owner))) {
      workloads.add(read.namespace, at(read.object, ...read.kind.pod, 'metadata', 'labels'), read.key)
    }
  }
  for (const read of reads) addContainment(gathered, read, isThere)
  for (const read of reads) addReferences(gathered, read, workloads, isThere)
  const { nodes, edges, unseen } = gathered.found(null)
  return { nodes, edges, unseen }
}

function inOrder(objects: readonly KubernetesObject[]): Read[] {
  const rank = new Map([...kinds.keys()].map((name, index) => [name, index]))
  const reads = objects.flatMap(object => readOf(object) ?? [])
  return reads.toSorted((one, other) => (rank.get(one.kindName) ?? 0) - (rank.get(other.kindName) ?? 0))
}

function readOf(object: KubernetesObject): Read | undefined {
  const found = kindOf(object)
  if (!found) return undefined
  const [kindName, kind] = found
  const name = textOf(at(object, 'metadata', 'name'), 253)
  const namespace = kind.isOfCluster ? '' : (textOf(at(object, 'metadata', 'namespace'), 253) ?? usualNamespace)
  const key = keyNamed(kindName, namespace, name)
  if (name === undefined || !key) return undefined
  const owner = ownerOf(object, namespace)
  // A Deployment keeps ten of its former sets, which run nothing and would crowd out what does.
  if (kindName === 'ReplicaSet' && owner && at(object, 'spec', 'replicas') === 0) return undefined
  return { object, kindName, kind, name, namespace, key, owner }
}

function ownerOf(object: KubernetesObject, namespace: string): NodeKey | undefined {
  const owners = listOf(at(object, 'metadata', 'ownerReferences'), 20).filter(owner => kindOf(fieldsOf(owner) ?? {}))
  const owner = owners.find(one => at(one, 'controller') === true) ?? owners[0]
  const kindName = at(owner, 'kind')
  return typeof kindName === 'string' ? keyNamed(kindName, namespace, at(owner, 'name')) : undefined
}

function nodeOf({ object, kind, key, name, namespace }: Read): Found['nodes'][number] {
  const properties = { ...(namespace !== '' && { namespace }), ...propertiesOf(kind, object) }
  const tags = kind.isNameOnly ? {} : tagsOf(at(object, 'metadata', 'labels'))
  return { ...key, name, category: kind.category, properties, tags }
}

/** A pod is in its namespace because its owner is; that is not said again for each. */
function addContainment(gathered: Gathered, { key, namespace, owner }: Read, isThere: (key: NodeKey) => boolean): void {
  if (owner) gathered.edge(owner, key, 'contains')
  const home = namespace === '' || (owner && isThere(owner)) ? undefined : keyNamed('Namespace', '', namespace)
  if (home) gathered.edge(home, key, 'contains')
}

function addReferences(
  gathered: Gathered,
  read: Read,
  workloads: Selectable,
  isThere: (key: NodeKey) => boolean,
): void {
  if (gathered.isFull()) return
  const { object, key, kind, kindName, namespace } = read
  for (const { kind: other, name, relation } of referencesOf(read, isThere)) {
    const to = keyNamed(other, namespace, name)
    if (to) gathered.edge(key, to, relation)
  }
  if (kindName === 'Service') {
    for (const to of workloads.select(namespace, at(object, 'spec', 'selector'))) gathered.edge(key, to, 'connects_to')
  }
  if (kindName === 'StatefulSet') addClaimsOfSet(gathered, read, isThere)
  const pod = kind.pod && fieldsOf(at(object, ...kind.pod, 'spec'))
  const node = kindName === 'Pod' ? keyNamed('Node', '', at(pod, 'nodeName')) : undefined
  if (node) gathered.edge(key, node, 'deploys_to')
}

function referencesOf({ object, kind, kindName, owner }: Read, isThere: (key: NodeKey) => boolean): Reference[] {
  const pod = kind.pod && fieldsOf(at(object, ...kind.pod, 'spec'))
  if (pod) return owner && isThere(owner) ? claimsOf(pod) : [...claimsOf(pod), ...readsOf(pod)]
  if (kindName === 'Ingress') return ofIngress(object)
  if (kindName === 'HorizontalPodAutoscaler') return ofAutoscaler(object)
  if (kindName === 'ServiceAccount') return ofAccount(object)
  if (kindName !== 'PersistentVolumeClaim') return []
  return [to('PersistentVolume', at(object, 'spec', 'volumeName'), 'depends_on')]
}

function to(kind: string, name: unknown, relation: Relation): Reference {
  return { kind, name, relation }
}

/** Before `networking.k8s.io/v1` a backend was `{ serviceName }`. */
function ofIngress(object: KubernetesObject): Reference[] {
  const spec = at(object, 'spec')
  const paths = listOf(at(spec, 'rules'), 500).flatMap(rule => listOf(at(rule, 'http', 'paths'), 500))
  const backends = [at(spec, 'defaultBackend'), at(spec, 'backend'), ...paths.map(path => at(path, 'backend'))]
  const targets = backends.map(one =>
    to('Service', at(one, 'service', 'name') ?? at(one, 'serviceName'), 'connects_to'),
  )
  const certificates = listOf(at(spec, 'tls'), 100).map(one => to('Secret', at(one, 'secretName'), 'reads'))
  return [...targets, ...certificates]
}

function ofAutoscaler(object: KubernetesObject): Reference[] {
  const target = fieldsOf(at(object, 'spec', 'scaleTargetRef'))
  const found = target && kindOf(target)
  return found ? [to(found[0], at(target, 'name'), 'depends_on')] : []
}

function ofAccount(object: KubernetesObject): Reference[] {
  const lists = [at(object, 'secrets'), at(object, 'imagePullSecrets')]
  return lists.flatMap(list => listOf(list, 50)).map(one => to('Secret', at(one, 'name'), 'reads'))
}

/** Each pod of the set has a claim of its own, called by template, set and number. */
function addClaimsOfSet(gathered: Gathered, read: Read, isThere: (key: NodeKey) => boolean): void {
  const count = Math.min(numberOf(at(read.object, 'spec', 'replicas')) ?? 1, 100)
  for (const claim of listOf(at(read.object, 'spec', 'volumeClaimTemplates'), 20)) {
    const name = textOf(at(claim, 'metadata', 'name'), 253)
    for (let number = 0; name !== undefined && number < count; number++) {
      const key = keyNamed('PersistentVolumeClaim', read.namespace, `${name}-${read.name}-${number}`)
      if (key && isThere(key)) gathered.edge(read.key, key, 'writes')
    }
  }
}
