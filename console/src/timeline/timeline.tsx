// What happened, one under the other: grows while one looks at it, and does not move what is being read.
import './timeline.css'
import { Button, Group, Stack, Text, ThemeIcon } from '@mantine/core'
import { Circle, type LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { countOf } from '../format.ts'
import { Moment } from '../parts/moment.tsx'

export type TimelineItem = {
  id: string
  at: string
  title: ReactNode
  body?: ReactNode
  icon?: LucideIcon
  color?: string
  /** Still being written: its text grows. */
  isGrowing?: boolean
}

export type TimelineProps = {
  label: string
  /** The oldest first. */
  items: readonly TimelineItem[]
  /** Shown where there is more before the first. */
  onOlder?: (() => void) | undefined
  isLoadingOlder?: boolean
  none?: ReactNode
  /** Under the last one, such as a composer. */
  children?: ReactNode
}

const nearPixels = 160

export function Timeline({ label, items, onOlder, isLoadingOlder = false, none, children }: TimelineProps) {
  const end = useRef<HTMLDivElement>(null)
  const unseen = useUnseen(items, end)
  const toEnd = () => end.current?.scrollIntoView({ block: 'end' })
  return (
    <Stack gap="md">
      {onOlder && (
        <Button size="xs" variant="default" loading={isLoadingOlder} onClick={onOlder} style={{ alignSelf: 'center' }}>
          Show older
        </Button>
      )}
      {items.length === 0 && none}
      <div role="log" aria-label={label} aria-live="polite" aria-relevant="additions">
        <ol className="atrium-timeline">
          {items.map(item => (
            <Entry key={item.id} item={item} />
          ))}
        </ol>
      </div>
      <div ref={end} />
      {unseen > 0 && (
        <Button size="xs" className="atrium-timeline-new" onClick={toEnd}>
          {countOf(unseen, 'new entry', 'new entries')}
        </Button>
      )}
      {children}
    </Stack>
  )
}

function Entry({ item }: { item: TimelineItem }) {
  const Icon = item.icon ?? Circle
  return (
    <li aria-busy={item.isGrowing || undefined}>
      <ThemeIcon size={24} radius="xl" variant="light" color={item.color ?? 'gray'}>
        <Icon size={13} aria-hidden />
      </ThemeIcon>
      <div className="atrium-timeline-entry">
        <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
          <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
            {item.title}
          </Text>
          <span className="atrium-nowrap">
            <Moment at={item.at} />
          </span>
        </Group>
        {item.body && <div className="atrium-timeline-body">{item.body}</div>}
      </div>
    </li>
  )
}

/** Follows the end while it is in sight; counts what came where it is not. */
function useUnseen(items: readonly TimelineItem[], end: { current: HTMLElement | null }): number {
  const [seen, setSeen] = useState<string | undefined>(undefined)
  const isNear = useRef(false)
  const last = items.at(-1)
  useEffect(() => {
    const look = () => {
      const { top } = end.current?.getBoundingClientRect() ?? { top: 0 }
      isNear.current = top < window.innerHeight + nearPixels
      if (isNear.current) setSeen(last?.id)
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [last?.id, end])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever grows at the end pushes it down
  useEffect(() => {
    if (isNear.current && last?.isGrowing) end.current?.scrollIntoView({ block: 'end' })
  }, [last?.body, last?.isGrowing])
  const at = items.findIndex(({ id }) => id === seen)
  return seen === undefined || at < 0 ? 0 : items.length - 1 - at
}
