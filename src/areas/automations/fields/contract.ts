// What an automation is made of: its triggers and its steps.
import { type Static, type TSchema, Type } from 'typebox'
import { id } from '../../../contract/ids.ts'
import { choice, nullable, object, shown } from '../../../contract/records.ts'
import { scopes } from '../../../contract/scopes.ts'

export const AutomationId = id('aut', 24)
export const ExecutionId = id('exe', 24)

const optional = Type.Optional

const expression = (description: string, example: string) =>
  shown(Type.String({ minLength: 1, maxLength: 2_000, description, examples: [example] }), { format: 'cel' })

export const cron = shown(
  Type.String({
    minLength: 9,
    maxLength: 100,
    description: 'Minute, hour, day, month, day of the week.',
    examples: ['0 9 * * 1-5'],
  }),
  { format: 'cron' },
)

export const timezone = Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] })

export const triggerKinds = ['schedule', 'event', 'issue.matched', 'webhook', 'manual'] as const

export const Trigger = object({
  on: choice(triggerKinds, {
    description:
      'schedule: at times; event: when the ledger grows by it; issue.matched: when an issue is opened or changed that ' +
      '`where` fits; webhook: when something is sent to hookUrl; manual: when somebody starts it.',
  }),
  cron: optional({ ...cron, description: 'Of a schedule: minute, hour, day, month, day of the week.' }),
  timezone: optional({ ...timezone, description: 'Of a schedule; UTC where nothing is said.' }),
  jitterSeconds: optional(
    shown(
      Type.Integer({
        minimum: 0,
        maximum: 3_600,
        description: 'Of a schedule: it starts up to so much later, each time otherwise.',
      }),
      { format: 'duration' },
    ),
  ),
  event: optional(
    Type.String({
      maxLength: 128,
      pattern: '^(\\*|[a-z_]+(\\.[a-zA-Z_]+)*(\\.\\*)?)$',
      'x-hint': 'the id of an operation or event such as issues.post, or issues.*, or *',
      description: 'Of an event: the id of an operation or event, or all that begin so (`issues.*`).',
      examples: ['issues.post'],
    }),
  ),
  where: optional(
    expression(
      'Of an event or issue: CEL over `trigger`; it starts where this is true.',
      'trigger.record.severity == "critical"',
    ),
  ),
  signed: optional(
    Type.Boolean({
      description: 'Of a webhook: only what is signed with hookSecret is taken (Standard Webhooks, or HMAC-SHA256).',
    }),
  ),
  form: optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Of manual: a JSON Schema of what whoever starts it fills in, an object with `properties`.',
      examples: [{ type: 'object', properties: { service: { type: 'string' } }, required: ['service'] }],
    }),
  ),
})

export type Trigger = Static<typeof Trigger>

const Retry = object({
  max: Type.Integer({ minimum: 0, maximum: 5, examples: [3] }),
  backoffSeconds: shown(
    Type.Integer({ minimum: 1, maximum: 3_600, examples: [10], description: 'Doubled after each try.' }),
    { format: 'duration' },
  ),
})

export const stepId = Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,31}$', examples: ['note'] })

const plainStep = {
  id: optional({ ...stepId, description: 'What later steps call it: `steps.<id>.output`.' }),
  do: Type.String({
    minLength: 2,
    maxLength: 64,
    pattern: '^[a-zA-Z_]+(\\.[a-zA-Z_]+)*$',
    description: 'The id of an operation, or one of the words that `automations.schema` lists.',
    examples: ['issues.post'],
  }),
  with: optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What it is given. `{{ trigger.record.title }}` is filled in; the workspace is.',
      examples: [{ title: '{{ trigger.record.title }}' }],
    }),
  ),
  if: optional(
    expression('CEL; the step is left out where it is false. Of a branch: which way.', 'trigger.record.priority > 2'),
  ),
  retry: optional(Retry),
  timeoutSeconds: optional(shown(Type.Integer({ minimum: 1, maximum: 3_600 }), { format: 'duration' })),
  onError: optional(choice(['stop', 'continue'], { description: 'stop where nothing is said.' })),
}

const around = <S extends TSchema>(inner: S) => ({
  steps: optional(
    Type.Array(inner, {
      minItems: 1,
      maxItems: 20,
      description: 'Of a branch or forEach.',
      examples: [[{ do: 'wait', with: { seconds: 60 } }]],
    }),
  ),
  else: optional(
    Type.Array(inner, {
      minItems: 1,
      maxItems: 20,
      description: 'Of a branch: where `if` is false. Of approve: where it is denied, or nobody decides in time.',
      examples: [[{ do: 'wait', with: { seconds: 60 } }]],
    }),
  ),
})

const InnermostStep = object(plainStep)
const InnerStep = object({ ...plainStep, ...around(InnermostStep) })
export const Step = object({ ...plainStep, ...around(InnerStep) })

/** As it is walked over: each level may hold further ones, as deep as the schema lets it. */
export type Step = Omit<Static<typeof InnermostStep>, never> & { steps?: readonly Step[]; else?: readonly Step[] }

export const concurrencies = ['skip', 'queue', 'parallel'] as const

export const definitionFields = {
  triggers: Type.Array(Trigger, { minItems: 1, maxItems: 10, examples: [[{ on: 'event', event: 'issues.post' }]] }),
  condition: nullable(
    expression(
      'CEL over `trigger`, whatever started it; where it is false, nothing happens.',
      'trigger.record.status != "closed"',
    ),
  ),
  steps: Type.Array(Step, {
    minItems: 1,
    maxItems: 20,
    examples: [[{ id: 'pause', do: 'wait', with: { seconds: 60 } }]],
  }),
  grants: Type.Array(choice(scopes), {
    maxItems: scopes.length,
    description: 'The scopes that its steps may use: at most those of whoever saves it, now and at each step.',
    examples: [['issues:write']],
  }),
  concurrency: choice(concurrencies, {
    description: 'While one is at work: skip the next, queue it (up to 100), or run up to ten in parallel.',
  }),
  timeoutSeconds: shown(
    Type.Integer({ minimum: 10, maximum: 3_600, description: 'Of work; what it waits is not counted.' }),
    { format: 'duration' },
  ),
  retry: nullable({ ...Retry, description: 'Of steps that say nothing themselves.' }),
  missed: choice(['skip', 'run_once'], { description: 'Of schedules: what came due while nothing ran.' }),
  maxPerHour: Type.Integer({ minimum: 1, maximum: 100_000, description: 'What is more is skipped: rate.' }),
}

export const Definition = object(definitionFields)
export type Definition = Omit<Static<typeof Definition>, 'steps'> & { steps: readonly Step[] }
