// The form for a new workspace.
import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useAct } from '../api.ts'
import { by, KeptForm, useKeptForm } from '../parts/form.tsx'
import { done } from '../parts/toast.tsx'

export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const act = useAct('workspaces.post', {
    onDone: ({ id, name }) => {
      onClose()
      done(`${name} is ready.`)
      void navigate({ to: '/w/$workspaceId', params: { workspaceId: id } })
    },
  })
  const form = useKeptForm({ name: '', description: '' }, { name: by('workspaces.post', 'name') }, act.error)
  return (
    <KeptForm
      form={form}
      act={act}
      label="Create"
      cancel={onClose}
      onSend={({ name, description }) => act.mutate({ name: name.trim(), description: description.trim() || null })}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <TextInput label="What it is for" description="Optional" {...form.getInputProps('description')} />
    </KeptForm>
  )
}
