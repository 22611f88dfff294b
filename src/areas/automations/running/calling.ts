// A step that is an operation: called through the door that every client uses, by the token of the execution.
import { isWrite } from '../../../contract/operation.ts'
import type { CallAnswer } from '../../../kit/jobs.ts'
import { operation as lookUp } from '../../../operations.ts'
import { foreignCall, toolNamed } from '../definition/deeds.ts'
import type { StepRow } from '../executions/store.ts'
import { type Result, retrying } from './outcomes.ts'
import { kept } from './values.ts'
import type { Work } from './work.ts'

const secondsOfDecision = 3_600

/** `place` and attempt make the key: what was done before a crash is not done again. */
export async function called(
  work: Work,
  id: string,
  input: Readonly<Record<string, unknown>>,
  place: { path: string; attempt: number; row: StepRow | undefined; timeoutSeconds: number | undefined },
): Promise<Result> {
  const { row } = place
  const approvalId = row?.status === 'waiting' && row.waitsFor !== retrying ? row.waitsFor : null
  const answer = await withTimeout(send(work, id, input, `${place.path}.${place.attempt}`, approvalId), place)
  if (answer === 'late') {
    const error = `It did not answer within ${place.timeoutSeconds} s; it may have been done all the same.`
    return { is: 'failed', error, isRetried: false }
  }
  return resultOf(work, answer, id)
}

export function send(
  { ctx, execution, token }: Work,
  id: string,
  input: Readonly<Record<string, unknown>>,
  key: string,
  approvalId: string | null = null,
): Promise<CallAnswer> {
  const operation = lookUp(id)
  const { workspaceId } = execution
  const idempotencyKey = operation && isWrite(operation) ? { idempotencyKey: key } : {}
  const reason = `The automation “${execution.automationName}” does this.`
  return ctx.call(token, id, { ...input, workspaceId }, { ...idempotencyKey, approvalId, reason })
}

function withTimeout(
  calling: Promise<CallAnswer>,
  { timeoutSeconds }: { timeoutSeconds: number | undefined },
): Promise<CallAnswer | 'late'> {
  if (timeoutSeconds === undefined) return calling
  const signal = AbortSignal.timeout(timeoutSeconds * 1000)
  const late = new Promise<'late'>(resolve => signal.addEventListener('abort', () => resolve('late'), { once: true }))
  return Promise.race([calling, late])
}

export function resultOf({ ctx, tokenUntil }: Work, answer: CallAnswer, what: string): Result {
  const { status, result, error, approvalId } = answer
  if (approvalId !== null) {
    const until = new Date(ctx.now().getTime() + secondsOfDecision * 1000)
    return { is: 'waiting', until, waitsFor: approvalId }
  }
  if (status < 300) return { is: 'succeeded', output: kept(result) }
  if (status === 401 && ctx.now() >= tokenUntil) return { is: 'paused' }
  const detail = error?.detail ?? `it was answered with ${status}`
  if (status === 401) {
    const gone = 'Whoever saved it is no longer here, or the workspace is closed; save it again.'
    return { is: 'failed', error: gone, isRetried: false, isFinal: true }
  }
  // Who lost a right does not get further by going on.
  const isFinal = status === 403
  const isRetried = status === 409 || status === 429 || status >= 500
  return { is: 'failed', error: `${what}: ${detail}`, isRetried, isFinal }
}

/** The tool as an operation and its input; null where automations have none of that name. */
export function toolCall(
  name: string,
  args: Readonly<Record<string, unknown>>,
): { id: string; input: Readonly<Record<string, unknown>> } | null {
  const tool = toolNamed(name)
  if (!tool || 'fault' in tool) return null
  return { id: tool.id, input: tool.id === foreignCall ? { name, arguments: args } : args }
}
