// What differs between two branches, tags or commits.
import { Alert, Checkbox, Group, Stack, Text } from '@mantine/core'
import { GitCompareArrows } from 'lucide-react'
import { useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Empty, Loaded } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Differences } from './differences.tsx'
import { Readable, short, usePlace } from './place.tsx'
import { Refs } from './refs.tsx'

export function Compare({ record }: { record: Row }) {
  return (
    <Readable record={record}>
      <Choice record={record} />
    </Readable>
  )
}

function Choice({ record }: { record: Row }) {
  const [{ base, head, apart }, look] = usePlace()
  const from = base ?? String(record.defaultBranch ?? '')
  return (
    <Stack>
      <Group align="end">
        <Refs
          record={record}
          label="From"
          isLabelShown
          selected={base}
          onSelect={chosen => look({ base: chosen } as never)}
        />
        <Refs
          record={record}
          label="To"
          isLabelShown
          placeholder="Branch, tag or commit"
          selected={head}
          onSelect={chosen => look({ head: chosen } as never)}
        />
        <Checkbox
          mb={6}
          label="Only since they parted"
          checked={apart === undefined}
          onChange={event => look({ apart: event.currentTarget.checked ? undefined : 'yes' } as never)}
        />
      </Group>
      {head === undefined ? (
        <Empty
          icon={GitCompareArrows}
          title="Nothing to compare yet"
          text={`Choose a branch, a tag or a commit to see what it changes against ${from}.`}
        />
      ) : (
        <Compared record={record} base={from} head={head} mergeBase={apart === undefined} />
      )}
    </Stack>
  )
}

type ComparedProps = { record: Row; base: string; head: string; mergeBase: boolean }

function Compared({ record, base, head, mergeBase }: ComparedProps) {
  const workspaceId = useWorkspaceId()
  const found = useCall('repositories.diff', { workspaceId, id: String(record.id), base, head, mergeBase })
  return (
    <Loaded query={found}>
      {diff => (
        <>
          <Text size="sm" ff="monospace">
            {diff.baseSha ? `${short(diff.baseSha)} … ` : ''}
            {short(diff.sha)}
          </Text>
          {diff.files.length === 0 ? (
            <Alert variant="light" color="gray" icon={<GitCompareArrows size={18} aria-hidden />}>
              {base === head ? 'Both are the same.' : `${head} changes nothing against ${base}.`}
            </Alert>
          ) : (
            <Differences found={diff} />
          )}
        </>
      )}
    </Loaded>
  )
}
