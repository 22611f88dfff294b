// Asks a cluster which rights its account has: those that reading takes, those it lacks, and those it should not have.
import { type Asking, ask, type Refusal } from '../asking.ts'
import { UnreadableSource } from '../unreadable.ts'
import { at } from '../values.ts'
import { callTo, checkNamespaces, type KubernetesAccess, type KubernetesCall } from './access.ts'
import { excess, excessText } from './excess.ts'
import { policyFor, type Right, rightsFor, rightText } from './policy.ts'
import { type Extent, resourcesIn } from './resources.ts'

export type Rights = { present: string[]; missing: string[]; tooMany: string[]; policy: string }

type Call = KubernetesCall & { asking: Asking }

const api = 'authorization.k8s.io/v1'
const mostNamespaces = 10
const mostShown = 100
const atOnce = 6

/** What a cluster that cannot list all its rules is asked one by one: rights that are worth most to a thief. */
const dangerous: readonly Right[] = [
  ['*', '*', '*'],
  ['get', '', 'secrets'],
  ['create', '', 'pods'],
  ['create', '', 'pods/exec'],
  ['delete', '', 'pods'],
  ['create', '', 'serviceaccounts/token'],
  ['impersonate', '', 'users'],
  ['update', 'apps', 'deployments'],
  ['escalate', 'rbac.authorization.k8s.io', 'clusterroles'],
].map(([verb = '', group = '', plural = '']) => ({ verb, group, plural, namespace: null }))

export async function validateKubernetes(access: KubernetesAccess, options: Asking & Extent): Promise<Rights> {
  checkNamespaces(options.namespaces)
  const call: Call = { ...callTo(access), asking: options }
  const rights = rightsFor(options)
  const present: string[] = []
  const missing: string[] = []
  for (let from = 0; from < rights.length; from += atOnce) {
    const some = rights.slice(from, from + atOnce)
    const answers = await Promise.all(some.map(right => isAllowed(call, right)))
    for (const [index, right] of some.entries()) (answers[index] ? present : missing).push(rightText(right))
  }
  const tooMany = await beyond(call, options)
  return { present, missing, tooMany: tooMany.slice(0, mostShown), policy: policyFor(options) }
}

async function review(call: Call, kind: string, spec: object): Promise<unknown> {
  const path = `/apis/${api}/${kind.toLowerCase()}s`
  const headers = { ...call.options.headers, 'content-type': 'application/json' }
  const body = JSON.stringify({ apiVersion: api, kind, spec })
  const { value, refusal } = await ask(call.asking, call.server + path, {
    ...call.options,
    method: 'POST',
    headers,
    body,
  })
  if (refusal) throw unreadable(refusal)
  if (at(value, 'kind') !== kind) throw unreadable({ code: 'malformed', status: null, why: 'it is no Kubernetes API' })
  return at(value, 'status')
}

function unreadable({ code, status, why }: Refusal): UnreadableSource {
  if (status === 401) return new UnreadableSource('auth', 'The cluster refuses the credentials; give new ones.')
  return new UnreadableSource(code, `The cluster could not be asked which rights there are: ${why}.`)
}

async function isAllowed(call: Call, { verb, group, plural, namespace, name }: Right): Promise<boolean> {
  const [resource, subresource] = plural.split('/')
  const resourceAttributes = { verb, group, resource, subresource, name, ...(namespace !== null && { namespace }) }
  return at(await review(call, 'SelfSubjectAccessReview', { resourceAttributes }), 'allowed') === true
}

/** Rules of a role in one namespace count there, those for the whole cluster everywhere: each is told once. */
async function beyond(call: Call, extent: Extent): Promise<string[]> {
  const namespaces = new Set(['default', 'kube-system', ...(extent.namespaces ?? [])])
  const found = new Set<string>()
  let isIncomplete = false
  for (const namespace of [...namespaces].slice(0, mostNamespaces)) {
    const status = await review(call, 'SelfSubjectRulesReview', { namespace })
    isIncomplete ||= at(status, 'incomplete') === true
    const isRead = !extent.namespaces || extent.namespaces.includes(namespace)
    for (const text of excess(status, isRead ? resourcesIn(extent) : [])) found.add(text)
  }
  for (const right of isIncomplete ? dangerous : []) if (await isAllowed(call, right)) found.add(excessText(right))
  return [...found].sort()
}
