// The form for a new workspace.
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useAct } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { bodyField, remark, useKeptForm } from '../parts/form.tsx'
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
  const form = useKeptForm(
    { name: '', description: '' },
    { name: (text: string) => remark(bodyField('workspaces.post', 'name'), text.trim()) },
    act.error,
  )
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        ({ name, description }) => act.mutate({ name: name.trim(), description: description.trim() || null }),
        () => form.getInputNode('name')?.focus(),
      )}
    >
      <Stack>
        <Failure error={act.error} />
        <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        <TextInput label="What it is for" description="Optional" {...form.getInputProps('description')} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
