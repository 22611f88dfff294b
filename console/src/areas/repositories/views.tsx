// How repositories show: their state in words, their files, history and differences, and what is found in them.
import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { CirclePause, CirclePlay, FileSearch, KeyRound, RefreshCw, TriangleAlert } from 'lucide-react'
import type { Row } from '../../named.ts'
import { ownerAreas } from '../../parts/people.tsx'
import { bytesOf } from '../../units.ts'
import type { CellProps, Views } from '../define.ts'
import { Code } from './code.tsx'
import { Compare } from './compare.tsx'
import { Find } from './find.tsx'
import { History } from './history.tsx'
import { CodeSearch } from './search.tsx'

const colours: Readonly<Record<string, string>> = { ready: 'green', error: 'red', syncing: 'blue' }

function Status({ value }: CellProps) {
  return <Badge color={colours[String(value)] ?? 'gray'}>{String(value)}</Badge>
}

function Fault({ value }: CellProps) {
  return <Text size="sm">{value ? (value as { text: string }).text : 'None'}</Text>
}

function Languages({ value }: CellProps) {
  const languages = (value ?? []) as { name: string; bytes: number }[]
  if (languages.length === 0) return <Text size="sm">None that are known</Text>
  return (
    <Group gap="xs">
      {languages.slice(0, 6).map(({ name, bytes }) => (
        <Text size="sm" key={name}>
          {name} {bytesOf(bytes)}
        </Text>
      ))}
    </Group>
  )
}

function Notice({ record }: { record: Row }) {
  const error = record.error as { text: string } | null
  if (!error) return null
  return (
    <Alert color="red" variant="light" title="The last sync failed" icon={<TriangleAlert size={18} aria-hidden />}>
      <Stack gap={4}>
        <Text size="sm">{error.text}</Text>
        {record.headSha !== null && <Text size="sm">What was read before can still be read.</Text>}
      </Stack>
    </Alert>
  )
}

export const views: Views = {
  cells: { status: Status },
  facts: { status: Status, error: Fault, languages: Languages },
  notice: Notice,
  presets: [
    {
      label: 'Enable',
      icon: CirclePlay,
      input: { enabled: true },
      done: 'Enabled: it is synced now.',
      isOffered: ({ enabled }) => enabled === false,
    },
    {
      label: 'Disable',
      icon: CirclePause,
      input: { enabled: false },
      done: 'Disabled: it is neither synced nor read any more.',
      isOffered: ({ enabled }) => enabled === true,
    },
    {
      label: 'Forget the host key',
      icon: KeyRound,
      input: { hostKey: null },
      done: 'The next sync takes the key that the host shows.',
      isOffered: ({ hostKey }) => hostKey !== null,
    },
  ],
  acts: {
    sync: {
      label: 'Sync now',
      icon: RefreshCw,
      done: 'A sync begins.',
      isOffered: ({ status }) => status !== 'syncing' && status !== 'disabled',
    },
    del: { about: 'Its mirror goes with it. Nothing happens to the repository that was mirrored.' },
  },
  tabs: [
    { name: 'code', title: 'Code', view: Code },
    { name: 'history', title: 'History', view: History },
    { name: 'compare', title: 'Compare', view: Compare },
    { name: 'find', title: 'Find', view: Find },
  ],
  layouts: [{ name: 'search', title: 'Search the code', icon: FileSearch, view: CodeSearch, isAlone: true }],
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
