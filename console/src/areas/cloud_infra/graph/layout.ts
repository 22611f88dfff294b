// Where each node stands: worked out by elk in a worker, so that the page goes on answering meanwhile.
import ELK, { type ELK as Elk, type ElkNode } from 'elkjs/lib/elk-api.js'
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'
import { type Block, blocksOf, placesIn, size, sizeOf } from './blocks.ts'

export type Item = { id: string; group: string | null }
export type Link = { id: string; from: string; to: string }
export type Placed = { id: string; x: number; y: number; group: string | null }
export type Box = { id: string; x: number; y: number; width: number; height: number }
export type Direction = 'RIGHT' | 'DOWN'
export type Layout = { nodes: readonly Placed[]; boxes: readonly Box[]; direction: Direction }
export type Frame = { width: number; height: number }

let elk: Elk | null = null

/** One worker for all pictures: loading it is most of the work. */
function worker(): Elk {
  elk ??= new ELK({ workerFactory: () => new Worker(workerUrl) })
  return elk
}

export const noLayout: Layout = { nodes: [], boxes: [], direction: 'RIGHT' }

/** From left to right or from top to bottom: whichever can be drawn larger in the frame. */
export async function layOut(items: readonly Item[], links: readonly Link[], frame: Frame): Promise<Layout> {
  const tried = await Promise.all((['RIGHT', 'DOWN'] as const).map(direction => laidOut(items, links, direction)))
  const [across, down] = tried
  if (!across || !down) return noLayout
  return scaleOf(down.size, frame) > scaleOf(across.size, frame) ? down.layout : across.layout
}

function scaleOf({ width, height }: Frame, frame: Frame): number {
  return Math.min(1, frame.width / Math.max(1, width), frame.height / Math.max(1, height))
}

async function laidOut(items: readonly Item[], links: readonly Link[], direction: Direction) {
  const blocks = blocksOf(items, links)
  const blockOf = new Map(blocks.flatMap(block => block.ids.map(id => [id, block.id])))
  const things = [
    ...items.filter(({ id }) => !blockOf.has(id)).map(item => ({ ...item, ...size })),
    ...blocks.map(block => ({ id: block.id, group: block.group, ...sizeOf(block) })),
  ]
  const groups = [...new Set(items.map(({ group }) => group))].filter(group => group !== null)
  const leavesOf = (wanted: string | null): ElkNode[] =>
    things.filter(({ group }) => group === wanted).map(({ id, width, height }) => ({ id, width, height }))
  const spacing = {
    'elk.spacing.nodeNode': '20',
    'elk.layered.spacing.nodeNodeBetweenLayers': direction === 'RIGHT' ? '76' : '56',
  }
  const graph: ElkNode = {
    id: 'all',
    layoutOptions: {
      ...spacing,
      'elk.algorithm': 'layered',
      'elk.direction': direction,
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.spacing.componentComponent': '40',
    },
    children: [
      ...leavesOf(null),
      ...groups.map(group => ({
        id: boxId(group),
        layoutOptions: { ...spacing, 'elk.padding': '[top=40,left=16,bottom=16,right=16]' },
        children: leavesOf(group),
      })),
    ],
    edges: linesOf(links, blockOf),
  }
  const laid: ElkNode = await worker().layout(graph)
  const layout = { ...read(laid, new Set(groups.map(boxId)), blocks), direction }
  return { layout, size: { width: laid.width ?? 0, height: laid.height ?? 0 } }
}

/** Of a block one line is enough to say where it stands. */
function linesOf(links: readonly Link[], blockOf: ReadonlyMap<string, string>) {
  const lines = new Map(
    links.map(({ id, from, to }) => {
      const [source, target] = [blockOf.get(from) ?? from, blockOf.get(to) ?? to]
      return [`${source} ${target}`, { id, sources: [source], targets: [target] }]
    }),
  )
  return [...lines.values()]
}

function boxId(group: string): string {
  return `group ${group}`
}

function read({ children = [] }: ElkNode, boxes: ReadonlySet<string>, blocks: readonly Block[]) {
  const byId = new Map(blocks.map(block => [block.id, block]))
  const placed = ({ id, x = 0, y = 0 }: ElkNode, group: string | null): Placed[] => {
    const block = byId.get(id)
    if (!block) return [{ id, x, y, group }]
    return placesIn(block).map(place => ({ id: place.id, x: x + place.x, y: y + place.y, group }))
  }
  const isBox = ({ id }: ElkNode) => boxes.has(id)
  return {
    nodes: [
      ...children.filter(one => !isBox(one)).flatMap(one => placed(one, null)),
      ...children.filter(isBox).flatMap(box => (box.children ?? []).flatMap(one => placed(one, box.id))),
    ],
    boxes: children.filter(isBox).map(({ id, x = 0, y = 0, width = 0, height = 0 }) => ({ id, x, y, width, height })),
  }
}
