// The search over threads: by their names and by what was said in them; each find leads to its place.
import { Badge, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'

type Found = ResultOf<'threads.search'>['items'][number]

export function ThreadSearch() {
  const workspaceId = useWorkspaceId()
  const [words, setWords] = useState('')
  const [q] = useDebouncedValue(words.trim().slice(0, 200), 200)
  const found = useCall('threads.search', { workspaceId, q }, { enabled: q !== '', keep: true })
  return (
    <Stack>
      <TextInput
        label="What was said?"
        description='Words, "phrases", or, -not'
        leftSection={<Search size={16} aria-hidden />}
        value={words}
        onChange={event => setWords(event.currentTarget.value)}
      />
      {q !== '' && (
        <Loaded query={found} rows={3}>
          {({ items }) =>
            items.length === 0 ? (
              <Text c="dimmed">Nothing was said about that.</Text>
            ) : (
              <Stack component="ul" className="atrium-plain-list" gap="sm">
                {items.map(item => (
                  <li key={item.messageId ?? item.thread.id}>
                    <Hit item={item} />
                  </li>
                ))}
              </Stack>
            )
          }
        </Loaded>
      )}
    </Stack>
  )
}

function Hit({ item: { thread, messageId, snippet } }: { item: Found }) {
  const workspaceId = useWorkspaceId()
  const places = snippet.map((piece, index) => ({ ...piece, key: `${index}` }))
  return (
    <Panel padding="md">
      <LinkName
        to={`/w/${workspaceId}/threads/${thread.id}` as '/'}
        search={(messageId ? { message: messageId } : {}) as never}
      >
        {thread.name}
      </LinkName>
      <Text size="sm" mt={4}>
        {places.map(({ key, text, isMatch }) => (isMatch ? <mark key={key}>{text}</mark> : text))}
      </Text>
      <Group gap="xs" mt={6}>
        <Badge color="gray">{wordsOf(thread.type)}</Badge>
        <Moment at={thread.lastMessageAt} none="No message yet" />
      </Group>
    </Panel>
  )
}
