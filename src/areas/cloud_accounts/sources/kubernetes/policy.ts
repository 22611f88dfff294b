// The rights that reading a cluster takes, as a manifest for `kubectl apply`.
import { type Extent, fullName, type Resource, resourcesIn } from './resources.ts'

const account = 'atrium-reader'
const home = 'atrium'

/** Kubernetes cannot give the names of secrets without their values: who may list them may read them. */
const aboutSecrets =
  '# `list` on secrets lets the account read their values too, though Atrium asks for names only.\n' +
  '# If that is too much, take secrets out of `config.include` of the account.\n'

export function policyFor(extent: Extent): string {
  const needed = resourcesIn(extent)
  const head =
    `# kubectl apply -f atrium.yaml\n` +
    `# kubectl -n ${home} create token ${account} --duration=2160h   # the token to give to Atrium\n` +
    (needed.some(({ plural }) => plural === 'secrets') ? aboutSecrets : '')
  const role = [...groupsOf(needed)].map(([group, plurals]) => ruleText(group, plurals)).join('')
  const parts = [
    object('v1', 'Namespace', `{ name: ${home} }`),
    object('v1', 'ServiceAccount', `{ name: ${account}, namespace: ${home} }`),
    object(rbac, 'ClusterRole', `{ name: ${account} }`, `rules:\n${role}`),
    ...bindings(extent),
  ]
  return head + parts.join('---\n')
}

const rbac = 'rbac.authorization.k8s.io/v1'

function object(apiVersion: string, kind: string, metadata: string, rest = ''): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\n${rest}`
}

function groupsOf(needed: readonly Resource[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { group, plural } of needed) groups.set(group, [...(groups.get(group) ?? []), plural])
  return groups
}

function ruleText(group: string, plurals: readonly string[]): string {
  return `  - apiGroups: ['${group}']\n    resources: [${plurals.join(', ')}]\n    verbs: [list]\n`
}

function bindings({ namespaces }: Extent): string[] {
  const subjects = `subjects:\n  - { kind: ServiceAccount, name: ${account}, namespace: ${home} }\n`
  const bound = (name: string) =>
    `roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} }\n${subjects}`
  if (!namespaces) return [object(rbac, 'ClusterRoleBinding', `{ name: ${account} }`, bound(account))]
  // Which cluster it is: the id of the one namespace that every cluster has.
  const cluster = `${account}-cluster`
  const rule = `rules:\n  - apiGroups: ['']\n    resources: [namespaces]\n    resourceNames: [kube-system]\n    verbs: [get]\n`
  return [
    ...namespaces.map(namespace =>
      object(rbac, 'RoleBinding', `{ name: ${account}, namespace: ${namespace} }`, bound(account)),
    ),
    object(rbac, 'ClusterRole', `{ name: ${cluster} }`, rule),
    object(rbac, 'ClusterRoleBinding', `{ name: ${cluster} }`, bound(cluster)),
  ]
}

export type Right = { verb: string; group: string; plural: string; namespace: string | null; name?: string }

export function rightsFor(extent: Extent): Right[] {
  const { namespaces } = extent
  const lists = resourcesIn(extent).flatMap(({ group, plural }) =>
    (namespaces ?? [null]).map(namespace => ({ verb: 'list', group, plural, namespace })),
  )
  if (!namespaces) return lists
  return [{ verb: 'get', group: '', plural: 'namespaces', namespace: null, name: 'kube-system' }, ...lists]
}

/** `list deployments.apps`, `list pods in shop`. */
export function rightText({ verb, namespace, name, ...resource }: Right): string {
  return `${verb} ${fullName(resource)}${name ? ` ${name}` : ''}${namespace === null ? '' : ` in ${namespace}`}`
}
