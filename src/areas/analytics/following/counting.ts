// From entries of the ledger to facts: the same entries, readings and states give the same facts, always.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { Change, Dims, Fields, LedgerMetric } from '../metrics/metric.ts'
import { metricsOf } from '../metrics/table.ts'
import { becomes } from './becoming.ts'
import { isUncounted, type Reading } from './reading.ts'
import { relabelled } from './relabelling.ts'
import { endsRuns, importKey, memberKey, stateKey } from './states.ts'

/** One thing that a metric counts. Each dimension has a list of values: `none` where there is none. */
export type Fact = {
  metric: string
  at: string
  seq: number
  place: number
  weight: number
  value: number
  /** What cannot be added up: the value where the middle of many is asked for, or who did it. */
  spread: string | null
  dims: Readonly<Record<string, readonly string[]>>
}

export const none = 'none'

/** Changes the states as the entry says; null is one that is gone. */
export function factsOf(
  entry: FollowedEntry,
  reading: Reading | undefined,
  states: Map<string, Fields>,
  changed: Map<string, Fields | null>,
): Fact[] {
  const facts: Fact[] = []
  const places = new Map<string, number>()
  for (const change of changesOf(entry, reading, states, changed)) {
    for (const metric of metricsOf(change.subject)) {
      for (const { by, value = 0, weight = 1 } of metric.measure(change)) {
        const place = places.get(metric.name) ?? 0
        places.set(metric.name, place + 1)
        const { at, seq } = entry
        const spread = spreadOf(metric, by, value)
        facts.push({ metric: metric.name, at, seq, place, weight, value, spread, dims: dimsOf(metric, by) })
      }
    }
  }
  return facts
}

function dimsOf({ dimensions }: LedgerMetric, by: Dims): Fact['dims'] {
  return Object.fromEntries(Object.keys(dimensions).map(name => [name, valuesOf(by[name])]))
}

/** Of an id, which is random, seven letters tell who it is: of ten thousand people hardly two have the same. */
function spreadOf({ kind }: LedgerMetric, { member }: Dims, value: number): string | null {
  if (kind === 'mean') return String(value)
  return kind === 'distinct' ? `u${String(member).slice(-7)}` : null
}

/** As long as a name may be. What comes in an archive may be longer, and an index does not take everything. */
const mostLetters = 256

function valuesOf(value: Dims[string]): readonly string[] {
  const list = (Array.isArray(value) ? value : [value]).map(one => shortened(String(one ?? none)))
  return list.length > 0 ? [...new Set(list)].sort() : [none]
}

const shortened = (name: string) => (name.length <= mostLetters ? name : [...name].slice(0, mostLetters).join(''))

function changesOf(
  entry: FollowedEntry,
  reading: Reading | undefined,
  states: Map<string, Fields>,
  changed: Map<string, Fields | null>,
): Change[] {
  const { action, target } = entry
  const put = (key: string, fields: Fields | null) => {
    if (fields) states.set(key, fields)
    else states.delete(key)
    changed.set(key, fields)
  }
  const changes: Change[] = []
  const tell = (subject: Change['subject'], before: Fields | null, after: Fields | null) =>
    changes.push({ subject, before, after, entry })

  const member = memberKey(entry)
  if (member) {
    const before = states.get(member) ?? null
    const minute = entry.at.slice(0, 16)
    if (before?.minute !== minute) {
      tell('member', before, { id: entry.actor.id, surface: entry.actor.surface, minute })
      put(member, { minute })
    }
  }
  if (target?.object === 'issue' || target?.object === 'autofix') {
    const key = stateKey(target.object, target.id)
    const before = states.get(key) ?? null
    const after = becomes(target.object, before, entry, reading)
    if (after !== undefined) {
      tell(target.object, before, after)
      put(key, after)
    }
  }
  const others = Object.entries(reading?.others ?? {})
  for (const [id, fields] of [
    ...others,
    ...relabelled(
      entry,
      id => states.get(issueKey(id)),
      () => issuesAmong(states),
    ),
  ]) {
    tell('issue', states.get(issueKey(id)) ?? null, fields)
    put(issueKey(id), fields)
  }
  if (action === 'workspaces.import') put(importKey(entry.chain), { at: entry.at })
  if (action === 'threads.post') tell('thread', null, { type: said(entry, 'type') })
  if (action === 'issues.investigate') {
    tell('thread', null, { type: 'investigation' })
    const below = said(entry, 'hypothesisThreadIds')
    if (Array.isArray(below)) for (const _ of below) tell('thread', null, { type: 'hypothesis' })
  }
  if (target?.object === 'thread' && endsRuns.has(action)) {
    const key = stateKey('thread', target.id)
    for (const run of reading?.runs ?? []) {
      if (!isUncounted(run, states, entry.chain, key)) continue
      tell('run', null, run)
      put(key, { ended: run.ended, id: run.id })
    }
  }
  if (action === 'agent_tools.approvals.decide') tell('approval', null, reading?.fields ?? null)
  if (action === 'ratings.post') {
    const told = ['object', 'objectId', 'reason', 'value'].map(path => [path, said(entry, path)])
    tell('rating', null, Object.fromEntries(told))
  }
  return changes
}

const issueKey = (id: string) => stateKey('issue', id)

function issuesAmong(states: ReadonlyMap<string, Fields>): [string, Fields][] {
  const prefix = issueKey('')
  return [...states].flatMap(([key, fields]): [string, Fields][] =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), fields]] : [],
  )
}

function said({ changes }: FollowedEntry, path: string): unknown {
  return changes.find(change => change.path === path)?.after ?? null
}
