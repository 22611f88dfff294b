// The one form: drawn from what an operation takes, keeps what was typed, puts remarks beside the fields.
import { Stack } from '@mantine/core'
import { type ComponentType, type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type Act, fieldIssues, RequestError } from '../api.ts'
import { type Field, fieldsOf } from '../areas/schema.ts'
import { wordsOf } from '../format.ts'
import { type Row, useNamedAct } from '../named.ts'
import { Panel } from '../parts/page.tsx'
import { type Draft, type FieldHint, type FormField, fromDraft, remarkOn, toDraft } from './field.ts'
import { FieldInput } from './field_input.tsx'
import { Sending, type SendingProps } from './sending.tsx'

export type FormProps = Omit<SendingProps, 'act' | 'isReady'> & {
  /** The operation that is called. */
  id: string
  /** Sent along and not shown: what the address says already. */
  fixed?: Row
  /** What there is: then only changes are sent, and only once there are some. */
  record?: Row
  /** Which fields, in order; all of the operation's where nothing is said. */
  fields?: readonly (string | FieldHint)[] | undefined
  onDone?: (result: Row, input: Row) => void
  touches?: readonly string[] | undefined
  /** What is sent instead of the fields as they stand. */
  toInput?: (input: Row) => Row
  /** Asked before it is sent; false keeps it back. */
  beforeSend?: (input: Row, send: () => void) => boolean
  /** Between the fields and the button. */
  children?: ReactNode | ((draft: Draft) => ReactNode)
  /** Without button: for those who may only look. */
  isLocked?: boolean
  /** Asks before what was typed is left behind: on pages, where dialogs have no address to leave. */
  guard?: ComponentType<{ isOn: () => boolean }>
}

export function Form(props: FormProps) {
  const {
    id,
    fixed = {},
    record,
    onDone,
    touches,
    toInput,
    beforeSend,
    children,
    isLocked = false,
    guard: Guard,
  } = props
  const fields = useMemo(() => formFields(id, props.fields, isLocked), [id, props.fields, isLocked])
  const act = useNamedAct(id, {
    ...(touches && { touches }),
    onDone: (result, input) => {
      kept.markSent()
      onDone?.(result, input)
    },
  })
  const kept = useDraft(fields, record)
  const { draft, set, remarks, setRemarks, isChanged } = kept
  const shown = fields.filter(({ isShown }) => isShown?.(draft) ?? true)
  const place = useRef<HTMLFormElement>(null)
  useRemarks(act.error, fields, setRemarks)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = remarksOn(shown, draft)
    setRemarks(found)
    if (Object.keys(found).length > 0) return focusFirst(place.current)
    const filled = inputOf(shown, draft, record ? kept.start : null)
    const input = { ...fixed, ...(toInput ? toInput(filled) : filled) }
    if (beforeSend?.(input, () => act.send(input)) ?? true) act.send(input)
  }
  const { label, cancel, color, isWide } = props
  return (
    <form noValidate onSubmit={submit} ref={place}>
      <Stack>
        <Groups fields={shown} kept={kept} remarks={remarks} onSet={set} />
        {typeof children === 'function' ? children(draft) : children}
        {!isLocked && (
          <Sending
            act={spoken(act, fields)}
            label={label}
            isReady={!record || isChanged}
            {...(cancel !== undefined && { cancel })}
            {...(color && { color })}
            {...(isWide && { isWide })}
          />
        )}
      </Stack>
      {Guard && !isLocked && <Guard isOn={kept.isUnsent} />}
    </form>
  )
}

type Kept = ReturnType<typeof useDraft>

