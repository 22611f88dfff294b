// The rules over alerts: their order, how often each matched, and what one would have done in the last days.
import { Badge, Button, Group, Modal, Switch, Table, Text } from '@mantine/core'
import { ListChecks, Plus } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { countOf } from '../../format.ts'
import { useAll } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done, failed } from '../../parts/toast.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { RuleForm } from './rule_form.tsx'
import { RuleTrial } from './rule_trial.tsx'

export type Rule = ItemOf<'issues.rules.list'>
type Open = { rule: Rule | null; does: 'edit' | 'try' | 'del' } | null

export function RulesPage() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const place = placeOfArea('issues') as Place
  const [open, setOpen] = useState<Open>(null)
  const found = useAll<Rule>('issues.rules.list', { workspaceId, orderBy: 'position', order: 'asc' })
  const close = () => setOpen(null)
  const add = may('issues.rules.post') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen({ rule: null, does: 'edit' })}>
      New rule
    </Button>
  )
  return (
    <Page
      title="Rules"
      about="Applied to every alert, one after the other: which alerts are one problem, which matter, who looks at them."
      crumbs={<Crumbs place={place} list={`/w/${workspaceId}/issues`} title="Rules" />}
      actions={add}
    >
      <Panel>
        <Loaded query={found}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty
                icon={ListChecks}
                title="No rules yet"
                text="Without rules, alerts of one fingerprint become one issue, and all of them count."
                action={add}
              />
            ) : (
              <RowTable
                label="Rules"
                heads={['Order', 'Name', 'When', 'Then', 'Matched in 7 days', 'On', 'Actions']}
                minWidth={820}
                hasCards
              >
                {items.map(rule => (
                  <RuleRow key={rule.id} rule={rule} count={items.length} onOpen={does => setOpen({ rule, does })} />
                ))}
              </RowTable>
            )
          }
        </Loaded>
      </Panel>
      <Modal
        opened={open?.does === 'edit'}
        onClose={close}
        size="lg"
        title={open?.rule ? `Edit ${open.rule.name}` : 'New rule'}
      >
        {open?.does === 'edit' && <RuleForm rule={open.rule} onClose={close} />}
      </Modal>
      <Modal opened={open?.does === 'try'} onClose={close} size="lg" title={`Try ${open?.rule?.name ?? ''}`}>
        {open?.does === 'try' && open.rule && <RuleTrial input={{ ruleId: open.rule.id }} />}
      </Modal>
      {open?.does === 'del' && open.rule && <Removal rule={open.rule} onClose={close} />}
    </Page>
  )
}

function Removal({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const del = useAct('issues.rules.del', {
    onDone: () => {
      onClose()
      done(`${rule.name} is deleted.`)
    },
  })
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`Delete ${rule.name}?`}
      label="Delete"
      act={del}
      onAct={() => del.mutate({ workspaceId, id: rule.id })}
    >
      Alerts that come from now on are treated without it. Issues stay as they are.
    </Confirm>
  )
}

type RuleRowProps = { rule: Rule; count: number; onOpen: (does: 'edit' | 'try' | 'del') => void }

function RuleRow({ rule, count, onOpen }: RuleRowProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const change = useAct('issues.rules.patch')
  const mayChange = may('issues.rules.patch')
  const set = (fields: { enabled?: boolean; position?: number }) =>
    change.mutateAsync({ workspaceId, id: rule.id, ...fields }).catch(failed)
  const isOn = change.wanted?.enabled ?? rule.enabled
  return (
    <Table.Tr>
      <Table.Td data-label="Order">
        <Group gap={2} wrap="nowrap">
          {mayChange && (
            <Button.Group orientation="vertical">
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={`Move ${rule.name} up`}
                disabled={rule.position <= 1 || change.isPending}
                onClick={() => void set({ position: rule.position - 1 })}
              >
                ↑
              </Button>
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={`Move ${rule.name} down`}
                disabled={rule.position >= count || change.isPending}
                onClick={() => void set({ position: rule.position + 1 })}
              >
                ↓
              </Button>
            </Button.Group>
          )}
          <Text size="sm">{rule.position}</Text>
        </Group>
      </Table.Td>
      <Table.Td data-label="Name" fw={600} fz="sm">
        {rule.name}
      </Table.Td>
      <Table.Td data-label="When">
        <Text size="xs" ff="monospace" lineClamp={3} maw={260} style={{ overflowWrap: 'anywhere' }}>
          {rule.when}
        </Text>
      </Table.Td>
      <Table.Td data-label="Then">
        <Text size="sm">{thenOf(rule)}</Text>
      </Table.Td>
      <Table.Td data-label="Matched in 7 days">
        {rule.matched7d === 0 ? (
          <Badge color="yellow">Never</Badge>
        ) : (
          <Text size="sm">
            {countOf(rule.matched7d, 'alert')}, last <Moment at={rule.lastMatch} />
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="On">
        <Switch
          aria-label={`${rule.name} is on`}
          checked={isOn}
          disabled={!mayChange}
          onChange={event => void set({ enabled: event.currentTarget.checked })}
        />
        <Failure error={change.again ? change.error : null} onRetry={change.again} />
      </Table.Td>
      <Table.Td data-label="Actions">
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Button size="compact-sm" variant="default" onClick={() => onOpen('try')}>
            Try
          </Button>
          {mayChange && (
            <Button size="compact-sm" variant="default" onClick={() => onOpen('edit')}>
              Edit
            </Button>
          )}
          {may('issues.rules.del') && (
            <Button size="compact-sm" variant="default" onClick={() => onOpen('del')}>
              Delete
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

/** "Severity high, 2 labels". */
function thenOf({ actions }: Rule): string {
  const parts = [
    ...(actions.suppress ? ['suppress'] : []),
    ...(actions.threshold
      ? [`wait for ${countOf(actions.threshold.count, 'alert')} in ${actions.threshold.windowSeconds} s`]
      : []),
    ...(actions.fingerprint ? [`one issue per ${actions.fingerprint.join(', ')}`] : []),
    ...(actions.correlate ? ['correlate'] : []),
    ...(actions.severity ? [`severity ${actions.severity}`] : []),
    ...(actions.assigneeId ? ['assign'] : []),
    ...(actions.addLabels.length > 0 ? [countOf(actions.addLabels.length, 'label')] : []),
  ]
  const text = parts.join(', ')
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : 'Nothing'
}
