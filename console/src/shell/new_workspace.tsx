// The dialog for a new workspace.
import 'virtual:contract/workspaces'
import { Modal } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Form } from '../form/form.tsx'
import { done } from '../parts/toast.tsx'

const fields = [
  { name: 'name', autoFocus: true },
  { name: 'description', label: 'Description' },
]

export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  return (
    <Modal opened onClose={onClose} title="New workspace">
      <Form
        id="workspaces.post"
        fields={fields}
        label="Create"
        cancel={onClose}
        onDone={({ id, name }) => {
          onClose()
          done(`${String(name)} is ready.`)
          void navigate({ to: '/w/$workspaceId', params: { workspaceId: String(id) } })
        }}
      />
    </Modal>
  )
}