/** What is typed; what the service says anew of a field that nobody changed is taken over. */
function useDraft(fields: readonly FormField[], record: Row | undefined) {
  const told = Object.fromEntries(fields.map(field => [field.name, toDraft(field, record?.[field.name])]))
  const [start, setStart] = useState<Draft>(told)
  const [draft, setDraft] = useState<Draft>(told)
  const [remarks, setRemarks] = useState<Record<string, string>>({})
  const sent = useRef(false)
  const isChanged = fields.some(({ name }) => !isSame(draft[name], start[name]))
  const toldText = JSON.stringify(told)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the service says anew is of interest
  useEffect(() => {
    if (isSame(told, start)) return
    setDraft(before => ({
      ...before,
      ...Object.fromEntries(Object.entries(told).filter(([name]) => isSame(before[name], start[name]))),
    }))
    setStart(told)
  }, [toldText])
  return {
    draft,
    start,
    remarks,
    setRemarks,
    isChanged,
    isUnsent: () => isChanged && !sent.current,
    markSent: () => {
      sent.current = true
      if (record) setStart(draft)
    },
    set: (name: string, value: unknown) => {
      sent.current = false
      setDraft(before => ({ ...before, [name]: value }))
      setRemarks(({ [name]: _, ...rest }) => rest)
    },
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** What the service says of single fields stands beside them. */
function useRemarks(
  error: unknown,
  fields: readonly FormField[],
  setRemarks: (remarks: Record<string, string>) => void,
) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new answer brings new remarks
  useEffect(() => {
    const known = fieldIssues(error).flatMap(({ path, expected }) => {
      const field = fieldAt(fields, path)
      return field ? [[field.name, `Expected ${expected}`] as const] : []
    })
    if (known.length > 0) setRemarks(Object.fromEntries(known))
  }, [error])
}

/** The field that holds what a path leads to: `to` for `to.0`, and `config.url` where a form takes an object apart. */
function fieldAt(fields: readonly FormField[], path: string): FormField | undefined {
  return fields.find(({ name }) => path === name || path.startsWith(`${name}.`))
}

/** The service names a field by its key; a person knows it by its label. */
function spoken(act: Act, fields: readonly FormField[]): Act {
  const { error } = act
  if (!(error instanceof RequestError) || error.constructor !== RequestError) return act
  const message = error.message.replace(
    /"([A-Za-z][\w.]*)"/g,
    (_, path: string) => fieldAt(fields, path)?.label ?? wordsOf(path),
  )
  if (message === error.message) return act
  const told = { message: error.title, detail: message, ...(error.metadata && { metadata: error.metadata }) }
  return { ...act, error: new RequestError(error.status, told) }
}

function focusFirst(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}

function formFields(id: string, wanted: FormProps['fields'], isLocked: boolean): FormField[] {
  const known = fieldsOf(id)
  const hints = wanted?.map(hint => (typeof hint === 'string' ? { name: hint } : hint)) ?? known
  const fields = hints.flatMap((hint: FieldHint | Field) => {
    const own = known.find(({ name }) => name === hint.name)
    if (!own && !hint.schema) return []
    const group = own?.schema['x-group']
    const blank = { name: hint.name, label: wordsOf(hint.name), schema: {}, isNeeded: false, isNullable: false }
    return [{ ...blank, ...(group && { group }), ...own, ...hint, ...(isLocked && { isReadOnly: true }) } as FormField]
  })
  const isMarked = fields.some(({ isNeeded }) => !isNeeded)
  return fields.map(field => ({ ...field, isMarked }))
}

type GroupsProps = { fields: readonly FormField[]; kept: Kept; remarks: Record<string, string>; onSet: Kept['set'] }

/** Fields that name a group stand in a panel of that name. */
function Groups({ fields, kept, remarks, onSet }: GroupsProps) {
  const names = [...new Set(fields.map(({ group }) => group))]
  const inputs = (group: string | undefined) =>
    fields
      .filter(field => field.group === group)
      .map(field => (
        <FieldInput
          key={field.name}
          field={field}
          value={kept.draft[field.name]}
          draft={kept.draft}
          error={remarks[field.name]}
          onChange={value => onSet(field.name, value)}
        />
      ))
  if (names.every(name => name === undefined)) return inputs(undefined)
  return names.map(name => (
    <Panel key={name ?? ''} {...(name && { title: name })}>
      <Stack>{inputs(name)}</Stack>
    </Panel>
  ))
}

function remarksOn(fields: readonly FormField[], draft: Draft): Record<string, string> {
  const found = fields.map(field => [field.name, remarkOn(field, draft[field.name], draft)] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** An edit sends only what was changed; a new record all that was filled in. */
function inputOf(fields: readonly FormField[], draft: Draft, start: Draft | null): Row {
  const changed = fields.filter(({ name }) => start === null || !isSame(draft[name], start[name]))
  const values = changed.map(field => [field.name, fromDraft(field, draft[field.name])] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && !(start === null && value === null)))
}
