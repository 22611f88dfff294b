// The kinds of Kubernetes objects that become things: what each is called, where it belongs, and what is kept of it.
import type { Category, NodeKey } from '../../found/contract.ts'
import { at, type Fields, fieldsOf, flagOf, known, listOf, numberOf, textOf, textsOf } from '../values.ts'
import { podProperties } from './pods.ts'

/** As the API or a manifest has it. Objects of a list come without `kind`: whoever lists them says it. */
export type KubernetesObject = Fields

type Kind = {
  category: Category
  /** API groups that have this kind: others have kinds of the same name, such as the Service of Knative. */
  groups: readonly string[]
  isOfCluster?: true
  /** Where its pods are described. */
  pod?: readonly string[]
  /** Nothing but the name is kept. */
  isNameOnly?: true
  properties?: (object: KubernetesObject) => Record<string, unknown>
}

const template = ['spec', 'template']
const apps = ['apps', 'extensions']
const networking = ['networking.k8s.io', 'extensions']

/** What counts most comes first: where there is too much, the rest is left out. */
export const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['Namespace', { category: 'config', groups: [''], isOfCluster: true }],
  ['Node', { category: 'compute', groups: [''], isOfCluster: true, properties: nodeProperties }],
  ['Deployment', { category: 'compute', groups: apps, pod: template, properties: workloadProperties }],
  ['StatefulSet', { category: 'compute', groups: ['apps'], pod: template, properties: workloadProperties }],
  ['DaemonSet', { category: 'compute', groups: apps, pod: template, properties: workloadProperties }],
  [
    'CronJob',
    {
      category: 'compute',
      groups: ['batch'],
      pod: ['spec', 'jobTemplate', 'spec', 'template'],
      properties: object => ({
        schedule: textOf(at(object, 'spec', 'schedule')),
        timeZone: textOf(at(object, 'spec', 'timeZone')),
        isSuspended: flagOf(at(object, 'spec', 'suspend')),
        concurrencyPolicy: textOf(at(object, 'spec', 'concurrencyPolicy')),
      }),
    },
  ],
  ['Service', { category: 'network', groups: [''], properties: portProperties }],
  ['Ingress', { category: 'network', groups: networking, properties: ingressProperties }],
  ['PersistentVolumeClaim', { category: 'storage', groups: [''], properties: claimProperties }],
  ['PersistentVolume', { category: 'storage', groups: [''], isOfCluster: true, properties: volumeProperties }],
  [
    'HorizontalPodAutoscaler',
    {
      category: 'config',
      groups: ['autoscaling'],
      properties: object => ({
        minReplicas: numberOf(at(object, 'spec', 'minReplicas')),
        maxReplicas: numberOf(at(object, 'spec', 'maxReplicas')),
      }),
    },
  ],
  [
    'NetworkPolicy',
    {
      category: 'security',
      groups: networking,
      properties: object => ({ policyTypes: textsOf(at(object, 'spec', 'policyTypes'), 2) }),
    },
  ],
  ['ServiceAccount', { category: 'identity', groups: [''] }],
  ['ConfigMap', { category: 'config', groups: [''], isNameOnly: true }],
  ['Secret', { category: 'security', groups: [''], isNameOnly: true }],
  ['Job', { category: 'compute', groups: ['batch'], pod: template, properties: jobProperties }],
  ['ReplicaSet', { category: 'compute', groups: apps, pod: template, properties: workloadProperties }],
  [
    'Pod',
    {
      category: 'compute',
      groups: [''],
      pod: [],
      properties: object => ({ phase: textOf(at(object, 'status', 'phase')) }),
    },
  ],
])

export function kindOf(object: KubernetesObject): [string, Kind] | undefined {
  const name = at(object, 'kind')
  const kind = typeof name === 'string' ? kinds.get(name) : undefined
  if (!kind || typeof name !== 'string') return undefined
  return isOfGroup(kind, at(object, 'apiVersion')) ? [name, kind] : undefined
}

function isOfGroup(kind: Kind, apiVersion: unknown): boolean {
  if (apiVersion === undefined) return true
  if (typeof apiVersion !== 'string') return false
  const slash = apiVersion.indexOf('/')
  return kind.groups.includes(slash < 0 ? '' : apiVersion.slice(0, slash))
}

export function typeOf(kindName: string): string {
  return `k8s.${kindName.toLowerCase()}`
}

