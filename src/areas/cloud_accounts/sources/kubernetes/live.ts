// What a cluster says about how its objects are, as far as that is not another thing at every look.
import { at, known, listOf, numberOf, textOf } from '../values.ts'
import type { KubernetesObject } from './kinds.ts'

const ready = (object: KubernetesObject) => ({ ready: numberOf(at(object, 'status', 'readyReplicas')) ?? 0 })
const phase = (object: KubernetesObject) => ({ phase: textOf(at(object, 'status', 'phase'), 63) })

type Live = (object: KubernetesObject) => Record<string, unknown>

const byKind: ReadonlyMap<string, Live> = new Map<string, Live>([
  ['Namespace', phase],
  ['Node', object => ({ conditions: conditionsOf(object) })],
  ['Deployment', ready],
  ['StatefulSet', ready],
  ['ReplicaSet', ready],
  [
    'DaemonSet',
    object => ({
      replicas: numberOf(at(object, 'status', 'desiredNumberScheduled')),
      ready: numberOf(at(object, 'status', 'numberReady')) ?? 0,
    }),
  ],
  ['Job', object => ({ conditions: conditionsOf(object), failed: numberOf(at(object, 'status', 'failed')) })],
  ['PersistentVolume', phase],
  [
    'PersistentVolumeClaim',
    object => ({ ...phase(object), capacity: textOf(at(object, 'status', 'capacity', 'storage'), 63) }),
  ],
])

export function liveProperties(object: KubernetesObject): Record<string, unknown> {
  return known(byKind.get(String(object.kind))?.(object) ?? {})
}

/** Those that hold, by name: of a sound node `Ready` alone. */
function conditionsOf(object: KubernetesObject): string[] {
  const holding = listOf(at(object, 'status', 'conditions'), 50).filter(one => at(one, 'status') === 'True')
  return holding.flatMap(one => textOf(at(one, 'type'), 63) ?? []).sort()
}
