// Rows drawn under their heads, as each kind has them; of many, only those in sight.
import { Badge } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useRef, useState } from 'react'
import { durationWords, exactOf, figureOf, toneOf } from './look_of.ts'
import type { Ask, Dataset, DatasetRow, Question } from './question.ts'
import { RowDetail } from './row_detail.tsx'

const rowHeight = 33
const around = 10

const heads: Readonly<Record<string, readonly [string, string][]>> = {
  logs: [
    ['Severity', '5.5rem'],
    ['Service', '9rem'],
    ['Text', ''],
  ],
  traces: [
    ['Service', '9rem'],
    ['Name', ''],
    ['Duration', '7rem'],
    ['Status', '5.5rem'],
  ],
  metrics: [
    ['Service', '9rem'],
    ['Name', ''],
    ['Value', '9rem'],
  ],
  table: [['Attributes', '']],
}

export const keyOf = ({ at, id }: DatasetRow) => `${at} ${id}`

type RowTableProps = { dataset: Dataset; rows: readonly DatasetRow[]; question: Question; ask: Ask }

export function RowTable({ dataset, rows, question, ask }: RowTableProps) {
  const place = useRef<HTMLElement>(null)
  const [open, setOpen] = useState<string | null>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: around,
    getItemKey: index => (rows[index] ? keyOf(rows[index]) : index),
  })
  const shown = list.getVirtualItems()
  const own = heads[dataset.kind] ?? []
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={place} className="atrium-row-list" tabIndex={0} aria-label="Rows">
      <table aria-label="Rows" aria-rowcount={rows.length + 1} data-kind={dataset.kind}>
        <colgroup>
          <col style={{ width: '12.5rem' }} />
          {own.map(([name, width]) => (
            <col key={name} style={width ? { width } : {}} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {own.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <LeftOut height={shown[0]?.start ?? 0} />
        {shown.map(({ index, key }) => {
          const row = rows[index]
          if (!row) return null
          const isOpen = open === keyOf(row)
          return (
            <tbody key={String(key)} ref={list.measureElement} data-index={index} data-open={isOpen || undefined}>
              <OneRow
                row={row}
                kind={dataset.kind}
                isOpen={isOpen}
                index={index}
                onOpen={() => setOpen(isOpen ? null : keyOf(row))}
              />
              {isOpen && (
                <tr data-detail>
                  <td colSpan={own.length + 1}>
                    <RowDetail dataset={dataset} row={row} filter={question.filter} ask={ask} />
                  </td>
                </tr>
              )}
            </tbody>
          )
        })}
        <LeftOut height={list.getTotalSize() - (shown.at(-1)?.end ?? 0)} />
      </table>
    </section>
  )
}

/** Stands for the rows that are not drawn. */
function LeftOut({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tbody aria-hidden>
      <tr style={{ height }} />
    </tbody>
  )
}

type OneRowProps = { row: DatasetRow; kind: string; isOpen: boolean; index: number; onOpen: () => void }

function OneRow({ row, kind, isOpen, index, onOpen }: OneRowProps) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <tr aria-rowindex={index + 2} data-tone={toneOf(row.severity ?? row.status)} onClick={onOpen}>
      <td data-cell="at">
        <button type="button" aria-expanded={isOpen}>
          <Icon size={14} aria-hidden />
          <time dateTime={row.at}>{exactOf(row.at)}</time>
        </button>
      </td>
      <Cells row={row} kind={kind} />
    </tr>
  )
}

function Cells({ row, kind }: { row: DatasetRow; kind: string }) {
  if (kind === 'logs') {
    return (
      <>
        <td data-cell="short">{row.severity && <Badge color={toneOf(row.severity)}>{row.severity}</Badge>}</td>
        <td data-cell="short">{row.service}</td>
        <td data-cell="text">{row.body ?? row.name ?? pairsOf(row)}</td>
      </>
    )
  }
  if (kind === 'traces') {
    return (
      <>
        <td data-cell="short">{row.service}</td>
        <td data-cell="text">{row.name}</td>
        <td data-cell="short">{row.durationMs == null ? '' : durationWords(row.durationMs)}</td>
        <td data-cell="short">
          {row.status && row.status !== 'unset' && <Badge color={toneOf(row.status)}>{row.status}</Badge>}
        </td>
      </>
    )
  }
  if (kind === 'metrics') {
    return (
      <>
        <td data-cell="short">{row.service}</td>
        <td data-cell="text">{row.name}</td>
        <td data-cell="short">{row.value == null ? row.type : `${figureOf(row.value)} ${row.unit ?? ''}`}</td>
      </>
    )
  }
  return <td data-cell="text">{pairsOf(row)}</td>
}

function pairsOf({ attributes }: DatasetRow): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}: ${figureOf(value)}`)
    .join('  ')
}
