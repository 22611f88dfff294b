// Records as they were when they were counted last, by what they are and their id, and what is needed of them.
import { isWrite } from '../../../contract/operation.ts'
import type { FollowedEntry } from '../../../kit/follow.ts'
import { operation } from '../../../operations.ts'
import type { Fields } from '../metrics/metric.ts'
import { labelledIn } from './relabelling.ts'

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

/** When a workspace came with its records: what ended before that was counted elsewhere. */
export function importKey(workspaceId: string): string {
  return stateKey('import', workspaceId)
}

/**
 * Of a person one state for each way in which they came, since each counts once a minute: the shortest bucket. An agent
 * that works in somebody's name is nobody, and who takes a file along has changed nothing.
 */
export function memberKey({ actor, action }: FollowedEntry): string | null {
  if (!actor.id?.startsWith('usr_') || actor.callerKind !== null || isReading(action)) return null
  return stateKey('member', `${actor.id}/${actor.surface}`)
}

function isReading(action: string): boolean {
  const named = operation(action)
  return named !== undefined && (!isWrite(named) || named.produces !== undefined)
}

/** The states that counting an entry needs, but for those that it changes wherever they are. */
export function statesOf(entry: FollowedEntry): string[] {
  const { action, target } = entry
  const keys = labelledIn(entry).map(id => stateKey('issue', id))
  const member = memberKey(entry)
  if (member) keys.push(member)
  const ends = endsRuns.has(action)
  if (ends) keys.push(importKey(entry.chain))
  if (target && (ends || target.object === 'issue' || target.object === 'autofix')) {
    keys.push(stateKey(target.object, target.id))
  }
  return keys
}
