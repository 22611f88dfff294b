// What was said in a thread, from its end upwards: earlier messages come when one scrolls to them.
import './thread.css'
import { Button, Stack, Text } from '@mantine/core'
import { ArrowDown } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { countOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Rows } from '../../parts/page.tsx'
import { useOwners } from '../../parts/people.tsx'
import { useKeys } from '../../parts/picker.tsx'
import { MessageEntry } from './message.tsx'
import { isEmpty, type Paired, paired, placeOf } from './pairing.ts'
import type { Transcript } from './reading.ts'
import { useScrolling } from './scrolling.ts'
import { authorName, type Message, type Part } from './thread.ts'

type TranscriptViewProps = {
  transcript: Transcript
  wanted: string | undefined
  /** Under the last message: how the run stands. */
  state: ReactNode
  /** Where one writes: in sight wherever there is room. */
  children: ReactNode
}

export function TranscriptView({ transcript, wanted, state, children }: TranscriptViewProps) {
  const { items, isLoading, error, again, onOlder, onNewer, isReading, reread, toEnd: readEnd } = transcript
  const list = useRef<HTMLOListElement>(null)
  const { unseen, toEnd } = useScrolling(list, items, wanted)
  const owners = useOwners(useMemo(() => items.flatMap(({ author }) => author.id ?? []), [items]))
  const pairs = useMemo(() => paired(items), [items])
  const drawn = items.filter(message => !isEmpty(message, pairs))
  const last = items.at(-1)?.seq
  const jump = () => void readEnd().then(() => requestAnimationFrame(toEnd))
  const end = useRef(jump)
  end.current = jump
  useKeys(useMemo(() => ({ e: () => end.current(), r: focusReply }), []))
  if (isLoading) return <Rows count={4} height={64} />
  if (error) return <Failure error={error} onRetry={again} />
  return (
    <Stack gap="md" className="atrium-transcript">
      {onOlder && <Earlier onOlder={onOlder} isReading={isReading} />}
      {items.length === 0 && <Text c="dimmed">Nothing was said yet.</Text>}
      <div role="log" aria-label="Messages" aria-live="polite" aria-relevant="additions">
        <ol ref={list} className="atrium-messages">
          {drawn.map((message, index) => (
            <MessageEntry
              key={message.id}
              message={message}
              name={authorName(message, owners)}
              results={resultsOf(message, pairs)}
              isLast={message.seq === last && !onNewer}
              isContinued={isContinued(drawn[index - 1], message)}
              isWanted={message.id === wanted}
              onChanged={reread}
            />
          ))}
        </ol>
      </div>
      {onNewer && (
        <Button size="xs" variant="default" loading={isReading} onClick={onNewer} style={{ alignSelf: 'center' }}>
          Show later messages
        </Button>
      )}
      {state}
      <div className="atrium-reply">
        {(unseen > 0 || onNewer) && (
          <Button size="xs" className="atrium-to-end" leftSection={<ArrowDown size={14} aria-hidden />} onClick={jump}>
            {unseen > 0 ? countOf(unseen, 'new message') : 'To the end'}
          </Button>
        )}
        {children}
      </div>
    </Stack>
  )
}

function focusReply(): void {
  document.querySelector<HTMLElement>('.atrium-reply textarea')?.focus()
}

/** Pressed by whoever scrolls up to it. */
function Earlier({ onOlder, isReading }: { onOlder: () => void; isReading: boolean }) {
  const place = useRef<HTMLButtonElement>(null)
  const read = useRef(onOlder)
  read.current = onOlder
  useEffect(() => {
    if (!place.current || isReading) return
    const observer = new IntersectionObserver(([seen]) => seen?.isIntersecting && read.current(), {
      rootMargin: '300px 0px 0px',
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isReading])
  return (
    <Button
      ref={place}
      size="xs"
      variant="default"
      loading={isReading}
      onClick={onOlder}
      style={{ alignSelf: 'center' }}
    >
      Show earlier messages
    </Button>
  )
}

const pauseMs = 5 * 60_000

function isContinued(before: Message | undefined, { author, role, created, editedAt }: Message): boolean {
  if (!before || role !== 'assistant' || before.role !== role || editedAt) return false
  const isSame = before.author.id === author.id && before.author.credentialId === author.credentialId
  return isSame && new Date(created).getTime() - new Date(before.created).getTime() < pauseMs
}

function resultsOf({ id, parts }: Message, { results, shown }: Paired): (Part | null | undefined)[] {
  return parts.map((_, index) => (shown.has(placeOf(id, index)) ? null : results.get(placeOf(id, index))))
}
