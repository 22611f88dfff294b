// Records as they were when they were counted last, by what they are and their id.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { Fields } from '../metrics/metric.ts'

/** What may end a run of the thread that they name. */
export const endsRuns: ReadonlySet<string> = new Set([
  'threads.runs.finish',
  'threads.runs.cancel',
  'threads.runs.lost',
  'threads.runs.moved',
])

export type States = ReadonlyMap<string, Fields>

/** No id has a space. */
export function stateKey(object: string, id: string): string {
  return `${object} ${id}`
}

/** Of a person one state for each way in which they came, since each counts once a minute: the shortest bucket. */
export function memberKey({ actor }: FollowedEntry): string | null {
  return actor.id?.startsWith('usr_') ? stateKey('member', `${actor.id}/${actor.surface}`) : null
}

/** The states that counting an entry needs. */
export function statesOf(entry: FollowedEntry): string[] {
  const { action, target } = entry
  const member = memberKey(entry)
  const isCounted = target?.object === 'issue' || target?.object === 'autofix' || endsRuns.has(action)
  return [...(member ? [member] : []), ...(target && isCounted ? [stateKey(target.object, target.id)] : [])]
}
