// The picture itself: cards where the layout puts them, lines between them, moved by mouse, touch and keys.
import '@xyflow/react/dist/style.css'
import './graph.css'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import {
  Controls,
  type Edge,
  MarkerType,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
} from '@xyflow/react'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { relationWords } from '../node.ts'
import { size } from './blocks.ts'
import type { Layout } from './layout.ts'
import { nextTo, type Way } from './moving.ts'
import { type BoxNode, GroupBox, Thing, type ThingNode } from './thing.tsx'
import type { Graph } from './together.ts'
import type { Tone } from './tones.ts'

const fitting = { padding: 0.06, maxZoom: 1 }
/** On a phone all of it would be too small to be read: the middle is shown, and the rest is dragged in. */
const narrowest = 480
const fittingNarrow = { ...fitting, minZoom: 0.6 }
const mostLabels = 12
const nodeTypes = { thing: Thing, box: GroupBox }

export type CanvasProps = {
  graph: Graph
  layout: Layout
  toneOf: (id: string) => Tone
  titleOf: (group: string) => string
  opened: readonly string[]
  chosen: string | null
  onChoose: (id: string | null) => void
  onOpen: (id: string) => void
}

export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  )
}

type Drawn = ThingNode | BoxNode

function drawnOf({ graph, layout, toneOf, titleOf, opened, chosen, onOpen }: CanvasProps): Drawn[] {
  const byId = new Map(graph.nodes.map(node => [node.id, node]))
  const tabbed = chosen && byId.has(chosen) ? chosen : layout.nodes[0]?.id
  const boxes = layout.boxes.map((box): BoxNode => {
    const title = titleOf(box.id.slice('group '.length))
    const { id, x, y, width, height } = box
    return {
      ...{ id, type: 'box', position: { x, y }, data: { title }, width, height, ariaRole: 'group' },
      ...{ ariaLabel: title, selectable: false, draggable: false, zIndex: -1 },
    }
  })
  const things = layout.nodes.flatMap(({ id, x, y, group }): ThingNode[] => {
    const node = byId.get(id)
    if (!node) return []
    const tone = toneOf(id)
    const data = { node, tone, isOpen: opened.includes(id), direction: layout.direction, onOpen }
    return [
      {
        ...{ id, type: 'thing', position: { x, y }, data, ...size, selected: id === chosen, ariaRole: 'group' },
        ariaLabel: `${node.name}, ${node.type}, ${tone.name}`,
        // Tab leads to one of them, arrow keys to the others.
        domAttributes: { tabIndex: id === tabbed ? 0 : -1 },
        ...(group && { parentId: group }),
      },
    ]
  })
  return [...boxes, ...things]
}

function edgesOf({ nodes, edges }: Graph, chosen: string | null): Edge[] {
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  const isFew = edges.filter(({ fromId, toId }) => chosen === fromId || chosen === toId).length <= mostLabels
  return edges.map(({ id, fromId, toId, relation, confidence }) => {
    const isOfChosen = chosen === fromId || chosen === toId
    const [words] = relationWords[relation]
    return {
      ...{ id, source: fromId, target: toId, selected: isOfChosen, focusable: false },
      ariaLabel: `${names.get(fromId)} ${words} ${names.get(toId)}`,
      // With all of them labelled nothing could be read.
      ...(isOfChosen && isFew && { label: words, zIndex: 10 }),
      ...(confidence < 1 && { style: { strokeDasharray: '4 4' } }),
      markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
    }
  })
}

const ways: Readonly<Record<string, Way>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

function Flow(props: CanvasProps) {
  const { graph, layout, chosen, onChoose, onOpen } = props
  const place = useRef<HTMLDivElement>(null)
  const flow = useReactFlow()
  const [nodes, setNodes, onNodesChange] = useNodesState<Drawn>([])
  const edges = useMemo(() => edgesOf(graph, chosen), [graph, chosen])
  const shape = useRef<Layout>(null)
  const { ref: frame, width } = useElementSize()
  const fit = () => void flow.fitView(width < narrowest ? fittingNarrow : fitting)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another width, such as of a phone that is turned
  useEffect(fit, [width])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what draws a node, and nothing else, draws it anew
  useEffect(() => {
    const isMoved = shape.current !== layout
    shape.current = layout
    // What somebody has dragged stays there until there is another layout.
    setNodes(before => {
      const kept = new Map(before.map(one => [one.id, one]))
      return drawnOf(props).map(one => {
        const old = isMoved ? undefined : kept.get(one.id)
        return old ? { ...one, position: old.position, ...(old.measured && { measured: old.measured }) } : one
      })
    })
    if (isMoved) requestAnimationFrame(fit)
  }, [layout, props.toneOf, props.titleOf, props.opened.join(), chosen])
  const go = (id: string) => {
    onChoose(id)
    const element = place.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)
    element?.focus({ preventScroll: true })
    const whole = place.current?.getBoundingClientRect()
    const own = element?.getBoundingClientRect()
    if (!whole || !own) return
    const isInSight =
      own.left >= whole.left && own.right <= whole.right && own.top >= whole.top && own.bottom <= whole.bottom
    const { x, y } = flow.screenToFlowPosition({ x: own.left + own.width / 2, y: own.top + own.height / 2 })
    if (!isInSight) void flow.setCenter(x, y, { zoom: flow.getZoom() })
  }
  const onKey = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset.id
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return
    const way = ways[event.key]
    const next = way && nextTo(layout, id, way)
    if (next) go(next)
    else if (event.key === 'Enter' || event.key === ' ') onChoose(id)
    else if (event.key === '+') onOpen(id)
    else if (!way) return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the nodes inside
    <div className="atrium-picture" ref={useMergedRef(place, frame)} onKeyDown={onKey}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodesChange={onNodesChange}
        onNodeClick={(_, { id, type }) => type === 'thing' && onChoose(id)}
        onNodeDoubleClick={(_, { id, type }) => type === 'thing' && onOpen(id)}
        onPaneClick={() => onChoose(null)}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        // By the style sheet, for light and dark.
        defaultMarkerColor={null}
        minZoom={0.1}
        zoomOnDoubleClick={false}
        // The page scrolls over it; zooming takes a key or two fingers.
        preventScrolling={false}
        zoomOnScroll={false}
        aria-label="Picture of the infrastructure"
      >
        <Controls showInteractive={false} aria-label="Zoom" fitViewOptions={fitting} />
      </ReactFlow>
    </div>
  )
}
