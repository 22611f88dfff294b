// Long lists draw only the rows in sight; short ones are drawn whole.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const longFrom = 60
const around = 12

type RowProps = { ref?: (row: HTMLTableRowElement | null) => void; 'data-index'?: number; 'aria-rowindex'?: number }

export type LongRows = {
  body: RefObject<HTMLTableSectionElement | null>
  /** Which rows are drawn. */
  indices: readonly number[]
  /** The height of what is left out above and below. */
  before: number
  after: number
  rowProps: (index: number) => RowProps
  tableProps: { 'aria-rowcount'?: number }
}

/** `height` is a guess; each row that is drawn is measured. */
export function useLongRows(count: number, height: number): LongRows {
  const body = useRef<HTMLTableSectionElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  const isLong = count > longFrom
  const rows = useWindowVirtualizer({
    count: isLong ? count : 0,
    estimateSize: () => height,
    overscan: around,
    scrollMargin,
  })
  useLayoutEffect(() => {
    const { top } = body.current?.getBoundingClientRect() ?? { top: 0 }
    setScrollMargin(top + window.scrollY)
  }, [])
  if (!isLong) {
    const indices = Array.from({ length: count }, (_, index) => index)
    return { body, indices, before: 0, after: 0, rowProps: () => ({}), tableProps: {} }
  }
  const shown = rows.getVirtualItems()
  return {
    body,
    indices: shown.map(({ index }) => index),
    before: (shown[0]?.start ?? scrollMargin) - scrollMargin,
    after: rows.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin),
    rowProps: index => ({ ref: rows.measureElement, 'data-index': index, 'aria-rowindex': index + 2 }),
    tableProps: { 'aria-rowcount': count + 1 },
  }
}

/** Stands for the rows that are left out. */
export function LeftOut({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden style={{ height }} /> : null
}
