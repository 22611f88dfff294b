// Every version of an automation: who saved it, what two of them differ in, and the way back.
import { Button, Group, Select, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { type Row, useAll } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Diff } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { type Automation, definitionOf, draftOf, type Version } from './automation.ts'

export function Versions({ record }: { record: Row }) {
  const automation = record as Automation
  const { workspaceId, id } = automation
  const found = useAll<Version>('automations.versions.list', { workspaceId, id, order: 'desc' })
  return (
    <Loaded query={found}>
      {({ items }) => (
        <Stack>
          <List automation={automation} versions={items} />
          {items.length > 1 && <Compare key={items[0]?.version} versions={items} />}
        </Stack>
      )}
    </Loaded>
  )
}

function List({ automation, versions }: { automation: Automation; versions: readonly Version[] }) {
  const { workspaceId, id } = automation
  const { may } = useStanding()
  const revert = useAct('automations.versions.revert', {
    onDone: ({ version }) => done(`Brought back as version ${version}. It acts for you now.`),
  })
  return (
    <Panel title="Versions" about="What runs keeps the version that it began with.">
      <Failure error={revert.error} onRetry={revert.again} />
      <RowTable label="Versions" heads={['Version', 'Saved by', 'When', 'Acts']} minWidth={420} hasCards>
        {versions.map(({ version, name, authorId, created }) => (
          <Table.Tr key={version}>
            <Table.Td data-label="Version">
              <Text size="sm" fw={600}>
                {version}
                {version === automation.version ? ', in use' : ''}
              </Text>
              {name !== automation.name && (
                <Text size="xs" c="dimmed">
                  {name}
                </Text>
              )}
            </Table.Td>
            <Table.Td data-label="Saved by">
              {authorId ? <OwnerName id={authorId} /> : <Text size="sm">Somebody who left</Text>}
            </Table.Td>
            <Table.Td data-label="When">
              <Moment at={created} />
            </Table.Td>
            <Table.Td data-label="Acts">
              {version !== automation.version && may('automations.versions.revert') ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  leftSection={<Undo2 size={14} aria-hidden />}
                  aria-label={`Bring back version ${version}`}
                  loading={revert.isPending && revert.variables?.version === String(version)}
                  onClick={() => revert.mutate({ workspaceId, id, version: String(version) })}
                >
                  Bring back
                </Button>
              ) : (
                '–'
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
    </Panel>
  )
}

/** Two of them as the text that the builder shows; the newest against the one before it at first. */
function Compare({ versions }: { versions: readonly Version[] }) {
  const [after, setAfter] = useState(String(versions[0]?.version))
  const [before, setBefore] = useState(String(versions[1]?.version))
  const textFor = (wanted: string) => {
    const one = versions.find(({ version }) => String(version) === wanted)
    return one ? JSON.stringify({ name: one.name, ...definitionOf(draftOf(one)) }, null, 2) : ''
  }
  const data = versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` }))
  return (
    <Panel title="Compare">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }} maw={480}>
          <Select
            label="From"
            data={data}
            value={before}
            allowDeselect={false}
            onChange={value => value && setBefore(value)}
          />
          <Select
            label="To"
            data={data}
            value={after}
            allowDeselect={false}
            onChange={value => value && setAfter(value)}
          />
        </SimpleGrid>
        <Diff before={textFor(before)} after={textFor(after)} label={`From version ${before} to version ${after}`} />
        <Group>
          <Text size="xs" c="dimmed">
            Bringing one back leaves its name, description and labels as they are now.
          </Text>
        </Group>
      </Stack>
    </Panel>
  )
}
