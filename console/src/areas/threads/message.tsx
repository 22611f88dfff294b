// One message: who wrote it, its parts in order, and what can be done with it.
import { Button, Group, Text } from '@mantine/core'
import { Bot, Info, UserRound } from 'lucide-react'
import { memo, useState } from 'react'
import { call, useAct } from '../../api.ts'
import { Composer } from '../../composer/composer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Markdown } from '../../parts/render.tsx'
import { useMe, useStanding } from '../../session.ts'
import { Citations } from './citations.tsx'
import { FileLink } from './files.tsx'
import { placeOf } from './pairing.ts'
import { Rating } from './rating.tsx'
import type { Message, Part } from './thread.ts'
import { LoneResult, ToolCall } from './tool_call.tsx'

type MessageProps = {
  message: Message
  /** What the author is called. */
  name: string
  /** Results of its calls, by place; null where a part is shown with its call elsewhere. */
  results: readonly (Part | null | undefined)[]
  isLast: boolean
  /** The same one goes on: it was said above who. */
  isContinued: boolean
  isWanted: boolean
  onChanged: (id: string) => Promise<void>
}

function same(one: MessageProps, other: MessageProps): boolean {
  const { results: before, ...rest } = one
  const { results: after, ...next } = other
  const names = Object.keys(rest) as (keyof typeof rest)[]
  return (
    before.length === after.length &&
    before.every((part, index) => part === after[index]) &&
    names.every(name => rest[name] === next[name])
  )
}

export const MessageEntry = memo((props: MessageProps) => {
  const { message, name, isLast, isContinued, isWanted, onChanged } = props
  const { id, role, status } = message
  const isAgent = role === 'assistant' || role === 'tool'
  const Icon = isAgent ? Bot : role === 'system' ? Info : UserRound
  return (
    <li
      id={id}
      className="atrium-message"
      data-role={role}
      data-wanted={isWanted || undefined}
      data-continued={isContinued || undefined}
      aria-busy={status === 'streaming' || undefined}
    >
      {isContinued ? (
        <span />
      ) : (
        <span className="atrium-message-mark" aria-hidden>
          <Icon size={15} />
        </span>
      )}
      <article className="atrium-message-body" aria-label={`${name}, message ${message.seq}`}>
        {!isContinued && <Head message={message} name={name} />}
        <Content {...props} />
        {status === 'failed' && (
          <Text size="sm" c="var(--mantine-color-error)">
            The agent was lost while it wrote this: it may be incomplete.
          </Text>
        )}
        <Acts message={message} isLast={isLast} onChanged={onChanged} />
      </article>
    </li>
  )
}, same)

function Head({ message: { usage, created, editedAt }, name }: Pick<MessageProps, 'message' | 'name'>) {
  return (
    <Group gap="xs">
      <Text span size="sm" fw={600}>
        {name}
      </Text>
      {usage?.model && (
        <Text span size="xs" c="dimmed">
          {usage.model}
        </Text>
      )}
      <Text span size="xs" c="dimmed">
        <Moment at={created} />
        {editedAt && ' · edited'}
      </Text>
    </Group>
  )
}

function Content({ message, results }: MessageProps) {
  const { id, parts, status } = message
  if (status === 'redacted') return <Text c="dimmed">This message was deleted.</Text>
  const cited = parts.flatMap(({ type, object, id: of, range }) =>
    type === 'citation' && object && of ? [{ object, id: of, range }] : [],
  )
  return (
    <>
      {parts.map((part, index) => (
        <PartView key={placeOf(id, index)} part={part} result={results[index]} />
      ))}
      {status === 'streaming' && <span className="atrium-caret" role="img" aria-label="Being written" />}
      <Citations cited={cited} label="Sources" />
    </>
  )
}

const Words = memo(({ text }: { text: string }) => <Markdown text={text} />)

function PartView({ part, result }: { part: Part; result: Part | null | undefined }) {
  if (part.type === 'text') return <Words text={part.markdown ?? ''} />
  if (part.type === 'file') return <FileLink part={part} />
  if (part.type === 'tool_call') return <ToolCall call={part} result={result ?? undefined} />
  if (part.type === 'tool_result' && result !== null) return <LoneResult result={part} />
  return null
}

type ActsProps = Pick<MessageProps, 'message' | 'isLast' | 'onChanged'>

/** Answers are rated; one's own words can be changed until somebody answers, and taken away. */
function Acts({ message, isLast, onChanged }: ActsProps) {
  const me = useMe()
  const { may } = useStanding()
  const [isEditing, setIsEditing] = useState(false)
  const { id, workspaceId, role, status, author, text } = message
  const [isEnding, setIsEnding] = useState(false)
  const del = useAct('messages.del', {
    onDone: () => {
      setIsEnding(false)
      void onChanged(id)
    },
  })
  const isAnswer = role === 'assistant' && text !== ''
  const isMine = role === 'user' && author.id === me?.id
  if (status === 'redacted' || status === 'streaming') return null
  if (isEditing) {
    return (
      <Composer
        label="Message"
        send="Save"
        start={text}
        most={200_000}
        onCancel={() => setIsEditing(false)}
        onSend={async words => {
          const others = message.parts.filter(({ type }) => type !== 'text')
          await call('messages.patch', { workspaceId, id, parts: [{ type: 'text', markdown: words }, ...others] })
          setIsEditing(false)
          await onChanged(id)
        }}
      />
    )
  }
  return (
    <>
      {isAnswer && may('ratings.post') && <Rating message={message} onRated={() => void onChanged(id)} />}
      {isMine && (
        <Group gap={4} className="atrium-message-acts">
          {isLast && may('messages.patch') && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setIsEditing(true)}>
              Edit
            </Button>
          )}
          {may('messages.del') && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setIsEnding(true)}>
              Delete
            </Button>
          )}
        </Group>
      )}
      <Confirm
        opened={isEnding}
        onClose={() => setIsEnding(false)}
        title="Delete the message?"
        label="Delete"
        act={del}
        onAct={() => del.mutate({ workspaceId, id })}
      >
        <Text size="sm">What it says is erased for good. Its place in the thread stays.</Text>
      </Confirm>
    </>
  )
}
