// Many nodes that hang on one and on nothing else: they stand in a block of rows and columns, since their order means nothing.
import type { Item, Link } from './layout.ts'

export const size = { width: 208, height: 58 }
const gap = 20
/** So many still make a column that can be read. */
const mostInLine = 6
/** Of a block, as the picture is wider than high. */
const ratio = 1.3

export type Block = { id: string; group: string | null; ids: readonly string[]; columns: number }

export function blocksOf(items: readonly Item[], links: readonly Link[]): Block[] {
  const beside = new Map<string, Set<string>>()
  const way = new Map<string, string>()
  const note = (one: string, other: string, direction: string) => {
    beside.set(one, (beside.get(one) ?? new Set()).add(other))
    way.set(one, direction)
  }
  for (const { from, to } of links) {
    note(from, to, 'out')
    note(to, from, 'in')
  }
  const alike = new Map<string, Item[]>()
  for (const item of items) {
    const [hub, ...others] = beside.get(item.id) ?? []
    if (hub === undefined || others.length > 0) continue
    const key = `block ${hub} ${way.get(item.id)} ${item.group}`
    alike.set(key, [...(alike.get(key) ?? []), item])
  }
  return [...alike].flatMap(([id, leaves]) =>
    leaves.length > mostInLine
      ? [{ id, group: leaves[0]?.group ?? null, ids: leaves.map(leaf => leaf.id), columns: columnsOf(leaves.length) }]
      : [],
  )
}

function columnsOf(count: number): number {
  return Math.max(1, Math.round(Math.sqrt((count * (size.height + gap) * ratio) / (size.width + gap))))
}

export function sizeOf({ ids, columns }: Block) {
  const rows = Math.ceil(ids.length / columns)
  return { width: columns * (size.width + gap) - gap, height: rows * (size.height + gap) - gap }
}

/** Where each of them stands, from the corner of the block. */
export function placesIn({ ids, columns }: Block): { id: string; x: number; y: number }[] {
  return ids.map((id, index) => ({
    id,
    x: (index % columns) * (size.width + gap),
    y: Math.floor(index / columns) * (size.height + gap),
  }))
}
