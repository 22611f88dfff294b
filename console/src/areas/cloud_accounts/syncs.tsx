// The syncs of an account, the newest first: what each found, and what it could not see.
import { Button, Modal, Stack, Text } from '@mantine/core'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Panel } from '../../parts/page.tsx'
import { DataTable } from '../../table/data_table.tsx'
import { useOwnLook } from '../../table/look.ts'
import type { CellProps } from '../define.ts'
import type { Account, Sync } from './account.ts'
import { Faults, Status } from './state.tsx'

/** "3 nodes new, 1 changed, 2 edges gone". */
export function changesOf({ nodesAdded, nodesChanged, nodesRemoved, edgesAdded, edgesRemoved }: Sync): string {
  const told = (counts: readonly (readonly [number, string])[]) =>
    counts.flatMap(([count, words]) => (count > 0 ? [`${count.toLocaleString('en')} ${words}`] : [])).join(', ')
  const nodes = told([
    [nodesAdded, 'new'],
    [nodesChanged, 'changed'],
    [nodesRemoved, 'gone'],
  ])
  const edges = told([
    [edgesAdded, 'new'],
    [edgesRemoved, 'gone'],
  ])
  const all = [...(nodes ? [`nodes: ${nodes}`] : []), ...(edges ? [`edges: ${edges}`] : [])].join('; ')
  return all ? all.charAt(0).toUpperCase() + all.slice(1) : 'Nothing that was not known'
}

export function tookOf({ ms }: Pick<Sync, 'ms'>): string {
  if (ms === null) return 'Not done yet'
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

const Changes = ({ record }: CellProps) => <Text size="sm">{changesOf(record as Sync)}</Text>
const Took = ({ record }: CellProps) => <Text size="sm">{tookOf(record as Sync)}</Text>

function Errors({ record }: CellProps) {
  const { errors } = record as Sync
  const [isOpen, setIsOpen] = useState(false)
  if (errors.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    )
  }
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
        {countOf(errors.length, 'error')}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="What could not be seen" size="xl">
        <Stack>
          <Text size="sm">It was left as it was before.</Text>
          <Faults faults={errors} label="What could not be seen" />
        </Stack>
      </Modal>
    </>
  )
}

const cells = {
  status: ({ value }: CellProps) => <Status value={value} />,
  nodesAdded: Changes,
  ms: Took,
  errors: Errors,
}
const labels: Readonly<Record<string, string>> = {
  created: 'When',
  status: 'Status',
  nodesAdded: 'Found',
  errors: 'Errors',
  ms: 'Took',
}

export function Syncs({ record }: { record: Row }) {
  const { workspaceId, id } = record as Account
  const [look, onLook] = useOwnLook()
  return (
    <Panel title="Syncs" about="Of the last 90 days. What a sync cannot see is left as it was.">
      <DataTable
        listId="cloud_accounts.syncs.list"
        path={{ workspaceId, id }}
        keyField="id"
        columns={['created', 'status', 'nodesAdded', 'errors', 'ms']}
        label="Syncs"
        labelOf={name => labels[name] ?? name}
        look={look}
        onLook={onLook}
        cells={cells}
        empty={{ icon: RefreshCw, title: 'No syncs yet', text: 'Each reading of the account shows here.' }}
      />
    </Panel>
  )
}
