// The search over memories, with the reasons for the order: every factor of the score is shown.
import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { LabelChips } from '../../parts/labels.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'

type Found = ResultOf<'memories.search'>['items'][number]

export function MemorySearch() {
  const workspaceId = useWorkspaceId()
  const [words, setWords] = useState('')
  const [q] = useDebouncedValue(words.trim().slice(0, 200), 200)
  const found = useCall('memories.search', { workspaceId, q }, { enabled: q !== '', keep: true })
  return (
    <Stack>
      <TextInput
        label="What do you want to know?"
        leftSection={<Search size={16} aria-hidden />}
        value={words}
        onChange={event => setWords(event.currentTarget.value)}
      />
      {q !== '' && (
        <Loaded query={found} rows={3}>
          {({ items }) =>
            items.length === 0 ? (
              <Text c="dimmed">Nothing is known about that.</Text>
            ) : (
              <Stack component="ul" className="atrium-plain-list" gap="sm">
                {items.map(item => (
                  <li key={item.memory.id}>
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

function Hit({ item: { memory, score, why, snippet } }: { item: Found }) {
  const workspaceId = useWorkspaceId()
  const places = snippet.map((piece, index) => ({ ...piece, key: `${index}` }))
  return (
    <Panel padding="md">
      <LinkName to={`/w/${workspaceId}/memories/${memory.id}` as '/'}>{memory.title}</LinkName>
      <Text size="sm" mt={4}>
        {places.map(({ key, text, isMatch }) => (isMatch ? <mark key={key}>{text}</mark> : text))}
      </Text>
      <Group gap="xs" mt={6}>
        <LabelChips ids={memory.labels} />
        <Text size="sm" c="dimmed">
          {reasonsOf(why)} = {number(score)}
        </Text>
      </Group>
    </Panel>
  )
}

/** `words 0.61 × confidence 0.9 × …`, or `(words 0.61 + meaning 0.8) × …` */
function reasonsOf({ text, meaning, confidence, rating, recency, pinned }: Found['why']): string {
  const words = `words ${number(text)}`
  const others = Object.entries({ confidence, rating, recency, pinned }).map(
    ([name, value]) => `${name} ${number(value)}`,
  )
  return [meaning === undefined ? words : `(${words} + meaning ${number(meaning)})`, ...others].join(' × ')
}

function number(value: number): string {
  return String(Math.round(value * 1_000) / 1_000)
}
