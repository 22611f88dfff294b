// An automation as its pages hold it: the records of the contract, and a draft that the builder changes.
import type { InputOf, ItemOf, ResultOf } from '../../../../src/client/catalogue.ts'
import type { Row } from '../../named.ts'

export type Automation = ResultOf<'automations.get'>
export type Trigger = Automation['triggers'][number]
export type Retry = NonNullable<Automation['retry']>
export type Execution = ItemOf<'automations.executions.list'>
export type ExecutionDetail = ResultOf<'automations.executions.get'>
export type Version = ItemOf<'automations.versions.list'>
export type Template = ResultOf<'automations.templates'>['items'][number]
export type Checked = ResultOf<'automations.check'>
export type Fault = { path: string; expected: string }

/** Tells cards apart while they are moved. A symbol goes along with each copy, and never into JSON. */
export const uid = Symbol('uid')

type Keyed = { [uid]?: string }

export type Step = Keyed & {
  id?: string
  do: string
  with?: Row
  if?: string
  retry?: Retry
  timeoutSeconds?: number
  onError?: 'stop' | 'continue'
  steps?: readonly Step[]
  else?: readonly Step[]
}

export type DraftTrigger = Trigger & Keyed

export type Draft = {
  name: string
  description: string
  triggers: readonly DraftTrigger[]
  condition: string
  steps: readonly Step[]
  grants: readonly string[]
  /** Of a sender who has one already; empty where one is made. */
  hookSecret: string
  labels: readonly string[]
} & Terms

export type Terms = Pick<Automation, 'concurrency' | 'timeoutSeconds' | 'retry' | 'missed' | 'maxPerHour'>

let made = 0
export const newUid = () => `s${made++}`

export function keyed<T extends object>(one: T): T & Keyed {
  return { ...one, [uid]: newUid() }
}

function keyedSteps(steps: readonly Step[]): Step[] {
  return steps.map(step => ({
    ...keyed(step),
    ...(step.steps && { steps: keyedSteps(step.steps) }),
    ...(step.else && { else: keyedSteps(step.else) }),
  }))
}

const usualTerms: Terms = { concurrency: 'queue', timeoutSeconds: 600, retry: null, missed: 'skip', maxPerHour: 60 }

/** What is known of an automation, or of a definition that somebody wrote as text; the rest is as usual. */
export function draftOf(from: Readonly<Row> | null): Draft {
  const told = (from ?? {}) as Partial<Automation>
  return {
    name: told.name ?? '',
    description: told.description ?? '',
    triggers: (told.triggers ?? [{ on: 'manual' as const }]).map(keyed),
    condition: told.condition ?? '',
    steps: keyedSteps((told.steps ?? []) as readonly Step[]),
    grants: told.grants ?? [],
    hookSecret: '',
    labels: told.labels ?? [],
    concurrency: told.concurrency ?? usualTerms.concurrency,
    timeoutSeconds: told.timeoutSeconds ?? usualTerms.timeoutSeconds,
    retry: told.retry ?? null,
    missed: told.missed ?? usualTerms.missed,
    maxPerHour: told.maxPerHour ?? usualTerms.maxPerHour,
  }
}

/** What decides what it does: the part that is checked, versioned and written as text. */
export function definitionOf(draft: Draft): Row {
  const { triggers, condition, steps, grants, concurrency, timeoutSeconds, retry, missed, maxPerHour } = draft
  const terms = { concurrency, timeoutSeconds, retry, missed, maxPerHour }
  return { triggers, condition: condition.trim() === '' ? null : condition, steps, grants, ...terms }
}

export function textOf(draft: Draft): string {
  const { name, description } = draft
  return JSON.stringify({ name, description: description || null, ...definitionOf(draft) }, null, 2)
}

const words = Object.keys(JSON.parse(textOf(draftOf(null))) as Row)

/** The draft that a text says, or what is wrong with the text. */
export function draftIn(text: string, before: Draft): Draft | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : 'it ends too soon'}`
  }
  if (!isObject(value)) return 'Write one object, with triggers and steps.'
  const unknown = Object.keys(value).find(name => !words.includes(name))
  if (unknown !== undefined) return `Nobody knows "${unknown}" here. There are: ${words.join(', ')}.`
  for (const name of ['triggers', 'steps'] as const) {
    const list = value[name]
    if (!Array.isArray(list) || !list.every(isObject)) return `"${name}" is a list of objects.`
  }
  if (!(value.steps as readonly unknown[]).every(isStep)) return 'Each step says what to "do", and holds only steps.'
  return { ...draftOf(value), labels: before.labels, hookSecret: before.hookSecret }
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As much as drawing it needs; all else is for the check to say. */
function isStep(value: unknown): boolean {
  if (!isObject(value) || typeof value.do !== 'string' || (value.with !== undefined && !isObject(value.with))) {
    return false
  }
  return [value.steps, value.else].every(inner => inner === undefined || (Array.isArray(inner) && inner.every(isStep)))
}

type Saved = Omit<InputOf<'automations.post'>, 'workspaceId'>

/** What the service takes. */
export function savedFields(draft: Draft): Saved {
  const { name, description, labels, hookSecret } = draft
  const beside = {
    name: name.trim(),
    description: description.trim() || null,
    labels: [...labels],
    ...(hookSecret && { hookSecret }),
  }
  return { ...definitionOf(draft), ...beside } as unknown as Saved
}

/** Of an answer: what is whole this once. Later the token in the address is left out. */
export function shownOnce(answer: { hookUrl: string | null; hookSecret: string | null }): [string, string][] {
  const { hookUrl, hookSecret } = answer
  return [
    ...(hookUrl && /ahk_[\w-]{20,}$/.test(hookUrl) ? [['webhookAddress', hookUrl] as [string, string]] : []),
    ...(hookSecret && !hookSecret.includes('…') ? [['signingSecret', hookSecret] as [string, string]] : []),
  ]
}

/** It can be done again; what was skipped cannot. */
export function isOver({ status }: { status: string }): boolean {
  return !active.has(status) && status !== 'skipped'
}

const active = new Set(['pending', 'delayed', 'running', 'waiting'])

/** It goes on by itself. */
export function isActive({ status }: { status: string }): boolean {
  return active.has(status)
}
