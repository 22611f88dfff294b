// What was sent or came back: JSON as a tree, anything else as it is; and headers by their names.
import { Stack, Text } from '@mantine/core'
import { CopyBlock } from '../../parts/copy.tsx'
import { Json } from '../../parts/render.tsx'
import { Facts } from '../../parts/table.tsx'

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function Content({ title, text, open = 3 }: { title: string; text: string; open?: number }) {
  const value = parsed(text)
  const isTree = typeof value === 'object' && value !== null
  return (
    <Stack gap={4} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {text === '' ? (
        <Text size="sm" c="dimmed">
          Empty
        </Text>
      ) : isTree ? (
        <Json value={value} open={open} />
      ) : (
        <CopyBlock label={title} value={text} />
      )}
    </Stack>
  )
}

export function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const all = Object.entries(headers)
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Headers
      </Text>
      {all.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet
        </Text>
      ) : (
        <Facts
          label="Headers"
          width={180}
          facts={all.map(([name, value]) => [
            name,
            <Text key={name} span size="xs" ff="monospace">
              {value}
            </Text>,
          ])}
        />
      )}
    </Stack>
  )
}
