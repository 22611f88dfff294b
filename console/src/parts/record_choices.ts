// Records to choose from by what is typed: their list is searched by the service, however many there are.
import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQueries } from '@tanstack/react-query'
import { placeOfArea, titleOf } from '../areas/define.ts'
import { areaOfId, type IndexedArea, idIn, indexedArea } from '../contract.ts'
import { callNamed, type Row, type RowPage, wholeQuery } from '../named.ts'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'
import { useNames } from '../table/references.ts'

/** After so long without another letter the service is asked. */
export const typingMs = 250
/** As many as are read at once; whoever wants another types. */
const most = 50

export type RecordChoice = { value: string; label: string }

/** Names of records by their ids, as a choice shows them. */
export function useChoiceNames(
  areas: readonly string[],
  ids: readonly string[],
  isMixed = areas.length > 1,
): ReadonlyMap<string, string> {
  const words = useWords(isMixed)
  const known = areas.flatMap(name => indexedArea(name) ?? [])
  const names = useNames(known.map(area => ({ area, ids: ids.filter(id => areaOfId(id) === area) })))
  return new Map([...names].map(([id, title]) => [id, words(id, title)]))
}

/** Where there are other choices, too, what is no person says what it is: "Team Engines". */
function useWords(isMixed: boolean): (id: string, title: string) => string {
  const me = useMe()
  return (id, title) => {
    if (id === me?.id) return `${title} (you)`
    const area = areaOfId(id)?.name ?? ''
    return isMixed && area !== 'workspace_members' ? `${placeOfArea(area)?.one ?? area} ${title}` : title
  }
}

type Found = {
  /** What fits what is typed, oneself first. */
  offered: readonly RecordChoice[]
  /** Further ones that fit and are not offered. */
  more: number
  isSearching: boolean
}

type Offer = {
  /** Choices that are no records: "Nobody". */
  first?: readonly RecordChoice[]
  /** Only records with these values are offered: `{ position: 'admin' }`. */
  where?: Row
}

const everything: Row = {}

export function useRecordChoices(
  areas: readonly string[],
  typed: string,
  { first = [], where = everything }: Offer = {},
): Found {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const me = useMe()
  const wordsFor = useWords(areas.length + first.length > 1)
  const wanted = typed.trim()
  const [words] = useDebouncedValue(wanted, typingMs)
  const asked = areas.flatMap(name => (workspaceId !== '' && may(idIn(name, 'list')) ? (indexedArea(name) ?? []) : []))
  const answers = useQueries({ queries: asked.map(area => searchOf(area, { ...where, workspaceId }, words)) })
  const isSearching =
    words !== wanted || answers.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData)
  const isFitting = ({ label }: RecordChoice) => label.toLowerCase().includes(wanted.toLowerCase())
  const found = answers.flatMap(({ data }, index) => {
    const area = asked[index]
    if (!area) return []
    const choices = (data?.items ?? []).map(record => choiceOf(area, record, wordsFor))
    // The service looks into more fields than the title. Until it has answered, who is quick finds what is there already.
    return area.isSearched && !isSearching ? choices : choices.filter(isFitting)
  })
  // Oneself is found by "you", too, which no list knows.
  const self =
    me && areas.includes('workspace_members') && where === everything
      ? [{ value: me.id, label: wordsFor(me.id, titleOf('workspace_members', me)) }]
      : []
  const mine = self.filter(one => isFitting(one) || found.some(({ value }) => value === one.value))
  const others = found.filter(({ value }) => value !== me?.id)
  const more = answers.reduce((sum, { data }) => sum + (data ? data.count - data.items.length : 0), 0)
  return { offered: [...first.filter(isFitting), ...mine, ...others], more: isSearching ? 0 : more, isSearching }
}

function searchOf(area: IndexedArea, where: Row, words: string) {
  const id = idIn(area.name, 'list')
  if (!area.isSearched) return wholeQuery(id, where)
  const input = { ...where, perPage: most, ...(words && { q: words }) }
  return queryOptions<RowPage, Error>({
    queryKey: [id, input],
    queryFn: ({ signal }) => callNamed(id, input, { signal }) as Promise<RowPage>,
    // What is shown stays until the answer is there.
    placeholderData: before => before,
    networkMode: 'always',
  })
}

function choiceOf(area: IndexedArea, record: Row, wordsFor: (id: string, title: string) => string): RecordChoice {
  const value = String(record[area.key ?? 'id'])
  return { value, label: wordsFor(value, titleOf(area.name, record)) }
}
