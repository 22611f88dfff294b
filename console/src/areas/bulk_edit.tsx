// Some fields of many records at once; those that are refused stay chosen, with the reason.
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { queryClient } from '../api.ts'
import { areaOf, idIn } from '../contract.ts'
import { type Draft, type FormField, fromDraft, toDraft } from '../form/field.ts'
import { FieldInput } from '../form/field_input.tsx'
import { countOf } from '../format.ts'
import { callNamed, type Row } from '../named.ts'
import { done } from '../parts/toast.tsx'
import { useWorkspaceId } from '../session.ts'
import { labelOf, type Place, titleOf } from './define.ts'
import { fieldsOf, keyOf } from './schema.ts'

type BulkEditProps = { place: Place; records: readonly Row[]; clear: () => void; onClose: () => void }
type Refused = { record: Row; reason: string }

export function BulkEdit({ place, records, clear, onClose }: BulkEditProps) {
  const workspaceId = useWorkspaceId()
  const [draft, setDraft] = useState<Draft>({})
  const [left, setLeft] = useState(records)
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [isPending, setIsPending] = useState(false)
  const key = keyOf(place.area)
  const patchId = idIn(place.area, 'patch')
  const fields: FormField[] = (place.bulkFields ?? []).flatMap(name =>
    fieldsOf(patchId)
      .filter(field => field.name === name)
      .map(field => ({ ...field, label: labelOf(place, name), isNeeded: false })),
  )
  const input = Object.fromEntries(
    fields.filter(({ name }) => draft[name]).map(field => [field.name, fromDraft(field, draft[field.name])]),
  )
  const run = async () => {
    setIsPending(true)
    const failures: Refused[] = []
    for (const record of left) {
      await callNamed(patchId, { workspaceId, [key]: record[key], ...input }).catch((error: unknown) =>
        failures.push({ record, reason: error instanceof Error ? error.message : 'It did not work.' }),
      )
    }
    setIsPending(false)
    setRefused(failures)
    setLeft(failures.map(({ record }) => record))
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => areaOf(String(queryKey[0])) === place.area })
    const changed = left.length - failures.length
    if (changed > 0) done(`${countOf(changed, 'record')} changed.`)
    if (failures.length > 0) return
    clear()
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={`Change ${countOf(left.length, 'record')}`}>
      <Stack>
        <Text size="sm" c="dimmed">
          What is left empty stays as it is.
        </Text>
        {fields.map(field => (
          <FieldInput
            key={field.name}
            field={field}
            value={draft[field.name] ?? toDraft(field, null)}
            draft={draft}
            error={undefined}
            onChange={value => setDraft(before => ({ ...before, [field.name]: value }))}
          />
        ))}
        {refused.length > 0 && (
          <Alert role="alert" color="red" title={`${countOf(refused.length, 'record')} not changed`}>
            {refused.map(({ record, reason }) => (
              <Text key={String(record[key])} size="sm">
                {titleOf(place.area, record)}: {reason}
              </Text>
            ))}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isPending} disabled={Object.keys(input).length === 0} onClick={() => void run()}>
            Change
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
