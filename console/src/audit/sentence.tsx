// An entry of the ledger as a sentence: who did what to which record, with the names that people know.
import { Badge, Group, Text } from '@mantine/core'
import { type ItemOf, pastTense } from '../../../src/client/catalogue.ts'
import { placeOfArea } from '../areas/define.ts'
import { areaOf, areaOfObject, brief, idIn } from '../contract.ts'
import { inText, wordsOf } from '../format.ts'
import { LinkText } from '../parts/links.tsx'
import { Moment } from '../parts/moment.tsx'
import { useWorkspaceId } from '../session.ts'
import { useNames, type Wanted } from '../table/references.ts'

export type Entry = ItemOf<'audit_logs.list'>

/** `api_keys.rotate` → "rotated", `workspaces.settings.patch` → "changed the settings of". */
export function verbOf(action: string): string {
  const parts = action.split('.')
  const own = brief(action)?.past
  if (own) return own
  const word = pastTense(wordsOf(parts.at(-1) ?? '').toLowerCase())
  return parts.length > 2 && parts[1] === 'settings' ? `${word} the settings of` : word
}

/** What the record is called, where the entry itself says it. */
function nameIn(entry: Entry): string | undefined {
  const change = ['name', 'title', 'email', 'forename', 'slug']
    .map(path => entry.changes.find(one => one.path === path))
    .find(one => one !== undefined)
  const name = change?.after ?? change?.before
  return typeof name === 'string' && name !== '' ? name : undefined
}

export function actorName({ actor }: Entry): string {
  return actor.name ?? (actor.id === 'system' ? 'Atrium' : (actor.id ?? wordsOf(actor.type)))
}

/** The names of what entries are about, one call per kind. */
export function useTargetNames(entries: readonly Pick<Entry, 'target' | 'action'>[]): ReadonlyMap<string, string> {
  const wanted = new Map<string, Wanted>()
  for (const { target, action } of entries) {
    const area = target && areaOfObject(target.object)
    if (!area || action.endsWith('.del') || !area.operations[idIn(area.name, 'list')]?.route.includes('{workspaceId}'))
      continue
    const ids = wanted.get(area.name)?.ids ?? []
    wanted.set(area.name, { area, ids: [...new Set([...ids, target.id])] })
  }
  return useNames([...wanted.values()])
}

type SentenceProps = { entry: Entry; names?: ReadonlyMap<string, string> }

export function Sentence({ entry, names }: SentenceProps) {
  const workspaceId = useWorkspaceId()
  const { target, action } = entry
  const area = target ? areaOfObject(target.object) : undefined
  const place = area && placeOfArea(area.name)
  const word = target ? (place?.one ?? wordsOf(target.object)) : wordsOf(areaOf(action) || action)
  const name = target ? (names?.get(target.id) ?? nameIn(entry)) : undefined
  const isThere = place && target && !action.endsWith('.del') && idIn(place.area, 'get') in (area?.operations ?? {})
  const shown = name ?? (target && isThere ? shortId(target.id) : '')
  const kind = inText(word)
  return (
    <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
      <strong>{actorName(entry)}</strong> {entry.outcome === 'denied' ? 'was refused: ' : ''}
      {verbOf(action)} {shown ? kind : `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`}{' '}
      {isThere ? (
        <LinkText to={`/w/${workspaceId}/${place.path}/${target.id}` as '/'} size="sm">
          {shown}
        </LinkText>
      ) : (
        shown
      )}
    </Text>
  )
}

/** The sentence, and when it was. */
export function EntryLine({ entry }: { entry: Entry }) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Sentence entry={entry} />
      <div className="atrium-nowrap">
        <Moment at={entry.at} />
      </div>
    </Group>
  )
}

function shortId(id: string): string {
  return id.length > 18 ? `${id.slice(0, 14)}…` : id
}

export function Outcome({ entry }: { entry: Entry }) {
  return entry.outcome === 'success' ? <Badge color="green">Done</Badge> : <Badge color="red">Refused</Badge>
}
