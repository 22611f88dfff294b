// What an automation would do: which trigger fits, what each step would be given, and whether it would be let in.
import { conflict, notFound } from '../../contract/errors.ts'
import { permit } from '../../contract/permissions.ts'
import { modeFor, refusedByPolicy, type ToolPolicies } from '../../contract/tool_policy.ts'
import { effectOf, toolNameOf } from '../../contract/tools.ts'
import type { BeforeContext, Caller, Context } from '../../kit/context.ts'
import { policiesOf } from '../agent_tools/store.ts'
import { shownAfter } from '../audit_logs/store.ts'
import { maySee, type Viewer, viewerOf as viewerOfCaller } from '../events/visibility.ts'
import { type Deed, deedOf } from './definition/shorthands.ts'
import type { Step } from './fields/contract.ts'
import { isTrue, rendered } from './running/values.ts'
import type * as store from './store.ts'
import { readingOf, triggerOf, viewerOf } from './triggering/events.ts'

type Rehearsing = Pick<Context & BeforeContext, 'db' | 'now' | 'call'> & {
  caller: Caller
  access: NonNullable<Context['access']>
}

type Given = { eventSeq?: number; input?: Record<string, unknown>; payload?: unknown }

type Shown = {
  path: string
  id: string | null
  do: string
  operation: string | null
  input: unknown
  runs: 'yes' | 'no' | 'unknown'
  refusal: string | null
}

export async function rehearsed(ctx: Rehearsing, automation: store.Shown, given: Given) {
  const trigger = await triggerFrom(ctx, automation, given)
  if (!trigger.data) return { starts: false, why: trigger.why, steps: [] }
  const values = {
    ...{ trigger: trigger.data, automation: { id: automation.id, name: automation.name } },
    ...{ workspace: { id: automation.workspaceId }, now: ctx.now().toISOString() },
  }
  if (automation.condition !== null) {
    const { matches, reason } = isTrue(automation.condition, values)
    if (!matches) return { starts: false, why: `The condition is not true${reason ? `: ${reason}` : '.'}`, steps: [] }
  }
  const acting = { ...automation, definition: automation } as unknown as store.Acting
  const viewer = await viewerOf(ctx, acting)
  const judge = refusing(viewer, await policiesOf(ctx.db, automation.workspaceId))
  const steps = shownSteps(automation.steps as readonly Step[], '', values, judge, 'yes')
  return { starts: automation.enabled, why: automation.enabled ? trigger.why : 'It is disabled.', steps }
}

/** As the caller reads it, not as the automation would: nobody sees by a rehearsal what they could not see before. */
async function triggerFrom(ctx: Rehearsing, automation: store.Shown, { eventSeq, input, payload }: Given) {
  const at = ctx.now().toISOString()
  const has = (on: string) => automation.triggers.some(trigger => trigger.on === on)
  if (eventSeq !== undefined) return await triggerOfEvent(ctx, automation, eventSeq)
  if (payload !== undefined && has('webhook'))
    return { data: { on: 'webhook', at, body: payload }, why: 'By its webhook.' }
  if (has('manual')) return { data: { on: 'manual', at, input: input ?? {} }, why: 'By hand.' }
  if (has('schedule')) return { data: { on: 'schedule', at, isMissed: false }, why: 'By its schedule.' }
  if (has('webhook')) return { data: { on: 'webhook', at, body: payload ?? null }, why: 'By its webhook.' }
  throw conflict('It starts by events only: name one of the audit log with "eventSeq".')
}

async function triggerOfEvent(ctx: Rehearsing, automation: store.Shown, seq: number) {
  const { db, caller, access, now } = ctx
  const { workspaceId } = automation
  const [entry] = await shownAfter(db, workspaceId, seq - 1, 1)
  const viewer = viewerOfCaller(caller, access, now)
  if (entry?.seq !== seq || !(await maySee(db, viewer, entry))) throw notFound('event')
  const read = async (target: Parameters<typeof readingOf>[0]) => {
    const reading = readingOf(target, workspaceId)
    // Who may not read it, or finds it gone, sees nothing of it.
    return reading ? await ctx.call(reading.id, reading.input).catch(() => null) : null
  }
  const data = await triggerOf(ctx, automation.triggers, viewer, entry, read)
  if (data) return { data, why: `${entry.action} fits a trigger.` }
  return { data: null, why: `No trigger fits ${entry.action}.` }
}

function shownSteps(
  steps: readonly Step[],
  prefix: string,
  values: object,
  judge: Judge,
  outside: Shown['runs'],
): Shown[] {
  return steps.flatMap((step, index) => {
    const path = `${prefix}${index}`
    const deed = deedOf(step.do)
    const runs = outside === 'yes' ? runsOf(step, values) : outside
    const shown = {
      ...{ path, id: step.id ?? null, do: step.do, operation: deed?.kind === 'operation' ? deed.id : null },
      ...{
        input: renderedOrKept(step.with ?? {}, values),
        runs,
        refusal: deed ? judge(deed) : 'There is no such step.',
      },
    }
    // Which way a branch goes is its own matter; what stands in it is not there where the branch is not.
    const isBranch = step.do === 'branch'
    const [then, otherwise] = outside === 'yes' ? waysOf(step, runs) : [outside, outside]
    return [
      isBranch && outside === 'yes' ? { ...shown, runs: 'yes' as const } : shown,
      ...shownSteps(step.steps ?? [], `${path}.steps.`, values, judge, then),
      ...shownSteps(step.else ?? [], `${path}.else.`, values, judge, otherwise),
    ]
  })
}

/** Of what stands in it: under `steps`, and under `else`. */
function waysOf(step: Step, runs: Shown['runs']): [Shown['runs'], Shown['runs']] {
  if (runs === 'unknown' || step.do !== 'branch') return ['unknown', 'unknown']
  return runs === 'yes' ? ['yes', 'no'] : ['no', 'yes']
}

/** What earlier steps give is not known. */
const isOpen = (condition: string) => /\b(steps|item|index)\b/.test(condition)
const hasOpenPlace = (template: string) => /\{\{\s*(steps|item|index)\b/.test(template)

function runsOf(step: Step, values: object): Shown['runs'] {
  if (step.if === undefined) return 'yes'
  if (isOpen(step.if)) return 'unknown'
  return isTrue(step.if, values).matches ? 'yes' : 'no'
}

function renderedOrKept(template: Readonly<Record<string, unknown>>, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) =>
      hasOpenPlace(JSON.stringify(value)) ? [name, value] : [name, rendered({ [name]: value }, values)[name] ?? null],
    ),
  )
}

type Judge = (deed: Deed) => string | null

/** As the door would: what its kind and its scopes allow, and then the policy of the workspace over tools. */
function refusing(viewer: Viewer | null, policies: ToolPolicies): Judge {
  return deed => {
    if (!viewer) return 'Whoever saved it is no longer here.'
    if (deed.kind === 'own') return null
    const { id, operation } = deed
    const permission = permit({ ...viewer.caller, credential: 'run', callerKind: 'automation' }, operation)
    if (!permission.allowed) return permission.detail
    const name = toolNameOf(id)
    const mode = modeFor(policies.get(name), effectOf(operation), 'automation', operation.agents)
    return mode === 'deny' ? refusedByPolicy(name, 'automation').detail : null
  }
}
