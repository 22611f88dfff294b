// The workspace itself: its name, its rules, and its end.
import { Alert, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { RotateCcw } from 'lucide-react'
import { useMemo } from 'react'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import { useAct, useCall } from '../api.ts'
import { dateOf } from '../format.ts'
import { Confirm, EndButton } from '../parts/confirm.tsx'
import { CopyLine } from '../parts/copy.tsx'
import { Failure } from '../parts/failure.tsx'
import { by, KeptForm, useKeptForm, WholeField } from '../parts/form.tsx'
import { Loaded, Page, Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useStanding, useWorkspaceId, type Workspace } from '../session.ts'

export function WorkspaceSettings() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const workspace = useCall('workspaces.get', { workspaceId })
  const isDeleting = workspace.data?.status === 'deleting'
  const settings = useCall(
    'workspaces.settings.get',
    { workspaceId },
    { enabled: workspace.data !== undefined && !isDeleting },
  )
  return (
    <Page title="Settings" about="The workspace itself." narrow>
      <Loaded query={workspace}>
        {found =>
          isDeleting ? (
            <Restore workspace={found} />
          ) : (
            <>
              <General workspace={found} isOpen={can('workspaces:write')} />
              <Loaded query={settings}>{rules => <Rules rules={rules} isOpen={can('workspaces:write')} />}</Loaded>
              {can('workspaces:delete') && <Ending workspace={found} />}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function General({ workspace, isOpen }: { workspace: Workspace; isOpen: boolean }) {
  const { id: workspaceId } = workspace
  const act = useAct('workspaces.patch', { onDone: () => done('The workspace is saved.') })
  const form = useKeptForm(
    { name: workspace.name, slug: workspace.slug, description: workspace.description ?? '' },
    {
      name: by('workspaces.patch', 'name'),
      slug: by('workspaces.patch', 'slug'),
    },
    act.error,
  )
  return (
    <Panel title="General">
      <KeptForm
        form={form}
        act={act}
        label="Save"
        isLocked={!isOpen}
        onSend={({ name, slug, description }) =>
          act.mutate({ workspaceId, name: name.trim(), slug: slug.trim(), description: description.trim() || null })
        }
      >
        <TextInput label="Name" readOnly={!isOpen} {...form.getInputProps('name')} />
        <TextInput label="Slug" description="Its short name" readOnly={!isOpen} {...form.getInputProps('slug')} />
        <Textarea
          label="What it is for"
          autosize
          minRows={2}
          readOnly={!isOpen}
          {...form.getInputProps('description')}
        />
        <div>
          <Text size="sm" fw={500} mb={4}>
            Workspace ID
          </Text>
          <CopyLine value={workspaceId} label="Copy the workspace id" />
        </div>
      </KeptForm>
    </Panel>
  )
}

function Rules({ rules, isOpen }: { rules: ResultOf<'workspaces.settings.get'>; isOpen: boolean }) {
  const workspaceId = useWorkspaceId()
  const act = useAct('workspaces.settings.patch', { onDone: () => done('The rules are saved.') })
  const zones = useMemo(
    () => [...new Set(['UTC', rules.timezone, ...Intl.supportedValuesOf('timeZone')])],
    [rules.timezone],
  )
  const form = useKeptForm(
    {
      timezone: rules.timezone,
      auditDays: rules.retention.auditDays as number | string,
      maxKeyAgeDays: (rules.maxKeyAgeDays ?? '') as number | string,
    },
    {},
    act.error,
  )
  return (
    <Panel title="Rules">
      <KeptForm
        form={form}
        act={act}
        label="Save"
        isLocked={!isOpen}
        onSend={({ timezone, auditDays, maxKeyAgeDays }) =>
          act.mutate({
            workspaceId,
            timezone,
            retention: { auditDays: Number(auditDays) },
            maxKeyAgeDays: maxKeyAgeDays === '' ? null : Number(maxKeyAgeDays),
          })
        }
      >
        <Select
          label="Time zone"
          searchable
          limit={50}
          data={zones}
          allowDeselect={false}
          readOnly={!isOpen}
          {...form.getInputProps('timezone')}
        />
        <WholeField
          label="Audit log is kept for (days)"
          description="30 to 3650"
          min={30}
          max={3650}
          readOnly={!isOpen}
          {...form.getInputProps('auditDays')}
        />
        <WholeField
          label="API keys end after (days)"
          description="Empty: they need not end"
          min={1}
          max={3650}
          readOnly={!isOpen}
          {...form.getInputProps('maxKeyAgeDays')}
        />
      </KeptForm>
    </Panel>
  )
}

function Ending({ workspace }: { workspace: Workspace }) {
  const [isAsking, asking] = useDisclosure(false)
  const act = useAct('workspaces.del', {
    onDone: () => {
      asking.close()
      done('The workspace is going; it can be restored for 30 days.')
    },
  })
  return (
    <Panel title="Delete the workspace" about="It can be restored for 30 days; then it is gone for good.">
      <EndButton onClick={asking.open}>Delete the workspace</EndButton>
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Delete ${workspace.name}?`}
        label="Delete the workspace"
        act={act}
        onAct={() => act.mutate({ workspaceId: workspace.id, confirm: workspace.slug })}
        typed={workspace.slug}
      >
        <Text size="sm">
          All its API keys stop at once, for everybody, and its members lose access. For 30 days the owner can restore
          it; after that everything in it is gone.
        </Text>
      </Confirm>
    </Panel>
  )
}

function Restore({ workspace }: { workspace: Workspace }) {
  const { can } = useStanding()
  const act = useAct('workspaces.restore', { onDone: () => done('The workspace is back.') })
  return (
    <Panel title={workspace.name}>
      <Stack>
        <Alert color="red" title="About to be deleted">
          {workspace.deleteAt ? `It goes on ${dateOf(workspace.deleteAt)}.` : 'It goes soon.'} Until then its owner can
          restore it.
        </Alert>
        <Failure error={act.error} />
        {can('workspaces:delete') && (
          <Group>
            <Button
              leftSection={<RotateCcw size={16} aria-hidden />}
              loading={act.isPending}
              onClick={() => act.mutate({ workspaceId: workspace.id })}
            >
              Restore it
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}
