// Tables: rows under heads, facts beside their names, and a list with its pages.
import { Table, VisuallyHidden } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import { Loaded } from './page.tsx'
import { Paging } from './paging.tsx'

/** For a column that only a reader of screens must hear of. */
export const actions = { hidden: 'Actions' }

type Head = string | ReactElement | { hidden: string }

type RowsProps = { label: string; heads: readonly Head[]; minWidth: number; children: ReactNode }

/** Scrolls by itself where the page is too narrow for it. */
export function RowTable({ label, heads, minWidth, children }: RowsProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native">
      <Table verticalSpacing="sm" aria-label={label} className="atrium-rows">
        <Table.Thead>
          <Table.Tr>{heads.map(headCell)}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function headCell(head: Head): ReactNode {
  if (isValidElement(head)) return head
  const isShown = typeof head === 'string'
  const text = isShown ? head : (head as { hidden: string }).hidden
  return (
    <Table.Th key={text} scope="col">
      {isShown ? text : <VisuallyHidden>{text}</VisuallyHidden>}
    </Table.Th>
  )
}

type FactsProps = { label: string; facts: readonly [string, ReactNode][]; width?: number }

export function Facts({ label, facts, width = 120 }: FactsProps) {
  return (
    <Table variant="vertical" layout="fixed" withRowBorders={false} verticalSpacing={6} aria-label={label}>
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={width} bg="transparent" fw={500} pl={0}>
              {name}
            </Table.Th>
            <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** What stands behind the `?`, and the way to change it: another choice begins at the first page. */
export function useLook<S extends { page?: number }>(): [S, (changed: Partial<S>) => void] {
  const navigate = useNavigate()
  const search: object = useSearch({ strict: false })
  const look = (changed: Partial<S>) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, page: undefined, ...changed }) as never })
  return [search as S, look]
}

type ListedProps<T> = {
  query: UseQueryResult<{ items: T[]; count: number }, Error>
  page: number
  perPage: number
  onPage: (page: number) => void
  empty: ReactNode
  rows?: number
  children: (items: readonly T[]) => ReactNode
}

export function Listed<T>({ query, page, perPage, onPage, empty, rows, children }: ListedProps<T>) {
  return (
    <Loaded query={query} {...(rows && { rows })}>
      {({ items, count }) =>
        items.length === 0 ? (
          empty
        ) : (
          <>
            {children(items)}
            <Paging page={page} perPage={perPage} count={count} onPage={onPage} />
          </>
        )
      }
    </Loaded>
  )
}
