// An execution that this process works on now.
import type { JobContext } from '../../../kit/jobs.ts'
import type { StepRow, Taken } from '../executions/store.ts'

export type Work = {
  ctx: JobContext
  execution: Taken
  token: string
  /** The token opens nothing after this. */
  tokenUntil: Date
  /** By path: what was done or begun before. */
  rows: Map<string, StepRow>
  /** When this job makes room for others. */
  until: number
}

export function isOut({ ctx, until }: Work): boolean {
  return ctx.signal.aborted || ctx.now().getTime() > until
}
