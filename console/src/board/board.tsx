// Cards in columns: moved by dragging, by the arrow keys, or by a menu where there is neither mouse nor keyboard.
import './board.css'
import { ActionIcon, Badge, Group, Menu, Text, VisuallyHidden } from '@mantine/core'
import { GripVertical } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { failed } from '../parts/toast.tsx'

export type BoardColumn = { id: string; title: string; color?: string; below?: ReactNode }

export type BoardProps<T> = {
  /** What is on the board: "Issues by status". */
  label: string
  columns: readonly BoardColumn[]
  cards: readonly T[]
  idOf: (card: T) => string
  titleOf: (card: T) => string
  columnOf: (card: T) => string
  draw: (card: T) => ReactNode
  /** Absent for those who may only look. The card stands in its new column at once, and goes back if it is refused. */
  onMove?: ((card: T, column: string) => Promise<unknown>) | undefined
  mayMove?: ((card: T, column: string) => boolean) | undefined
}

type Move = { from: string; to: string }

const kind = 'application/x-atrium-card'

export function Board<T>(props: BoardProps<T>) {
  const { label, columns, cards, idOf, titleOf, columnOf, onMove, mayMove = () => true } = props
  const [moves, setMoves] = useState<Readonly<Record<string, Move>>>({})
  const [dragged, setDragged] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const place = useRef<HTMLDivElement>(null)
  /** Where it is shown: a move holds until the service tells another column than the one it came from. */
  const shownIn = (card: T) => {
    const move = moves[idOf(card)]
    return move && move.from === columnOf(card) ? move.to : columnOf(card)
  }
  const move = (card: T, to: string) => {
    const id = idOf(card)
    if (!onMove || shownIn(card) === to || !mayMove(card, to)) return
    setMoves(before => ({ ...before, [id]: { from: columnOf(card), to } }))
    setSaid(`${titleOf(card)} is in ${columns.find(column => column.id === to)?.title ?? to}.`)
    focusHandle(place.current, id)
    onMove(card, to).catch((error: unknown) => {
      setMoves(({ [id]: _, ...rest }) => rest)
      setSaid(`${titleOf(card)} is back where it was.`)
      failed(error)
    })
  }
  const draggedCard = cards.find(card => idOf(card) === dragged)
  return (
    <div ref={place}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="atrium-board" aria-label={label} tabIndex={0}>
        {columns.map(column => (
          <Column
            key={column.id}
            {...props}
            column={column}
            cards={cards.filter(card => shownIn(card) === column.id)}
            isTarget={draggedCard !== undefined && mayMove(draggedCard, column.id)}
            onDrop={() => draggedCard && move(draggedCard, column.id)}
            onDrag={setDragged}
            onMoveTo={move}
            onSay={setSaid}
          />
        ))}
      </section>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </div>
  )
}

/** The card is drawn anew in another column; whoever moved it goes along. */
function focusHandle(place: HTMLElement | null, id: string): void {
  requestAnimationFrame(() => place?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"] button`)?.focus())
}

type ColumnProps<T> = BoardProps<T> & {
  column: BoardColumn
  isTarget: boolean
  onDrop: () => void
  onDrag: (id: string | null) => void
  onMoveTo: (card: T, column: string) => void
  onSay: (words: string) => void
}

function Column<T>(props: ColumnProps<T>) {
  const { column, cards, idOf, isTarget, onDrop, onDrag } = props
  const [isOver, setIsOver] = useState(false)
  const over = (event: DragEvent) => {
    if (!isTarget) return
    event.preventDefault()
    setIsOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    onDrop()
    onDrag(null)
  }
  return (
    <section
      className="atrium-board-column"
      aria-label={column.title}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Group gap="xs" px={4} mb="xs">
        <Text size="sm" fw={600}>
          {column.title}
        </Text>
        <Badge color={column.color ?? 'gray'}>{cards.length}</Badge>
      </Group>
      <ul>
        {cards.map(card => (
          <Card key={idOf(card)} {...props} card={card} />
        ))}
      </ul>
      {column.below}
    </section>
  )
}

function Card<T>(props: ColumnProps<T> & { card: T }) {
  const { card, column, columns, idOf, titleOf, draw, onMove, mayMove = () => true, onDrag, onMoveTo, onSay } = props
  const [wanted, setWanted] = useState<number | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const open = columns.filter(one => one.id === column.id || mayMove(card, one.id))
  const here = open.findIndex(one => one.id === column.id)
  const title = titleOf(card)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step && !isOpen) {
      event.preventDefault()
      const next = Math.max(0, Math.min(open.length - 1, (wanted ?? here) + step))
      setWanted(next)
      onSay(`${title}: ${open[next]?.title ?? ''}. Enter moves it there, Escape leaves it.`)
    } else if (wanted !== null && event.key === 'Enter') {
      event.preventDefault()
      setWanted(null)
      onMoveTo(card, open[wanted]?.id ?? column.id)
    } else if (wanted !== null && event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      setWanted(null)
      onSay(`${title} stays.`)
    }
  }
  return (
    <li
      className="atrium-board-card"
      data-card={idOf(card)}
      draggable={onMove !== undefined}
      onDragStart={event => {
        event.dataTransfer.setData(kind, idOf(card))
        event.dataTransfer.effectAllowed = 'move'
        onDrag(idOf(card))
      }}
      onDragEnd={() => onDrag(null)}
    >
      <div className="atrium-board-face">{draw(card)}</div>
      {onMove && (
        <Menu position="bottom-end" opened={isOpen} onChange={setIsOpen}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Move ${title}`}
              onKeyDown={onKeyDown}
              onBlur={() => setWanted(null)}
            >
              <GripVertical size={14} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown aria-label="Move to">
            {open
              .filter(one => one.id !== column.id)
              .map(one => (
                <Menu.Item key={one.id} onClick={() => onMoveTo(card, one.id)}>
                  {one.title}
                </Menu.Item>
              ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {wanted !== null && wanted !== here && (
        <Text size="xs" className="atrium-board-wanted">
          → {open[wanted]?.title}
        </Text>
      )}
    </li>
  )
}
