// Issues that change without an entry of their own: labels that are put on many, merged or deleted, and teams that go.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { Fields } from '../metrics/metric.ts'

type Put = { object: string; id: string; labelId?: string }

/** What goes from every issue that has it. */
type Swept = { label: string } | { team: string }

export function sweptBy({ action, target }: FollowedEntry): Swept[] {
  if (!target) return []
  if (action === 'labels.merge' || action === 'labels.del') return [{ label: target.id }]
  return action === 'teams.del' ? [{ team: target.id }] : []
}

/** Those on which it puts a label, or of which it takes one. */
export function labelledIn(entry: FollowedEntry): string[] {
  return entry.action === 'labels.apply' ? [...new Set(putsOf(entry).map(({ id }) => id))] : []
}

/** As they are then, in one order; of what was never counted nothing is known. `known` are the ids and fields of issues. */
export function relabelled(
  entry: FollowedEntry,
  fieldsOf: (id: string) => Fields | undefined,
  known: () => Iterable<readonly [string, Fields]>,
): [string, Fields][] {
  const swept = sweptBy(entry)
  if (swept.length > 0) {
    const has = (fields: Fields) => swept.some(one => carries(fields, one))
    const found = [...known()].filter(([, fields]) => has(fields))
    return found.sort(byId).map(([id, fields]) => [id, without(fields, entry)])
  }
  return labelledIn(entry).flatMap((id): [string, Fields][] => {
    const fields = fieldsOf(id)
    return fields ? [[id, { ...fields, labels: putOn(id, labelsIn(fields), entry) }]] : []
  })
}

const byId = ([one]: readonly [string, Fields], [other]: readonly [string, Fields]) => (one < other ? -1 : 1)

function carries(fields: Fields, swept: Swept): boolean {
  return 'label' in swept ? labelsIn(fields).includes(swept.label) : fields.teamId === swept.team
}

function without(fields: Fields, entry: FollowedEntry): Fields {
  const { action, target } = entry
  if (action === 'teams.del') return { ...fields, teamId: null }
  const into = action === 'labels.merge' ? said<string>(entry, 'intoId') : undefined
  const gone = new Set([target?.id, ...(said<string[]>(entry, 'replacedIds') ?? [])])
  const kept = labelsIn(fields).filter(label => !gone.has(label))
  return { ...fields, labels: sorted(into === undefined ? kept : [...kept, into]) }
}

function putOn(issueId: string, labels: readonly string[], entry: FollowedEntry): string[] {
  const own = putsOf(entry).filter(({ id }) => id === issueId)
  const gone = new Set(own.filter(({ isAdded }) => !isAdded).map(({ labelId }) => labelId))
  const added = own.filter(({ isAdded }) => isAdded).map(({ labelId }) => labelId)
  return sorted([...labels.filter(label => !gone.has(label)), ...added])
}

const sorted = (labels: readonly string[]) => [...new Set(labels)].sort()

function putsOf(entry: FollowedEntry): { id: string; labelId: string; isAdded: boolean }[] {
  return ['added', 'removed', 'replaced'].flatMap(path => {
    const puts = said<Put[]>(entry, path)
    if (!Array.isArray(puts)) return []
    return puts
      .filter(({ object }) => object === 'issue')
      .map(({ id, labelId = entry.target?.id ?? '' }) => ({ id, labelId, isAdded: path === 'added' }))
  })
}

function said<T>({ changes }: FollowedEntry, path: string): T | undefined {
  return changes.find(change => change.path === path)?.after as T | undefined
}

function labelsIn({ labels }: Fields): readonly string[] {
  return Array.isArray(labels) ? labels : []
}
