// An event as one sentence: who did what to which record.
import { pastTense } from '../../../contract/past_tense.ts'
import { areas, operation } from '../../../operations.ts'
import type { EventView } from './event_view.ts'
import { cleaned, cut } from './plain_text.ts'
import { withArticle, wordsOf } from './words.ts'

/** Names of people are short; what is longer than this is there to be seen. */
const longestName = 80
const longestTitle = 200

/** In parts, since names and titles are from strangers and the title can become the link. None is escaped yet. */
type Sentence = { who: string | null; did: string; title: string | null }

const events = new Map(areas.flatMap(area => Object.entries(area.events)))

/** `past` is said in place of what the contract says. */
export function sentencePartsOf(view: EventView, past?: string): Sentence {
  const title = titleOf(view)
  const declared = operation(view.type) || past ? undefined : events.get(view.type)
  if (declared !== undefined) {
    const text = declared.replace(/\.$/, '')
    return { who: null, did: title === null ? text : `${text}:`, title }
  }
  return { who: actorOf(view), did: `${past ?? verbOf(view.type)} ${recordOf(view, title)}`, title }
}

/** All but the title. */
export function startOf({ who, did }: Sentence): string {
  return who === null ? did : `${who} ${did}`
}

/** In plain text of one line; what it is put into has to escape it. */
export function sentenceOf(view: EventView, past?: string): string {
  const parts = sentencePartsOf(view, past)
  return parts.title === null ? startOf(parts) : `${startOf(parts)} “${parts.title}”`
}

function titleOf({ target }: EventView): string | null {
  return cut(cleaned(target?.title ?? ''), longestTitle) || null
}

/** "Ada", "An agent of Ada (investigation)", "Atrium", "Somebody". */
function actorOf({ actor: { type, id, name, callerKind } }: EventView): string {
  const known = cut(cleaned(name ?? ''), longestName)
  if (callerKind !== null) return `An agent${known ? ` of ${known}` : ''} (${wordsOf(callerKind)})`
  if (type === 'system' || id === 'system') return 'Atrium'
  return known || 'Somebody'
}

/** `workspaces.settings.patch` → "changed the settings of". */
function verbOf(type: string): string {
  const parts = type.split('.')
  const own = operation(type)?.past
  if (own !== undefined) return own
  const word = pastTense(wordsOf(parts.at(-1) ?? ''))
  return parts.length > 2 && parts[1] === 'settings' ? `${word} the settings of` : word
}

function recordOf({ target, type }: EventView, title: string | null): string {
  if (target === null) return wordsOf(type.split('.')[0] ?? '')
  const kind = wordsOf(target.object)
  return title === null ? withArticle(kind) : `the ${kind}`
}
