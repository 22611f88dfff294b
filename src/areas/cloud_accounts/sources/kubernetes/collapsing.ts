// Counts what a workload made into the workload itself: pods and sets come and go with every rollout.
import type { FoundNode } from '../../found/contract.ts'
import type { Gathered } from '../gathered.ts'
import { at, known, listOf, looksSecret, numberOf, textOf } from '../values.ts'
import { type KubernetesObject, keyNamed } from './kinds.ts'

type Owner = { kind: string; namespace: string; name: string }

/** What is left of a pod that a workload made. */
export type OwnedPod = {
  owner: Owner
  node: string | undefined
  isRunning: boolean
  restarts: number
  images: string[]
}

const makersOfPods = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job']
/** Kinds that are made anew by a kind above them, under another name each time. */
const makerOf: ReadonlyMap<string, string> = new Map([
  ['ReplicaSet', 'Deployment'],
  ['Job', 'CronJob'],
])
const groupOf: ReadonlyMap<string, string> = new Map([
  ['Job', 'batch'],
  ['CronJob', 'batch'],
])
const mostImages = 50

function ownerOf(object: KubernetesObject, among: readonly string[]): Owner | undefined {
  const namespace = textOf(at(object, 'metadata', 'namespace'), 253)
  for (const owner of listOf(at(object, 'metadata', 'ownerReferences'), 20)) {
    const [kind, name] = [textOf(at(owner, 'kind'), 63), textOf(at(owner, 'name'), 253)]
    if (at(owner, 'controller') !== true || !kind || !name || !namespace || !among.includes(kind)) continue
    // Others have kinds of the same name, such as the Job of Volcano.
    const group = String(at(owner, 'apiVersion')).split('/')[0]
    if (group === (groupOf.get(kind) ?? 'apps')) return { kind, namespace, name }
  }
  return undefined
}

export function ownedPodOf(pod: KubernetesObject): OwnedPod | undefined {
  const owner = ownerOf(pod, makersOfPods)
  if (!owner) return undefined
  const statuses = listOf(at(pod, 'status', 'containerStatuses'), 50)
  const restarts = statuses.map(status => numberOf(at(status, 'restartCount')) ?? 0)
  const images = listOf(at(pod, 'spec', 'containers'), 50).flatMap(one => textOf(at(one, 'image')) ?? [])
  return {
    owner,
    node: textOf(at(pod, 'spec', 'nodeName'), 253),
    isRunning: at(pod, 'status', 'phase') === 'Running',
    restarts: restarts.reduce((sum, one) => sum + one, 0),
    images: images.filter(image => !looksSecret(image)),
  }
}

/** The sets of Deployments and the Jobs of CronJobs are only needed to know whose pods are whose. */
export function isMadeAnew(object: KubernetesObject): boolean {
  const maker = makerOf.get(String(object.kind))
  return maker !== undefined && ownerOf(object, [maker]) !== undefined
}

type Count = { pods: number; running: number; restarts: number; images: Set<string>; nodes: Set<string> }
export type Counts = ReadonlyMap<string, { owner: Owner; count: Count }>

export function countPods(pods: readonly OwnedPod[], objects: readonly KubernetesObject[]): Counts {
  const above = new Map<string, Owner>()
  for (const object of objects) {
    const maker = makerOf.get(String(object.kind))
    const owner = maker === undefined ? undefined : ownerOf(object, [maker])
    if (owner)
      above.set(
        textOfOwner({ ...owner, kind: String(object.kind), name: String(at(object, 'metadata', 'name')) }),
        owner,
      )
  }
  const counts = new Map<string, { owner: Owner; count: Count }>()
  for (const pod of pods) {
    const owner = above.get(textOfOwner(pod.owner)) ?? pod.owner
    const key = textOfOwner(owner)
    const entry = counts.get(key) ?? {
      owner,
      count: { pods: 0, running: 0, restarts: 0, images: new Set(), nodes: new Set() },
    }
    counts.set(key, entry)
    add(entry.count, pod)
  }
  return counts
}

function textOfOwner({ kind, namespace, name }: Owner): string {
  return `${kind}\n${namespace}\n${name}`
}

function add(count: Count, pod: OwnedPod): void {
  count.pods++
  if (pod.isRunning) count.running++
  count.restarts += pod.restarts
  for (const image of pod.images) if (count.images.size < mostImages) count.images.add(image)
  if (pod.node !== undefined) count.nodes.add(pod.node)
}

/** Keys are those of the workloads' nodes, as `keyText` writes them. */
export function propertiesOfPods({ count }: { count: Count }): FoundNode['properties'] {
  const { pods, running, restarts, images } = count
  // What runs may not be what is described: a rollout that hangs, or a hook that sets other images.
  return known({ pods, running, restarts, runningImages: [...images].sort() })
}

export function addPlaces(gathered: Gathered, counts: Counts): void {
  for (const { owner, count } of counts.values()) {
    const from = keyNamed(owner.kind, owner.namespace, owner.name)
    for (const name of count.nodes) {
      const to = keyNamed('Node', '', name)
      if (from && to) gathered.edge(from, to, 'deploys_to')
    }
  }
}
