// Why a job of the built-in runner stops working on a run.
import type { CallAnswer } from '../../../../kit/jobs.ts'

export type Outcome =
  | { is: 'ended'; status: 'succeeded' | 'failed'; error?: string }
  /** It is another's, or was cancelled. */
  | { is: 'over' }
  /** A person is asked; whoever decides has it taken up again. */
  | { is: 'parked' }
  /** It goes on in another job, at once or when the service has started again. */
  | { is: 'later'; afterSeconds: number }

/** Thrown from wherever it turns out. */
export class Stop extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(`the job stops: ${outcome.is}`)
    this.name = 'Stop'
    this.outcome = outcome
  }
}

export function failed(error: string): Stop {
  return new Stop({ is: 'ended', status: 'failed', error })
}

/** The answer of the platform where it went well; a refusal ends the run, and a failure lets another try. */
export function done({ status, result, error }: CallAnswer, what: string): unknown {
  if (status < 300) return result
  if (status === 401) throw new Stop({ is: 'over' })
  if (status >= 500 || status === 429) throw new Error(`to ${what} was answered with ${status}`)
  throw failed(`To ${what} was refused: ${error?.detail ?? status}`)
}
