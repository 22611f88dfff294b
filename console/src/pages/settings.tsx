// The workspace itself: its name, its rules, and its end.
import '../form/rich_input.tsx'
import 'virtual:contract/workspaces'
import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core'
import { RotateCcw } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import { call, useAct, useCall } from '../api.ts'
import type { FieldHint, FieldProps } from '../form/field.ts'
import { Form } from '../form/form.tsx'
import { UnsentGuard } from '../form/guard.tsx'
import { countOf, dateOf } from '../format.ts'
import type { Row } from '../named.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyLine } from '../parts/copy.tsx'
import { Failure } from '../parts/failure.tsx'
import { Loaded, Page, Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useStanding, useWorkspaceId, type Workspace } from '../session.ts'
import { AgentSettings } from './agent_settings.tsx'
import { AutofixSettings } from './autofix_settings.tsx'
import { DangerZone } from './danger_zone.tsx'
import { EmbeddingsSettings } from './embeddings_settings.tsx'
import { Leaving } from './leaving.tsx'

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
            <>
              <Restore workspace={found} />
              <Leaving workspace={found} />
            </>
          ) : (
            <>
              <General workspace={found} isOpen={can('workspaces:write')} />
              <Loaded query={settings}>
                {rules => (
                  <>
                    <Rules rules={rules} isOpen={can('workspaces:write')} />
                    <AgentSettings rules={rules} isOpen={can('workspaces:write')} />
                    <AutofixSettings rules={rules} isOpen={can('workspaces:write')} />
                    <EmbeddingsSettings rules={rules} isOpen={can('workspaces:write')} />
                  </>
                )}
              </Loaded>
              <Leaving workspace={found} />
              {can('workspaces:delete') && <DangerZone workspace={found} />}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const general = ['name', 'slug', 'description']

function General({ workspace, isOpen }: { workspace: Workspace; isOpen: boolean }) {
  const { id: workspaceId } = workspace
  return (
    <Panel title="General">
      <Form
        guard={UnsentGuard}
        id="workspaces.patch"
        fixed={{ workspaceId }}
        record={workspace}
        fields={general}
        label="Save"
        isLocked={!isOpen}
        onDone={() => done('The workspace is saved.')}
      >
        <div>
          <Text size="sm" fw={500} mb={4}>
            Workspace ID
          </Text>
          <CopyLine value={workspaceId} label="Copy the workspace id" />
        </div>
      </Form>
    </Panel>
  )
}

type Settings = ResultOf<'workspaces.settings.get'>

/** The retention stands one level deeper in what is sent. */
function flat({ retention, ...rest }: Settings): Row {
  return { ...rest, ...retention }
}

function Zone({ field, value, onChange, error }: FieldProps) {
  const zones = useMemo(
    () => [...new Set(['UTC', String(value), ...Intl.supportedValuesOf('timeZone')])].filter(Boolean),
    [value],
  )
  return (
    <Select
      label={field.label}
      searchable
      limit={50}
      data={zones}
      allowDeselect={false}
      readOnly={field.isReadOnly === true}
      error={error}
      value={String(value)}
      onChange={zone => zone && onChange(zone)}
    />
  )
}

const rulesFields: FieldHint[] = [
  { name: 'timezone', label: 'Time zone', input: Zone },
  {
    name: 'auditDays',
    label: 'Keep the audit log for (days)',
    about: '30 to 3650',
    isNeeded: true,
    schema: { type: 'integer', minimum: 30, maximum: 3650 },
  },
  { name: 'maxKeyAgeDays', label: 'API keys expire after (days)', about: 'Empty: they need not expire.' },
]

type Asked = { count: number | null; send: () => void }

function Rules({ rules, isOpen }: { rules: Settings; isOpen: boolean }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [asked, setAsked] = useState<Asked | null>(null)
  /** A shorter time deletes entries: how many is said before it is sent. */
  const ask = (input: Row, send: () => void) => {
    const { retention } = input as Partial<Settings>
    if (!retention || retention.auditDays >= rules.retention.auditDays) return true
    setAsked({ count: null, send })
    const to = new Date(Date.now() - retention.auditDays * 86_400_000).toISOString()
    if (may('audit_logs.list')) {
      void call('audit_logs.list', { workspaceId, to, perPage: 1 }).then(
        ({ count }) => setAsked({ count, send }),
        () => {},
      )
    }
    return false
  }
  return (
    <Panel title="Rules">
      <Form
        guard={UnsentGuard}
        id="workspaces.settings.patch"
        fixed={{ workspaceId }}
        record={flat(rules)}
        fields={rulesFields}
        label="Save"
        isLocked={!isOpen}
        toInput={({ auditDays, ...rest }) => ({
          ...rest,
          ...(auditDays !== undefined && { retention: { auditDays } }),
        })}
        beforeSend={ask}
        onDone={() => done('The rules are saved.')}
      />
      <Confirm
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title="Keep the audit log for a shorter time?"
        label="Delete older entries"
        act={{ isPending: false, error: null }}
        onAct={() => {
          asked?.send()
          setAsked(null)
        }}
      >
        <Text size="sm">
          {asked?.count === null || asked === null
            ? 'Entries that are older are deleted'
            : `${countOf(asked.count, 'entry', 'entries')} ${asked.count === 1 ? 'is' : 'are'} older and will be deleted`}
          , at the next daily run. This cannot be taken back; export them first if they are needed.
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
