// Which rules of a cluster give more than reading takes, in words.
import { at, listOf, textsOf } from '../values.ts'
import { type Right, rightText } from './policy.ts'
import type { Resource } from './resources.ts'

const mostRules = 2000

/** What every caller of a cluster may do: ask about itself. */
const everybody = /^selfsubject\w*\.(authorization|authentication)\.k8s\.io$/
/** Of these only names are asked for; who may get one has its values. */
const holdValues = ['Secret', 'ConfigMap']

/** Of the status of a SelfSubjectRulesReview. `get` and `watch` of what may be listed tell no more than the list. */
export function excess(status: unknown, needed: readonly Resource[]): string[] {
  const byName = new Map(needed.map(resource => [`${resource.group}/${resource.plural}`, resource]))
  const ofResources = listOf(at(status, 'resourceRules'), mostRules).flatMap(rule => ofRule(rule, byName))
  const ofAddresses = listOf(at(status, 'nonResourceRules'), mostRules)
    .filter(rule => textsOf(at(rule, 'nonResourceURLs'), 50).includes('*'))
    .map(rule => `${verbText(textsOf(at(rule, 'verbs'), 50))} on every address of the API`)
  return [...ofResources, ...ofAddresses]
}

function ofRule(rule: unknown, needed: ReadonlyMap<string, Resource>): string[] {
  const verbs = textsOf(at(rule, 'verbs'), 50)
  const names = textsOf(at(rule, 'resourceNames'), 20)
  return textsOf(at(rule, 'resources'), 200).flatMap(plural =>
    groupsIn(rule).flatMap(group => {
      if (everybody.test(`${plural}.${group}`)) return []
      const harmless = harmlessVerbs(needed.get(`${group}/${plural}`), plural, names)
      const more = verbs.filter(verb => !harmless.includes(verb))
      return more.length === 0 ? [] : [excessText({ verb: verbText(more), group, plural, namespace: null })]
    }),
  )
}

function harmlessVerbs(resource: Resource | undefined, plural: string, names: readonly string[]): readonly string[] {
  // Which cluster it is may be asked by whoever reads it.
  if (plural === 'namespaces' && names.join() === 'kube-system') return ['get', 'list', 'watch']
  if (!resource) return []
  return holdValues.includes(resource.kind) ? ['list'] : ['get', 'list', 'watch']
}

/** '' is the core group, and no text to `textsOf`. */
function groupsIn(rule: unknown): string[] {
  return listOf(at(rule, 'apiGroups'), 50).flatMap(one => (one === '' ? [''] : textsOf([one], 1)))
}

function verbText(verbs: readonly string[]): string {
  return verbs.includes('*') ? 'every verb' : verbs.join(', ')
}

export function excessText(right: Right): string {
  const verb = right.verb === '*' ? 'every verb' : right.verb
  if (right.plural === '*') {
    return `${verb} on everything${['', '*'].includes(right.group) ? '' : ` of ${right.group}`}`
  }
  const why = reasons.find(([form]) => form.test(`${verb} ${right.plural}`))?.[1]
  return rightText({ ...right, verb }) + (why ? `: ${why}` : '')
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/ secrets$/, 'reads or changes the values of secrets'],
  [/ (pods\/(exec|attach|portforward|proxy)|nodes\/proxy|services\/proxy)$/, 'reaches into what runs'],
  [/ pods\/log$/, 'reads logs'],
  [/impersonate|escalate|bind\b/, 'gives itself other rights'],
  [/ serviceaccounts\/token$/, 'makes tokens of other accounts'],
]
