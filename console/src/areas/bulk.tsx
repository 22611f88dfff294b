// What can be done to many records of a list at once.
import { Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { queryClient } from '../api.ts'
import { idIn } from '../contract.ts'
import { countOf } from '../format.ts'
import { callNamed, type Row } from '../named.ts'
import { Failure } from '../parts/failure.tsx'
import { done } from '../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../session.ts'
import type { BulkAct } from '../table/data_table.tsx'
import { BulkEdit } from './bulk_edit.tsx'
import { BulkLabels } from './bulk_labels.tsx'
import { type Place, titleOf, type Views } from './define.ts'
import { actsOf, fieldsOf, itemFields, keyOf, secretsIn } from './schema.ts'

/** Acts that need no input beside the record can be done to many. */
export function useBulk(place: Place, views: Views) {
  const { may } = useStanding()
  const [open, setOpen] = useState<{ verb: string; records: readonly Row[]; clear: () => void } | null>(null)
  const plain = actsOf(place.area).filter(
    verb =>
      may(idIn(place.area, verb)) &&
      !views.acts?.[verb]?.dialog &&
      !views.acts?.[verb]?.isHidden &&
      !views.acts?.[verb]?.isOffered &&
      fieldsOf(idIn(place.area, verb)).every(({ isNeeded }) => !isNeeded) &&
      secretsIn(idIn(place.area, verb), { token: '', clientSecret: '' }).length === 0,
  )
  const acts: BulkAct[] = plain.map(verb => ({
    label: views.acts?.[verb]?.label ?? (verb === 'del' ? 'Delete' : verb),
    onAct: (records, clear) => setOpen({ verb, records, clear }),
  }))
  const mayChange = may(idIn(place.area, 'patch'))
  if (mayChange && may('labels.apply') && 'labels' in itemFields(idIn(place.area, 'list'))) {
    acts.unshift({ label: 'Label', onAct: (records, clear) => setOpen({ verb: 'label', records, clear }) })
  }
  if (mayChange && place.bulkFields) {
    acts.unshift({ label: 'Change', onAct: (records, clear) => setOpen({ verb: 'change', records, clear }) })
  }
  const Dialog = open && ({ label: BulkLabels, change: BulkEdit }[open.verb] ?? null)
  const close = () => setOpen(null)
  const dialog =
    open &&
    (Dialog ? (
      <Dialog place={place} {...open} onClose={close} />
    ) : (
      <BulkDialog place={place} {...open} onClose={close} />
    ))
  return { acts, dialog }
}

type BulkDialogProps = {
  place: Place
  verb: string
  records: readonly Row[]
  clear: () => void
  onClose: () => void
}

function BulkDialog({ place, verb, records, clear, onClose }: BulkDialogProps) {
  const workspaceId = useWorkspaceId()
  const [finished, setFinished] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const key = keyOf(place.area)
  const label = verb === 'del' ? 'Delete' : verb
  const run = async () => {
    setError(null)
    try {
      for (let index = finished ?? 0; index < records.length; index++) {
        setFinished(index)
        await callNamed(idIn(place.area, verb), { workspaceId, [key]: records[index]?.[key] })
      }
      clear()
      onClose()
      done(`${countOf(records.length, 'record')}: done.`)
    } catch (failure) {
      setError(failure)
    }
    void queryClient.invalidateQueries({ queryKey: [idIn(place.area, 'list')] })
  }
  return (
    <Modal opened onClose={onClose} title={`${label} ${countOf(records.length, 'record')}?`}>
      <Text size="sm">{records.map(record => titleOf(place.area, record)).join(', ')}</Text>
      <Failure error={error} />
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={finished !== null && !error} onClick={() => void run()}>
          {label}
        </Button>
      </Group>
    </Modal>
  )
}
