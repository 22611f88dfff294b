// Faults of the database in the platform's own words.
import { ApiError } from '../contract/errors.ts'

type Fault = { code?: string; constraint?: string }

/** SQLSTATE classes and socket errors that mean: not now, try again. */
const passing = /^(08|53|57P|57014|25P03|40001|40P01|55P03|ECONN|EPIPE|ETIMEDOUT)/

/** Unique → conflict, foreign key → not found, connection trouble → unavailable; the rest stays what it is. */
export function translateFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error
  const { code = '' } = error as Fault
  const cause = { cause: error }
  if (code === '23505')
    return new ApiError('conflict', 'That value is already taken; choose another.', undefined, cause)
  if (code === '23503') return new ApiError('not_found', 'What this refers to does not exist.', undefined, cause)
  if (
    passing.test(code) ||
    /Connection terminated|timeout expired|not queryable|Query read timeout/.test(error.message)
  ) {
    return new ApiError('unavailable', 'The database does not answer; try again in a moment.', undefined, cause)
  }
  return error
}

/** Whether the error came of this very constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof ApiError && (error.cause as Fault | undefined)?.constraint === constraint
}
