// The lists of a cluster's API that are read, in their order: where each is, and what it is a list of.
import { typeOf } from './kinds.ts'

export type Resource = {
  kind: string
  /** As in the address, and in a rule of RBAC. */
  plural: string
  /** '' is the core group. */
  group: string
  version: string
  isOfCluster?: true
  /** Only names and labels are asked for, so that what it holds does not arrive. */
  isNameOnly?: true
}

/** Namespaces first: that list says which cluster it is, and whether it answers at all. */
const resources: readonly Resource[] = [
  { kind: 'Namespace', plural: 'namespaces', group: '', version: 'v1', isOfCluster: true },
  { kind: 'Node', plural: 'nodes', group: '', version: 'v1', isOfCluster: true },
  { kind: 'Deployment', plural: 'deployments', group: 'apps', version: 'v1' },
  { kind: 'StatefulSet', plural: 'statefulsets', group: 'apps', version: 'v1' },
  { kind: 'DaemonSet', plural: 'daemonsets', group: 'apps', version: 'v1' },
  { kind: 'CronJob', plural: 'cronjobs', group: 'batch', version: 'v1' },
  { kind: 'Service', plural: 'services', group: '', version: 'v1' },
  { kind: 'Ingress', plural: 'ingresses', group: 'networking.k8s.io', version: 'v1' },
  { kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', group: '', version: 'v1' },
  { kind: 'PersistentVolume', plural: 'persistentvolumes', group: '', version: 'v1', isOfCluster: true },
  { kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers', group: 'autoscaling', version: 'v2' },
  { kind: 'NetworkPolicy', plural: 'networkpolicies', group: 'networking.k8s.io', version: 'v1' },
  { kind: 'ServiceAccount', plural: 'serviceaccounts', group: '', version: 'v1', isNameOnly: true },
  { kind: 'ConfigMap', plural: 'configmaps', group: '', version: 'v1', isNameOnly: true },
  { kind: 'Secret', plural: 'secrets', group: '', version: 'v1', isNameOnly: true },
  { kind: 'Job', plural: 'jobs', group: 'batch', version: 'v1' },
  { kind: 'ReplicaSet', plural: 'replicasets', group: 'apps', version: 'v1' },
  { kind: 'Pod', plural: 'pods', group: '', version: 'v1' },
]

/** What is read of a cluster: all namespaces, or these, and then nothing that is in none. */
export type Extent = {
  namespaces?: readonly string[]
  /** Plurals of what is not asked for, such as `secrets`: then nobody needs the right to list it. */
  without?: readonly string[]
}

/** What nobody is asked for unless an account says so: the right to list secrets is the right to read their values. */
const onlyIfNamed = ['secrets']

/** As an account is set. */
export function extentOf(config: { namespaces?: readonly string[]; include?: readonly string[] }): Extent {
  const { namespaces = [], include = [] } = config
  const without = onlyIfNamed.filter(plural => !include.includes(plural))
  return { without, ...(namespaces.length > 0 && { namespaces }) }
}

export function resourcesIn({ namespaces, without = [] }: Extent): readonly Resource[] {
  return resources.filter(({ plural, isOfCluster }) => !without.includes(plural) && !(namespaces && isOfCluster))
}

export function typeOfResource({ kind }: Resource): string {
  return typeOf(kind)
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`
}

/** Below the address of the server. */
export function pathOf(resource: Resource, namespace: string | null): string {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`
  const inside = namespace === null ? '' : `/namespaces/${namespace}`
  return `${root}/${resource.version}${inside}/${resource.plural}`
}

/** As RBAC and kubectl write it: `deployments.apps`. */
export function fullName({ group, plural }: { group: string; plural: string }): string {
  return group === '' ? plural : `${plural}.${group}`
}
