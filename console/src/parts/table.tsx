// Plain tables: rows under heads, and facts beside their names.
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

type RowsProps = {
  label: string
  heads: readonly string[]
  minWidth: number
  /** On a phone a row is a card; each cell then has a `data-label`. */
  hasCards?: boolean
  children: ReactNode
}

/** Scrolls by itself where the page is too narrow for it. */
export function RowTable({ label, heads, minWidth, hasCards, children }: RowsProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native">
      <Table verticalSpacing="sm" aria-label={label} className={hasCards ? 'atrium-rows atrium-cards' : 'atrium-rows'}>
        <Table.Thead>
          <Table.Tr>
            {heads.map(head => (
              <Table.Th key={head} scope="col">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

type FactsProps = { label: string; facts: readonly [string, ReactNode][]; width?: number }

export function Facts({ label, facts, width = 120 }: FactsProps) {
  return (
    <Table
      variant="vertical"
      layout="fixed"
      withRowBorders={false}
      verticalSpacing={6}
      aria-label={label}
      className="atrium-facts"
    >
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={width} bg="transparent" fw={500} pl={0} style={{ verticalAlign: 'top' }}>
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
