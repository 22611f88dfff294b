// The one table for lists: filters, order, pages, a menu per row, acts on many rows, cards where the screen is narrow.
import { Button } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect } from 'react'
import type { CellProps } from '../areas/define.ts'
import { filtersOf, firstOrder, isSearched, sortsOf } from '../areas/schema.ts'
import { type Row, type RowPage, useNamedCall } from '../named.ts'
import { Empty, Loaded } from '../parts/page.tsx'
import type { FilterChoices } from './filter_editor.tsx'
import { Filters } from './filters.tsx'
import { type ChangeLook, type Look, spanOf } from './look.ts'
import { fewest, Paging, perPageOf } from './paging.tsx'
import { Rows } from './rows.tsx'

export type BulkAct = { label: string; onAct: (records: readonly Row[], clear: () => void) => void }

export type DataTableProps = {
  listId: string
  /** Fields of the path. */
  path: Row
  /** The field that tells records apart. */
  keyField: string
  columns: readonly string[]
  label: string
  labelOf: (name: string) => string
  look: Look
  onLook: ChangeLook
  cells?: Readonly<Record<string, ComponentType<CellProps>>> | undefined
  choices?: FilterChoices | undefined
  /** Where a record's own page is. */
  hrefOf?: ((record: Row) => string) | undefined
  rowMenu?: ((record: Row) => ReactNode) | undefined
  bulk?: readonly BulkAct[] | undefined
  empty: { icon: LucideIcon; title: string; text: string; action?: ReactNode }
  /** Sent along where the address says nothing else. */
  usual?: Row
  /** For what the stream of live updates does not tell of. */
  refetchInterval?: number
}

export function inputOf(listId: string, look: Look, usual: Row = {}): Row {
  const { page: _, from: __, to: ___, perPage: ____, ...rest } = look
  const names = new Set([...filtersOf(listId).map(({ name }) => name), ...(isSearched(listId) ? ['q'] : [])])
  const chosen = Object.entries(rest).filter(([name, value]) => names.has(name) && value !== undefined && value !== '')
  const order = sortsOf(listId).includes(look.orderBy ?? '')
    ? { orderBy: look.orderBy, order: look.order ?? firstOrder(listId, look.orderBy ?? '') }
    : {}
  return {
    ...usual,
    ...order,
    ...Object.fromEntries(
      chosen.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
    ),
    ...spanOf(look),
  }
}

export function DataTable(props: DataTableProps) {
  const { listId, path, label, look, onLook, empty, usual = {}, refetchInterval } = props
  const perPage = perPageOf(look.perPage)
  const page = Number(look.page ?? 1)
  const input = inputOf(listId, look, usual)
  const found = useNamedCall<RowPage>(
    listId,
    { ...path, ...input, page, perPage },
    { keep: true, ...(refetchInterval && { refetchInterval }) },
  )
  const isFiltered = filtersOf(listId).some(({ name }) => look[name]) || Boolean(look.q)
  const { data, isPlaceholderData } = found
  const lastPage = Math.max(1, Math.ceil((data?.count ?? 0) / perPage))
  const isPastEnd =
    data !== undefined && !isPlaceholderData && data.items.length === 0 && data.count > 0 && page > lastPage
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a page past the end leads back
  useEffect(() => {
    if (isPastEnd) onLook({ page: lastPage })
  }, [isPastEnd])
  const clear = () =>
    onLook({ ...Object.fromEntries(filtersOf(listId).map(({ name }) => [name, undefined])), q: undefined } as Look)
  return (
    <>
      <Filters
        listId={listId}
        look={look}
        onLook={onLook}
        label={label}
        labelOf={props.labelOf}
        choices={props.choices}
      />
      <Loaded query={found} rows={6}>
        {({ items, count }) =>
          items.length === 0 ? (
            <Empty
              icon={empty.icon}
              title={isFiltered ? 'Nothing matches' : empty.title}
              text={isFiltered ? 'Take a filter away to see more.' : empty.text}
              action={
                isFiltered ? (
                  <Button variant="default" onClick={clear}>
                    Clear the filters
                  </Button>
                ) : (
                  empty.action
                )
              }
            />
          ) : (
            <>
              <Rows {...props} items={items} order={input} />
              <Paging
                page={page}
                perPage={perPage}
                count={count}
                onPage={next => onLook({ page: next })}
                onPerPage={size => onLook({ perPage: size === fewest ? undefined : size })}
              />
            </>
          )
        }
      </Loaded>
    </>
  )
}
