// The builder: what starts it, what it does and what it may use, as a form or as text, checked while one writes.
import { Alert, Button, Group, List, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { UnsentGuard } from '../../form/guard.tsx'
import { PasswordField } from '../../form/password.tsx'
import { countOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LabelField } from '../../parts/labels.tsx'
import { Panel } from '../../parts/page.tsx'
import { type Draft, definitionOf, draftIn, draftOf, type Fault, textOf } from './automation.ts'
import { type Checking, faultWords, useCheck, useFault, useWriting, WritingContext } from './check.ts'
import { idsIn } from './deeds.ts'
import { Grants } from './grants.tsx'
import { StepList } from './step_list.tsx'
import { TemplateInput } from './template_input.tsx'
import { Terms } from './terms.tsx'
import { TriggerEditor } from './trigger_editor.tsx'
import { placeWords } from './words.ts'

type BuilderProps = {
  start: Readonly<Record<string, unknown>> | null
  label: string
  isBusy: boolean
  /** What the last save was answered with. */
  error: unknown
  again?: (() => void) | undefined
  cancel?: ReactNode
  onSave: (draft: Draft) => void
}

export function Builder({ start, label, isBusy, error, again, cancel, onSave }: BuilderProps) {
  const [draft, setDraft] = useState(() => draftOf(start))
  const [text, setText] = useState<string | null>(null)
  const [isTouched, setIsTouched] = useState(false)
  const [isTried, setIsTried] = useState(false)
  const [sent, setSent] = useState('')
  const read = text === null ? draft : draftIn(text, draft)
  const remark = typeof read === 'string' ? read : null
  const checking = useCheck(draft, { error, of: sent })
  const set = (fields: Partial<Draft>) => {
    setIsTouched(true)
    setDraft(before => ({ ...before, ...fields }))
  }
  const write = (next: string) => {
    setIsTouched(true)
    setText(next)
    const told = draftIn(next, draft)
    if (typeof told !== 'string') setDraft(told)
  }
  const faults = [...nameFaults(draft), ...checking.faults]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (remark || nameFaults(draft).length > 0 || (checking.isCurrent && checking.faults.length > 0)) {
      return focusFirst(event.currentTarget as HTMLFormElement)
    }
    setSent(JSON.stringify(definitionOf(draft)))
    onSave(draft)
  }
  const writing = { ...checking, faults, isTried, taken: idsIn(draft.steps) }
  return (
    <form onSubmit={submit} noValidate>
      <UnsentGuard isOn={() => isTouched && !isBusy} isOfTab />
      <WritingContext value={writing}>
        <Stack>
          <SegmentedControl
            size="xs"
            aria-label="How it is edited"
            style={{ alignSelf: 'flex-start' }}
            value={text === null ? 'form' : 'text'}
            onChange={way => setText(way === 'text' ? textOf(draft) : null)}
            data={[
              { value: 'form', label: 'Form', disabled: remark !== null },
              { value: 'text', label: 'JSON' },
            ]}
          />
          {text === null ? (
            <Parts draft={draft} set={set} needs={checking.needs} />
          ) : (
            <WholeText text={text} remark={remark} onChange={write} />
          )}
          <Findings checking={checking} faults={faults} isTried={isTried} isText={text !== null} />
          <Failure error={error} onRetry={again} />
          <Group justify="flex-end" gap="xs">
            {cancel}
            <Button type="submit" loading={isBusy}>
              {label}
            </Button>
          </Group>
        </Stack>
      </WritingContext>
    </form>
  )
}

function nameFaults({ name }: Draft): Fault[] {
  return name.trim().length < 4 ? [{ path: 'name', expected: 'a name of at least 4 characters' }] : []
}

function focusFirst(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}

type PartsProps = { draft: Draft; set: (fields: Partial<Draft>) => void; needs: readonly string[] }

