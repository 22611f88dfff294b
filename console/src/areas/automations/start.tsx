// Starts an automation by hand, with what its form asks for, and leads to what comes of it.
import { Modal, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Form } from '../../form/form.tsx'
import type { Row } from '../../named.ts'
import { done } from '../../parts/toast.tsx'
import type { Automation } from './automation.ts'
import { fieldsIn, gatheredUnder } from './schema_fields.ts'

export function StartDialog({ record, onClose }: { record: Row; onClose: () => void }) {
  const { workspaceId, id, name, triggers, enabled } = record as Automation
  const navigate = useNavigate()
  const form = triggers.find(({ on }) => on === 'manual')?.form
  const fields = useMemo(() => fieldsIn(form, 'input'), [form])
  return (
    <Modal opened onClose={onClose} title={`Start ${name}`}>
      <Stack>
        <Text size="sm">
          {enabled
            ? 'It runs now, once, and acts for whoever saved it last.'
            : 'It is disabled, and does not start so. Enable it first.'}
        </Text>
        <Form
          id="automations.trigger"
          fixed={{ workspaceId, id }}
          fields={fields}
          toInput={input => (fields.length > 0 ? gatheredUnder('input', input) : {})}
          label="Start"
          cancel={onClose}
          onDone={execution => {
            onClose()
            done('It is started. What it does shows here.')
            void navigate({
              to: `/w/${workspaceId}/automations/${id}` as '/',
              search: { tab: 'executions', execution: String(execution.id) } as never,
            })
          }}
        />
      </Stack>
    </Modal>
  )
}
