// Labels for many records at once, of whatever kind takes them.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call, queryClient } from '../api.ts'
import { areaOf, indexedArea } from '../contract.ts'
import { countOf } from '../format.ts'
import type { Row } from '../named.ts'
import { Failure } from '../parts/failure.tsx'
import { LabelField } from '../parts/labels.tsx'
import { done } from '../parts/toast.tsx'
import { useWorkspaceId } from '../session.ts'
import type { Place } from './define.ts'
import { keyOf } from './schema.ts'

type BulkLabelsProps = { place: Place; records: readonly Row[]; clear: () => void; onClose: () => void }

/** One call for each label, which labels all records or none. */
export function BulkLabels({ place, records, clear, onClose }: BulkLabelsProps) {
  const workspaceId = useWorkspaceId()
  const [added, setAdded] = useState<string[]>([])
  const [removed, setRemoved] = useState<string[]>([])
  const [sending, setSending] = useState<{ isPending: boolean; error: unknown }>({ isPending: false, error: null })
  const key = keyOf(place.area)
  const object = indexedArea(place.area)?.object ?? ''
  const references = records.map(record => ({ object, id: String(record[key]) }))
  const run = async () => {
    setSending({ isPending: true, error: null })
    try {
      for (const id of added) await call('labels.apply', { workspaceId, id, add: references })
      for (const id of removed) await call('labels.apply', { workspaceId, id, remove: references })
      clear()
      onClose()
      done(`${countOf(records.length, 'record')}: labels changed.`)
    } catch (error) {
      setSending({ isPending: false, error })
    }
    const areas = [place.area, 'labels']
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => areas.includes(areaOf(String(queryKey[0]))) })
  }
  const choose = (
    ids: string[],
    others: string[],
    set: (ids: string[]) => void,
    setOthers: (ids: string[]) => void,
  ) => {
    set(ids)
    setOthers(others.filter(id => !ids.includes(id)))
  }
  return (
    <Modal opened onClose={onClose} title={`Label ${countOf(records.length, 'record')}`}>
      <Stack>
        <LabelField label="Put on" value={added} onChange={ids => choose(ids, removed, setAdded, setRemoved)} />
        <LabelField label="Take off" value={removed} onChange={ids => choose(ids, added, setRemoved, setAdded)} />
        <Text size="sm" c="dimmed">
          A label of a group takes the place of another of the same group.
        </Text>
        <Failure error={sending.error} onRetry={() => void run()} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={sending.isPending} disabled={added.length + removed.length === 0} onClick={() => void run()}>
            Apply
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