function Parts({ draft, set, needs }: PartsProps) {
  const [isOpen, setIsOpen] = useState(false)
  const secretFault = useFault('hookSecret', draft.hookSecret === '')
  return (
    <>
      <Panel title="About">
        <Stack gap="sm">
          <TextInput
            label="Name"
            withAsterisk
            maxLength={256}
            value={draft.name}
            error={useFault('name', draft.name === '')}
            onChange={event => set({ name: event.currentTarget.value })}
          />
          <Textarea
            label="Description"
            autosize
            minRows={1}
            maxLength={1_000}
            value={draft.description}
            onChange={event => set({ description: event.currentTarget.value })}
          />
          <LabelField label="Labels" value={[...draft.labels]} onChange={labels => set({ labels })} />
        </Stack>
      </Panel>
      <Panel title="When" about="Any of its triggers starts it.">
        <Stack gap="sm">
          <TriggerEditor triggers={draft.triggers} onChange={triggers => set({ triggers })} />
          {draft.triggers.some(({ on, signed }) => on === 'webhook' && signed === true) && (
            <PasswordField
              label="Secret of the sender"
              description="Only where the sender has one already. Otherwise one is made, and shown when it is saved."
              autoComplete="off"
              visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
              value={draft.hookSecret}
              error={secretFault}
              onChange={event => set({ hookSecret: event.currentTarget.value.trim() })}
            />
          )}
          <TemplateInput
            label="Condition"
            named="the condition"
            step={null}
            kind="cel"
            description="An expression (CEL) over the trigger, whatever started it. Where it is false, nothing happens."
            value={draft.condition}
            error={useFault('condition', draft.condition === '')}
            onChange={condition => set({ condition })}
          />
        </Stack>
      </Panel>
      <Panel
        title="Then"
        about="Steps, one after the other. Type {{ in a field for values of the trigger and of earlier steps."
      >
        <NoSteps isEmpty={draft.steps.length === 0} />
        <StepList place="steps" depth={0} steps={draft.steps} onChange={steps => set({ steps })} />
      </Panel>
      <Panel
        title="May use"
        about="It acts for you, with these scopes, and never with more than you hold at that moment."
      >
        <Grants grants={draft.grants} needs={needs} onChange={grants => set({ grants })} />
      </Panel>
      <Panel
        title="How it runs"
        aside={
          <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Change'}
          </Button>
        }
      >
        {isOpen ? (
          <Terms draft={draft} set={set} />
        ) : (
          <Text size="sm" c="dimmed">
            {draft.concurrency === 'parallel' ? 'Side by side' : 'One at a time'}, at most {draft.maxPerHour} an hour,{' '}
            {draft.timeoutSeconds} seconds of work each.
          </Text>
        )}
      </Panel>
    </>
  )
}

function NoSteps({ isEmpty }: { isEmpty: boolean }) {
  const { isTried } = useWriting()
  if (!isEmpty) return null
  return (
    <Text size="sm" mb="sm" c={isTried ? 'var(--mantine-color-error)' : 'dimmed'}>
      It does nothing yet. Add a first step.
    </Text>
  )
}

type WholeTextProps = { text: string; remark: string | null; onChange: (text: string) => void }

function WholeText({ text, remark, onChange }: WholeTextProps) {
  return (
    <Panel
      title="Definition"
      about="The same as JSON. What you change here shows in the form, and the other way round."
    >
      <Textarea
        aria-label="Definition"
        autosize
        minRows={16}
        maxRows={40}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        error={remark}
        onChange={event => onChange(event.currentTarget.value)}
      />
    </Panel>
  )
}

type FindingsProps = { checking: Checking; faults: readonly Fault[]; isTried: boolean; isText: boolean }

/** All of them where somebody wants to save, or where no field can show them. */
function Findings({ checking, faults, isTried, isText }: FindingsProps) {
  if (checking.error) return <Failure error={checking.error} onRetry={checking.again} />
  if (faults.length === 0) {
    if (!checking.isCurrent) return null
    return (
      <Alert color="green" icon={<CircleCheck size={18} aria-hidden />} role="status">
        The definition is sound.
      </Alert>
    )
  }
  if (!isTried && !isText) return null
  return (
    <Alert
      color="red"
      role="status"
      icon={<CircleAlert size={18} aria-hidden />}
      title={`${countOf(faults.length, 'thing')} to put right`}
    >
      <List size="sm">
        {faults.map(fault => (
          <List.Item key={`${fault.path} ${fault.expected}`}>
            {faultWords(fault, whereWords(fault.path, isText))}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** "Step 2.1, with.title" for `steps.1.steps.0.with.title`; in the text the path is the better word. */
function whereWords(path: string, isText: boolean): string {
  const [, place, rest] = /^steps\.((?:\d+(?:\.(?:steps|else)\.)?)+)\.?(.*)$/.exec(path) ?? []
  if (isText || place === undefined) return path
  return `Step ${placeWords(place)}${rest ? `, ${rest}` : ''}`
}
