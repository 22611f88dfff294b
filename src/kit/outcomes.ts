// What every area says the same way: it is not there, it is taken, nothing was changed.
import { conflict, notFound } from '../contract/errors.ts'
import type { Context } from './context.ts'
import { violates } from './db_errors.ts'

/** The record, or 404; `what` is its name in words. */
export async function found<T>(reading: Promise<T | undefined>, what: string): Promise<T> {
  const record = await reading
  if (record === undefined) throw notFound(what)
  return record
}

/** What is written, or 409 where it breaks this very constraint. */
export async function unique<T>(
  writing: Promise<T>,
  constraint: string,
  detail: string,
  metadata?: Record<string, unknown>,
): Promise<T> {
  try {
    return await writing
  } catch (error) {
    if (violates(error, constraint)) throw conflict(detail, metadata)
    throw error
  }
}

/** Tells the ledger what was there before. An empty patch changes nothing: no row, no date, no entry. */
export async function patched<T extends object>(
  note: Context['note'],
  before: T,
  fields: object,
  change: () => Promise<T>,
): Promise<T> {
  const isEmpty = Object.values(fields).every(value => value === undefined)
  note({ before, ...(isEmpty && { unchanged: true as const }) })
  return isEmpty ? before : await change()
}