/** What is in no namespace is called by its name alone. */
export function keyNamed(kindName: string, namespace: string, name: unknown): NodeKey | undefined {
  const plain = textOf(name, 253)
  const kind = kinds.get(kindName)
  if (plain === undefined || !kind) return undefined
  return { type: typeOf(kindName), externalId: kind.isOfCluster ? plain : `${namespace}/${plain}`, region: '' }
}

function workloadProperties(object: KubernetesObject): Record<string, unknown> {
  return {
    replicas: numberOf(at(object, 'spec', 'replicas')),
    strategy: textOf(at(object, 'spec', 'strategy', 'type')) ?? textOf(at(object, 'spec', 'updateStrategy', 'type')),
  }
}

function jobProperties(object: KubernetesObject): Record<string, unknown> {
  const spec = at(object, 'spec')
  return {
    completions: numberOf(at(spec, 'completions')),
    parallelism: numberOf(at(spec, 'parallelism')),
    isSuspended: flagOf(at(spec, 'suspend')),
  }
}

/** What a node reports every minute is left out: it would be a change at every look. */
function nodeProperties(object: KubernetesObject): Record<string, unknown> {
  const labels = at(object, 'metadata', 'labels')
  const system = at(object, 'status', 'nodeInfo')
  return {
    region: textOf(at(labels, 'topology.kubernetes.io/region')),
    zone: textOf(at(labels, 'topology.kubernetes.io/zone')),
    instanceType: textOf(at(labels, 'node.kubernetes.io/instance-type')),
    providerId: textOf(at(object, 'spec', 'providerID')),
    isUnschedulable: flagOf(at(object, 'spec', 'unschedulable')),
    kubeletVersion: textOf(at(system, 'kubeletVersion')),
    osImage: textOf(at(system, 'osImage')),
    architecture: textOf(at(system, 'architecture')),
    cpu: textOf(at(object, 'status', 'capacity', 'cpu')),
    memory: textOf(at(object, 'status', 'capacity', 'memory')),
  }
}

function portProperties(object: KubernetesObject): Record<string, unknown> {
  const ports = listOf(at(object, 'spec', 'ports'), 50).map(port =>
    known({
      name: textOf(at(port, 'name'), 64),
      port: numberOf(at(port, 'port')),
      targetPort: numberOf(at(port, 'targetPort')) ?? textOf(at(port, 'targetPort'), 64),
      protocol: textOf(at(port, 'protocol'), 16),
    }),
  )
  const addresses = listOf(at(object, 'status', 'loadBalancer', 'ingress'), 10).flatMap(
    one => textOf(at(one, 'hostname')) ?? textOf(at(one, 'ip')) ?? [],
  )
  const type = textOf(at(object, 'spec', 'type'))
  return { serviceType: type, clusterIp: textOf(at(object, 'spec', 'clusterIP')), ports, addresses }
}

function ingressProperties(object: KubernetesObject): Record<string, unknown> {
  const hosts = listOf(at(object, 'spec', 'rules'), 100).flatMap(rule => textOf(at(rule, 'host')) ?? [])
  return {
    class: textOf(at(object, 'spec', 'ingressClassName')),
    hosts: [...new Set(hosts)],
    hasTls: listOf(at(object, 'spec', 'tls')).length > 0,
  }
}

function claimProperties(object: KubernetesObject): Record<string, unknown> {
  const spec = at(object, 'spec')
  return {
    storageClass: textOf(at(spec, 'storageClassName')),
    accessModes: textsOf(at(spec, 'accessModes'), 4),
    size: textOf(at(spec, 'resources', 'requests', 'storage')),
  }
}

function volumeProperties(object: KubernetesObject): Record<string, unknown> {
  const spec = at(object, 'spec')
  return {
    storageClass: textOf(at(spec, 'storageClassName')),
    accessModes: textsOf(at(spec, 'accessModes'), 4),
    size: textOf(at(spec, 'capacity', 'storage')),
    reclaimPolicy: textOf(at(spec, 'persistentVolumeReclaimPolicy')),
    driver: textOf(at(spec, 'csi', 'driver')),
    volumeHandle: textOf(at(spec, 'csi', 'volumeHandle')),
  }
}

/** Everything that is kept of an object. Annotations never are: one of them repeats the whole object. */
export function propertiesOf(kind: Kind, object: KubernetesObject): Record<string, unknown> {
  if (kind.isNameOnly) return {}
  const pod = kind.pod && fieldsOf(at(object, ...kind.pod, 'spec'))
  return known({ ...kind.properties?.(object), ...(pod && podProperties(pod)) })
}
