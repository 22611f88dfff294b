// A rule as it is written: its condition, what it does, and the same tried on past alerts before it is saved.
import { Button, Group, NumberInput, Select, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { InputOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LabelField } from '../../parts/labels.tsx'
import { OwnerField } from '../../parts/people.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaceId } from '../../session.ts'
import { valuesOf } from './issue.ts'
import { RuleTrial } from './rule_trial.tsx'
import type { Rule } from './rules.tsx'

type Given = InputOf<'issues.rules.post'>
type Actions = Given['actions']

export function RuleForm({ rule, onClose }: { rule: Rule | null; onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState(rule?.name ?? '')
  const [when, setWhen] = useState(rule?.when ?? '')
  const [actions, setActions] = useState<Actions>(rule?.actions ?? {})
  const [tried, setTried] = useState<{ rule: { when: string; actions: Actions } } | null>(null)
  const finish = () => {
    onClose()
    done('The rule is saved.')
  }
  const post = useAct('issues.rules.post', { onDone: finish })
  const patch = useAct('issues.rules.patch', { onDone: finish })
  const act = rule ? patch : post
  const set = (fields: Partial<Actions>) => setActions(before => ({ ...before, ...fields }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (rule) patch.mutate({ workspaceId, id: rule.id, name: name.trim(), when, actions })
    else post.mutate({ workspaceId, name: name.trim(), when, actions })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          withAsterisk
          data-autofocus
          value={name}
          onChange={e => setName(e.currentTarget.value)}
        />
        <Textarea
          label="When"
          withAsterisk
          description="An expression (CEL) over the alert, such as alert.severity == 'high' && alert.fields.service == 'checkout'"
          autosize
          minRows={2}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={when}
          onChange={event => setWhen(event.currentTarget.value)}
        />
        <ActionFields actions={actions} set={set} />
        <Failure error={act.error} onRetry={act.again} />
        <Group justify="space-between">
          <Button variant="default" disabled={when.trim() === ''} onClick={() => setTried({ rule: { when, actions } })}>
            Try on the last 7 days
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={act.isPending} disabled={name.trim().length < 2 || when.trim() === ''}>
              Save
            </Button>
          </Group>
        </Group>
        {tried && <RuleTrial input={tried} />}
      </Stack>
    </form>
  )
}

type ActionFieldsProps = { actions: Actions; set: (fields: Partial<Actions>) => void }

function ActionFields({ actions, set }: ActionFieldsProps) {
  const { threshold } = actions
  return (
    <>
      <Switch
        label="Suppress: such alerts do nothing"
        checked={actions.suppress === true}
        onChange={event => set({ suppress: event.currentTarget.checked })}
      />
      <Group grow align="flex-start">
        <Select
          label="Set the severity to"
          clearable
          clearButtonProps={{ 'aria-label': 'Leave the severity' }}
          data={valuesOf('severity').map(value => ({ value, label: wordsOf(value) }))}
          value={actions.severity ?? null}
          onChange={value => set({ severity: value as NonNullable<Actions['severity']> | null })}
        />
        <OwnerField
          label="Assign to"
          value={actions.assigneeId ?? ''}
          onChange={id => set({ assigneeId: id === '' ? null : id })}
        />
      </Group>
      <LabelField label="Add labels" value={actions.addLabels ?? []} onChange={addLabels => set({ addLabels })} />
      <TagsInput
        label="One issue for each of"
        description="Fields of the alert that together make its fingerprint, such as fields.service"
        value={[...(actions.fingerprint ?? [])]}
        onChange={fields => set({ fingerprint: fields.length > 0 ? fields : null })}
        acceptValueOnBlur
      />
      <TextInput
        label="Correlate by"
        description="An expression that gives a text: issues with the same belong together, unmerged"
        value={actions.correlate ?? ''}
        onChange={event => set({ correlate: event.currentTarget.value || null })}
      />
      <Group grow align="flex-start">
        <NumberInput
          label="Only from so many alerts"
          hideControls
          min={2}
          value={threshold?.count ?? ''}
          onChange={count =>
            set({
              threshold: count === '' ? null : { count: Number(count), windowSeconds: threshold?.windowSeconds ?? 300 },
            })
          }
        />
        <NumberInput
          label="Within (seconds)"
          hideControls
          min={1}
          disabled={!threshold}
          value={threshold?.windowSeconds ?? ''}
          onChange={seconds =>
            threshold && set({ threshold: { count: threshold.count, windowSeconds: Number(seconds) || 1 } })
          }
        />
      </Group>
    </>
  )
}
