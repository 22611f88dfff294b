// A panel whose contents are edited in their place: a button, then the form, then what was saved.
import { Button } from '@mantine/core'
import { Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FieldHint } from '../form/field.ts'
import { Form } from '../form/form.tsx'
import { UnsentGuard } from '../form/guard.tsx'
import type { Row } from '../named.ts'
import { Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'

type EditPanelProps = {
  title: string
  /** The operation that changes it, and what names the record. */
  id: string
  fixed: Row
  record: Row
  fields: readonly FieldHint[]
  /** What is sent instead of the fields as they stand. */
  toInput?: (input: Row) => Row
  mayEdit: boolean
  children: ReactNode
}

export function EditPanel({ title, id, fixed, record, fields, toInput, mayEdit, children }: EditPanelProps) {
  const [isEditing, setIsEditing] = useState(false)
  const close = () => setIsEditing(false)
  if (isEditing) {
    return (
      <Panel title="Edit">
        <Form
          guard={UnsentGuard}
          id={id}
          fixed={fixed}
          record={record}
          fields={fields}
          {...(toInput && { toInput })}
          label="Save"
          cancel={close}
          onDone={() => {
            close()
            done('Saved.')
          }}
        />
      </Panel>
    )
  }
  const edit = mayEdit && (
    <Button
      size="xs"
      variant="default"
      leftSection={<Pencil size={14} aria-hidden />}
      onClick={() => setIsEditing(true)}
    >
      Edit
    </Button>
  )
  return (
    <Panel title={title} aside={edit}>
      {children}
    </Panel>
  )
}
