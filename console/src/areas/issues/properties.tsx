// What an issue is, beside its page: each property is changed in its place, with one key.
import { Badge, Stack, Text } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { wordsOf } from '../../format.ts'
import { LabelPicker } from '../../parts/label_picker.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName, ownerAreas } from '../../parts/people.tsx'
import { type Choice, Picker, useKeys } from '../../parts/picker.tsx'
import { useRecordChoices } from '../../parts/record_choices.ts'
import { Facts } from '../../parts/table.tsx'
import { useStanding } from '../../session.ts'
import { type Issue, lastingOf, movesFrom, severityColors, statusColors, useIssueChange, valuesOf } from './issue.ts'

type Property = 'status' | 'severity' | 'assignee' | 'labels'
const nobody = 'nobody'

export function Properties({ issue }: { issue: Issue }) {
  const { may } = useStanding()
  const change = useIssueChange()
  const [open, setOpen] = useState<Property | null>(null)
  const isLocked = !may('issues.patch') || issue.duplicateOfId !== null
  const keys = useMemo((): Readonly<Record<string, () => void>> => {
    // While one is open, letters are meant for its field.
    if (isLocked || open !== null) return {}
    return {
      s: () => setOpen('status'),
      p: () => setOpen('severity'),
      a: () => setOpen('assignee'),
      l: () => setOpen('labels'),
    }
  }, [isLocked, open])
  useKeys(keys)
  const set = (fields: object) => change.mutate({ id: issue.id, fields: { ...fields } })
  const shared = (name: Property) => ({
    isLocked,
    isOpen: open === name,
    onOpen: (isOpen: boolean) => setOpen(isOpen ? name : null),
  })
  return (
    <Panel title="Properties" padding="md">
      <Stack gap={2}>
        <Picker
          {...shared('status')}
          label="Status"
          shortcut="s"
          choices={statusChoices(issue)}
          value={issue.status}
          onPick={value => {
            const [status, dismissReason] = value.split(' ')
            set({ status, ...(dismissReason && { dismissReason }) })
          }}
        >
          <Badge color={statusColors[issue.status]}>{wordsOf(issue.status)}</Badge>
          {issue.dismissReason && <Text size="xs">{wordsOf(issue.dismissReason)}</Text>}
        </Picker>
        <Picker
          {...shared('severity')}
          label="Severity"
          shortcut="p"
          choices={valuesOf('severity').map(value => ({ value, label: wordsOf(value) }))}
          value={issue.severity}
          onPick={severity => set({ severity })}
        >
          <Badge color={severityColors[issue.severity]}>{wordsOf(issue.severity)}</Badge>
        </Picker>
        <Assignee issue={issue} shared={shared('assignee')} set={set} />
        <LabelPicker {...shared('labels')} shortcut="l" ids={issue.labels} onChange={labels => set({ labels })} />
      </Stack>
      <Times issue={issue} />
    </Panel>
  )
}

/** A dismissal says why. */
function statusChoices(issue: Issue): Choice[] {
  const legal = movesFrom(issue.status)
  const plain = legal.filter(status => status !== 'dismissed').map(value => ({ value, label: wordsOf(value) }))
  const reasons = legal.includes('dismissed')
    ? valuesOf('dismissReason').map(reason => ({
        value: `dismissed ${reason}`,
        label: `Dismissed: ${wordsOf(reason)}`,
      }))
    : []
  return [{ value: issue.status, label: wordsOf(issue.status) }, ...plain, ...reasons]
}

type ChoiceProps = {
  issue: Issue
  shared: { isLocked: boolean; isOpen: boolean; onOpen: (isOpen: boolean) => void }
  set: (fields: object) => void
}

function Assignee({ issue, shared, set }: ChoiceProps) {
  const [words, setWords] = useState('')
  const { offered } = useRecordChoices(ownerAreas, words, { first: [{ value: nobody, label: 'Nobody' }] })
  return (
    <Picker
      {...shared}
      label="Assignee"
      shortcut="a"
      choices={offered}
      onWords={setWords}
      value={issue.assigneeId ?? nobody}
      onPick={id => set({ assigneeId: id === nobody ? null : id })}
    >
      <OwnerName id={issue.assigneeId} />
    </Picker>
  )
}

type Fact = [name: string, value: ReactNode]

function Times({ issue }: { issue: Issue }) {
  const { lastSeen, timeToTriageSeconds: triage, mttrSeconds: repair, snoozedUntil, resources } = issue
  const facts: (Fact | null)[] = [
    ['Reported', <Moment key="created" at={issue.created} />],
    lastSeen === null ? null : ['Last seen', <Moment key="seen" at={lastSeen} />],
    triage === null ? null : ['Triaged after', lastingOf(triage)],
    repair === null ? null : ['Resolved after', lastingOf(repair)],
    snoozedUntil === null ? null : ['Snoozed until', <Moment key="snoozed" at={snoozedUntil} />],
    issue.fingerprint === null ? null : ['Fingerprint', issue.fingerprint],
    issue.correlationKey === null ? null : ['Correlation', issue.correlationKey],
    resources.length === 0 ? null : ['Resources', resources.join(', ')],
  ]
  return <Facts label="More about the issue" width={110} facts={facts.filter(fact => fact !== null)} />
}
