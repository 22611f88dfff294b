// Every way in which an operation may go well: its usual status, those that it declares besides, and an approval to come.
import { type TSchema, Type } from 'typebox'
import { ApprovalPending } from './approvals.ts'
import { answerSchema, type SuccessStatus, successSchema } from './envelope.ts'
import type { Operation } from './operation.ts'
import { agentCallers } from './scopes.ts'
import { effectOf, isTool } from './tools.ts'

/** Status → what is answered with it. */
export function answerSchemas(operation: Operation): Partial<Record<SuccessStatus, TSchema>> {
  const others = Object.entries(operation.also ?? {}).map(([text, result]) => {
    const status = Number(text) as SuccessStatus
    return [status, answerSchema({ ...operation, result, status })]
  })
  return { [operation.status ?? 200]: answerSchema(operation), ...Object.fromEntries(others) }
}

export const pendingSchema = successSchema(202, ApprovalPending)

/** The same, and that somebody must be asked first, where an agent's call may get that by default. */
export function declaredAnswers(operation: Operation): Partial<Record<SuccessStatus, TSchema>> {
  const own = answerSchemas(operation)
  if (!mayWait(operation)) return own
  return { ...own, 202: own[202] ? Type.Union([own[202], pendingSchema]) : pendingSchema }
}

/** A workspace can have reads approved too; that is told once, in the introduction. */
export function mayWait(operation: Operation): boolean {
  const isForAgents = agentCallers.some(kind => !operation.restricted?.includes(kind))
  // No tool because of its form; the defaults of its effect hold for it all the same.
  const isFile = operation.consumes !== undefined || operation.produces !== undefined
  const isLikeTool = isTool(operation) || (isFile && operation.tool !== false && operation.envelope !== false)
  const takesKeys = operation.credentials === undefined || operation.credentials.includes('run')
  return (
    isLikeTool && effectOf(operation) === 'write' && typeof operation.access !== 'string' && isForAgents && takesKeys
  )
}
