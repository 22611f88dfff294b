// One node as a card, and a box around those that belong together.
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { Plus } from 'lucide-react'
import type { InfraNode } from '../node.ts'
import type { Direction } from './layout.ts'
import type { Tone } from './tones.ts'

export type ThingData = {
  node: InfraNode
  tone: Tone
  isOpen: boolean
  direction: Direction
  onOpen: (id: string) => void
}

export type ThingNode = Node<ThingData, 'thing'>
export type BoxNode = Node<{ title: string }, 'box'>

export function Thing({ data: { direction, ...card } }: NodeProps<ThingNode>) {
  const [from, to] = direction === 'RIGHT' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom]
  return (
    <>
      <Handle type="target" position={from} isConnectable={false} />
      <Card {...card} />
      <Handle type="source" position={to} isConnectable={false} />
    </>
  )
}

function Card({ node, tone, isOpen, onOpen }: Omit<ThingData, 'direction'>) {
  return (
    <div className="atrium-thing" data-tone={tone.tone} {...(isOpen && { 'data-open': true })}>
      <strong>{node.name}</strong>
      <span>
        {tone.name} · {node.type}
      </span>
      {!isOpen && (
        <button
          type="button"
          className="nodrag nopan"
          // By keyboard the card itself is opened, by the key +.
          tabIndex={-1}
          aria-label={`Show the neighbours of ${node.name}`}
          title="Show its neighbours"
          onClick={event => {
            event.stopPropagation()
            onOpen(node.id)
          }}
        >
          <Plus size={14} aria-hidden />
        </button>
      )}
    </div>
  )
}

export function GroupBox({ data: { title } }: NodeProps<BoxNode>) {
  return <div className="atrium-box">{title}</div>
}
