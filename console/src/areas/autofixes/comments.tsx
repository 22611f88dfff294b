// Comments on lines of a patch: messages of its thread whose first line names file and line.
import { Box, Group, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { call, queryClient } from '../../api.ts'
import { Composer } from '../../composer/composer.tsx'
import { areaOf } from '../../contract.ts'
import { useAll } from '../../named.ts'
import type { LinePlace } from '../../parts/diff.tsx'
import type { LineSlots } from '../../parts/diff_lines.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useOwners } from '../../parts/people.tsx'
import { Markdown } from '../../parts/render.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { authorName, type Message } from '../threads/thread.ts'
import type { Autofix } from './autofix.ts'

const wasThere = ' as it was'

/** A line that was taken away has its number in the old file. */
const nameOf = ({ path, line, side }: LinePlace) => `${path}:${line}${side === 'old' ? wasThere : ''}`

/** The first line names the place; the rest is what is said of it. */
const commentPattern = /^`(.+:\d+(?: as it was)?)`[ \t]*\r?\n([\s\S]+)$/

type Said = { message: Message; text: string }

function byPlace(messages: readonly Message[]): ReadonlyMap<string, readonly Said[]> {
  const found = new Map<string, Said[]>()
  for (const message of messages) {
    const [, place, text] = commentPattern.exec(message.text) ?? []
    if (place && text?.trim()) found.set(place, [...(found.get(place) ?? []), { message, text: text.trim() }])
  }
  return found
}

/** Nothing without a thread that the person may read. */
export function useLineComments({ threadId }: Autofix): LineSlots {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [writing, setWriting] = useState<LinePlace | null>(null)
  const input = { workspaceId, threadId: threadId ?? '', orderBy: 'seq', order: 'asc' }
  const found = useAll<Message>('messages.list', input, { enabled: threadId !== null && may('messages.list') })
  const said = useMemo(() => byPlace(found.data?.items ?? []), [found.data])
  if (threadId === null || !found.data) return {}
  const send = async (place: LinePlace, text: string) => {
    await call('messages.post', { workspaceId, threadId, text: `\`${nameOf(place)}\`\n\n${text}` })
    setWriting(null)
    const isConcerned = (id: unknown) => ['messages', 'threads'].includes(areaOf(String(id)))
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isConcerned(queryKey[0]) })
  }
  const isOpen = (place: LinePlace) => writing !== null && nameOf(writing) === nameOf(place)
  return {
    under: place => {
      const here = said.get(nameOf(place)) ?? []
      if (here.length === 0 && !isOpen(place)) return null
      return (
        <Stack gap="sm" maw={720}>
          {here.map(one => (
            <Comment key={one.message.id} {...one} />
          ))}
          {isOpen(place) && (
            <Composer
              label="Comment"
              lines={2}
              onSend={text => send(place, text)}
              onCancel={() => setWriting(null)}
              placeholder={`On ${nameOf(place)}. Everybody in the thread sees it.`}
            />
          )}
        </Stack>
      )
    },
    ...(may('messages.post') && { onLine: setWriting, lineLabel: 'Comment on line' }),
  }
}

function Comment({ message, text }: Said) {
  const { author, created } = message
  const owners = useOwners(author.id === null ? [] : [author.id])
  return (
    <Box component="article" aria-label="Comment">
      <Group gap="xs">
        <Text span size="sm" fw={600}>
          {authorName(message, owners)}
        </Text>
        <Text span size="xs" c="dimmed">
          <Moment at={created} />
        </Text>
      </Group>
      <Markdown text={text} />
    </Box>
  )
}
