// From one node to the next by arrow keys: the nearest that lies in that direction.
import type { Layout } from './layout.ts'

export type Way = 'left' | 'right' | 'up' | 'down'

/** What lies beside the way counts more than what lies far along it. */
const aside = 2

export function nextTo({ nodes, boxes }: Layout, from: string, way: Way): string | null {
  const corners = new Map(boxes.map(({ id, x, y }) => [id, { x, y }]))
  const places = nodes.map(({ id, x, y, group }) => {
    const corner = (group && corners.get(group)) || { x: 0, y: 0 }
    return { id, x: x + corner.x, y: y + corner.y }
  })
  const start = places.find(({ id }) => id === from)
  if (!start) return null
  const isAcross = way === 'left' || way === 'right'
  const sign = way === 'right' || way === 'down' ? 1 : -1
  const rated = places.flatMap(({ id, x, y }) => {
    const along = (isAcross ? x - start.x : y - start.y) * sign
    const off = Math.abs(isAcross ? y - start.y : x - start.x)
    return along > 1 ? [{ id, cost: along + off * aside }] : []
  })
  return rated.sort((one, other) => one.cost - other.cost)[0]?.id ?? null
}
