// Which workspace one is in, the way to another, and a new one.
import { Button, Menu, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import { dialogWhenNeeded } from '../lazily.tsx'
import { useWorkspace, useWorkspaces } from '../session.ts'

const NewWorkspace = dialogWhenNeeded('NewWorkspace', () => import('./new_workspace.tsx'))

export function WorkspaceSwitch() {
  const { data } = useWorkspaces()
  const here = useWorkspace()
  const navigate = useNavigate()
  const [isMaking, making] = useDisclosure(false)
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            px="xs"
            rightSection={<ChevronsUpDown size={14} aria-hidden />}
            styles={{ inner: { minWidth: 0 }, label: { maxWidth: 'min(36vw, 14rem)' } }}
            c="var(--mantine-color-text)"
          >
            <Text span truncate fw={600} size="sm">
              {here?.name ?? 'Workspaces'}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }} aria-label="Workspaces">
          <Menu.Label>Workspaces</Menu.Label>
          {data?.items.map(workspace => (
            <Menu.Item
              key={workspace.id}
              rightSection={workspace.id === here?.id ? <Check size={16} aria-label="here" /> : null}
              onClick={() => void navigate({ to: '/w/$workspaceId', params: { workspaceId: workspace.id } })}
            >
              {workspace.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Plus size={16} aria-hidden />} onClick={making.open}>
            New workspace
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isMaking && <NewWorkspace onClose={making.close} />}
    </>
  )
}
