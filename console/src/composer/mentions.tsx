// Records that are mentioned by `@` and a few letters: found by the service's search, chosen by keyboard or mouse.
import { Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { placeOfArea } from '../areas/define.ts'
import { areaOfObject } from '../contract.ts'
import { wordsOf } from '../format.ts'
import { useNamedCall } from '../named.ts'
import { useWorkspaceId } from '../session.ts'

export type Mention = { object: string; id: string; title: string; uri: string }

const typingMs = 150
const most = 6

/** The `@` before the caret and what was typed after it; null where there is none. */
export function mentionAt(text: string, caret: number): { from: number; words: string } | null {
  const [whole, words = ''] = /(?:^|(?<=[\s(]))@([\p{L}\p{N}_.-]{1,40}(?: [\p{L}\p{N}_.-]{1,40})?)$/u.exec(
    text.slice(0, caret),
  ) ?? ['']
  return whole ? { from: caret - whole.length, words } : null
}

export function useMentions(words: string | null) {
  const workspaceId = useWorkspaceId()
  const [asked] = useDebouncedValue(words, typingMs)
  const [choice, setChoice] = useState<{ words: string | null; index: number }>({ words: null, index: 0 })
  const [closed, setClosed] = useState<string | null>(null)
  const enabled = asked !== null && asked !== '' && workspaceId !== ''
  const query = useNamedCall<{ items: Mention[] }>(
    'search.query',
    { workspaceId, q: asked ?? '', limit: most },
    { enabled, keep: true },
  )
  const isOpen = words !== null && enabled && closed !== words
  const found = isOpen ? (query.data?.items ?? []) : []
  const chosen = choice.words === words ? Math.min(choice.index, Math.max(0, found.length - 1)) : 0
  /** True where the key was for the list. */
  const onKey = (key: string, choose: (mention: Mention | undefined) => void): boolean => {
    if (found.length === 0) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (step) setChoice({ words, index: (chosen + step + found.length) % found.length })
    else if (key === 'Enter' || key === 'Tab') choose(found[chosen])
    else if (key === 'Escape') setClosed(words)
    else return false
    return true
  }
  return { found, chosen, onKey }
}

type MentionListProps = {
  id: string
  found: readonly Mention[]
  chosen: number
  onChoose: (mention: Mention) => void
}

export function MentionList({ id, found, chosen, onChoose }: MentionListProps) {
  if (found.length === 0) return null
  return (
    <div id={id} role="listbox" aria-label="Records to mention" className="atrium-mentions">
      {found.map((mention, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
        <div
          key={mention.uri}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={event => event.preventDefault()}
          onClick={() => onChoose(mention)}
        >
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" truncate>
              {mention.title}
            </Text>
            <Text size="xs" c="dimmed">
              {placeOfArea(areaOfObject(mention.object)?.name ?? '')?.one ?? wordsOf(mention.object)}
            </Text>
          </Group>
        </div>
      ))}
    </div>
  )
}
