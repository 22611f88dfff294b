// The names of the records that rows refer to by id: one call per kind, not one per row.
import { useQueries } from '@tanstack/react-query'
import { titleOf } from '../areas/define.ts'
import { bare, itemFields } from '../areas/schema.ts'
import { areaOfId, type IndexedArea, idIn } from '../contract.ts'
import { callNamed, type Row, type RowPage } from '../named.ts'
import { useStanding, useWorkspaceId } from '../session.ts'

const most = 100

export function useReferences(
  listId: string,
  columns: readonly string[],
  items: readonly Row[],
): ReadonlyMap<string, string> {
  const fields = itemFields(listId)
  const wanted = new Map<IndexedArea, Set<string>>()
  for (const name of columns) {
    // An owner may be a person or a team: there the id itself says of which kind it is.
    if (!bare(fields[name] ?? {})['x-id'] && !name.endsWith('Id')) continue
    for (const id of items.map(item => item[name]).filter(one => typeof one === 'string')) {
      const area = areaOfId(id)
      if (!area || area.name === listId.split('.')[0]) continue
      wanted.set(area, new Set([...(wanted.get(area) ?? []), id]))
    }
  }
  return useNames([...wanted].map(([area, ids]) => ({ area, ids: [...ids] })))
}

export type Wanted = { area: IndexedArea; ids: readonly string[] }

export function useNames(wanted: readonly Wanted[]): ReadonlyMap<string, string> {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const asked = wanted.filter(({ area, ids }) => ids.length > 0 && may(idIn(area.name, 'list')))
  const answers = useQueries({
    queries: asked.map(({ area, ids }) => {
      const input = { workspaceId, [area.key ?? 'id']: [...ids].sort().slice(0, most), perPage: most }
      return {
        queryKey: [idIn(area.name, 'list'), input],
        queryFn: () => callNamed(idIn(area.name, 'list'), input) as Promise<RowPage>,
        staleTime: 60_000,
      }
    }),
  })
  return new Map(
    answers.flatMap(({ data }, index) => {
      const area = asked[index]?.area
      return (data?.items ?? []).map((record): [string, string] => [
        String(record[area?.key ?? 'id']),
        titleOf(area?.name ?? '', record),
      ])
    }),
  )
}
