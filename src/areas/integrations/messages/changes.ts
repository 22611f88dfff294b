// What was changed, as the few short fields that a message has room for.
import type { EventView } from './event_view.ts'
import { cleaned, cut } from './plain_text.ts'
import { capital, wordsOf } from './words.ts'

const mostShown = 5
const longestName = 60
const longestValue = 160

/** `name` has nothing but letters, digits and spaces; `value` is plain text that is not escaped yet. Neither is empty. */
export type ShownChange = { name: string; value: string }

export function changesOf({ changes = [] }: EventView): ShownChange[] {
  return changes.slice(0, mostShown).map(change => ({ name: nameOf(change.path), value: changeOf(change) }))
}

/** Where it happened, and how much of it is not shown: the last line of a message. Not escaped yet. */
export function footOf({ workspace, changes = [] }: EventView): string {
  const name = cut(cleaned(workspace.name ?? ''), longestName) || 'Atrium'
  const more = changes.length - mostShown
  return more > 0 ? `${name} · ${more} more ${more === 1 ? 'change' : 'changes'}` : name
}

function nameOf(path: string): string {
  return cut(capital(wordsOf(path.slice(0, 4 * longestName))), longestName) || 'Value'
}

type Change = NonNullable<EventView['changes']>[number]

/** A secret has changed and shows neither what it was nor what it is. */
function changeOf(change: Change): string {
  if (change.before === undefined) return change.after === undefined ? 'changed' : shown(change.after)
  return `${shown(change.before)} → ${shown(change.after)}`
}

function shown(value: unknown): string {
  return cut(cleaned(written(value)), longestValue) || 'nothing'
}

function written(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every(one => typeof one === 'string')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
