// What a person thinks of an answer: one thumb, which can be turned, and why where it points down.
import { ActionIcon, Button, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import type { InputOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { Message } from './thread.ts'

type Reason = NonNullable<InputOf<'ratings.post'>['reason']>

const reasons: readonly Reason[] = [
  'wrong',
  'incomplete',
  'ungrounded',
  'ignored_instructions',
  'unsafe',
  'slow',
  'interface',
  'other',
]

type RatingProps = { message: Message; onRated: () => void }

export function Rating({ message, onRated }: RatingProps) {
  const workspaceId = useWorkspaceId()
  const [isAsking, setIsAsking] = useState(false)
  const act = useAct('ratings.post', { onDone: onRated })
  const { up, down, mine } = message.rating
  const wanted = act.wanted?.value ?? mine
  const rate = (value: 1 | -1) => {
    setIsAsking(value === -1)
    if (value !== mine) act.mutate({ workspaceId, object: 'message', objectId: message.id, value })
  }
  return (
    <Stack gap={6}>
      <Group gap={2}>
        <Thumb label="Good answer" count={up} isOn={wanted === 1} icon={ThumbsUp} onPress={() => rate(1)} />
        <Thumb label="Bad answer" count={down} isOn={wanted === -1} icon={ThumbsDown} onPress={() => rate(-1)} />
      </Group>
      <Failure error={act.error} onRetry={act.again} />
      {isAsking && <Why message={message} onClose={() => setIsAsking(false)} />}
    </Stack>
  )
}

type ThumbProps = { label: string; count: number; isOn: boolean; icon: typeof ThumbsUp; onPress: () => void }

function Thumb({ label, count, isOn, icon: Icon, onPress }: ThumbProps) {
  return (
    <Group gap={2}>
      <Tooltip label={label}>
        <ActionIcon
          variant={isOn ? 'light' : 'subtle'}
          color={isOn ? 'iris' : 'gray'}
          size={26}
          aria-label={label}
          aria-pressed={isOn}
          onClick={onPress}
        >
          <Icon size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {count > 0 && (
        <Text span size="xs" c="dimmed">
          {count}
        </Text>
      )}
    </Group>
  )
}

/** The thumb is sent already; this says more. */
function Why({ message, onClose }: { message: Message; onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const [reason, setReason] = useState<Reason | null>(null)
  const [comment, setComment] = useState('')
  const act = useAct('ratings.post', {
    onDone: () => {
      done('Thank you: the reason is noted.')
      onClose()
    },
  })
  const send = () =>
    act.mutate({
      workspaceId,
      object: 'message',
      objectId: message.id,
      value: -1,
      reason,
      ...(comment.trim() && { comment: comment.trim() }),
    })
  return (
    <form
      className="atrium-why"
      aria-label="What was wrong?"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <Text size="sm" fw={600}>
        What was wrong?
      </Text>
      <Group gap={6} role="group" aria-label="Reason">
        {reasons.map(one => (
          <Button
            key={one}
            size="compact-sm"
            variant={one === reason ? 'light' : 'default'}
            aria-pressed={one === reason}
            onClick={() => setReason(one === reason ? null : one)}
          >
            {wordsOf(one)}
          </Button>
        ))}
      </Group>
      <TextInput
        size="xs"
        aria-label="Comment"
        placeholder="Comment"
        maxLength={2_000}
        value={comment}
        onChange={event => setComment(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button type="submit" size="compact-sm" loading={act.isPending} disabled={!reason && !comment.trim()}>
          Send
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onClose}>
          No more to say
        </Button>
      </Group>
      <Failure error={act.error} onRetry={act.again} />
    </form>
  )
}
