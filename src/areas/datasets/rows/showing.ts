// A stored row as callers see it.
import type { Static } from 'typebox'
import { isoOf } from '../../../kit/nanoseconds.ts'
import type { DatasetRow } from '../fields/contract.ts'
import type { StoredRow } from './row_store.ts'

export function shownRow({ bytes: _, at, ...row }: StoredRow): Static<typeof DatasetRow> {
  const { resource, detail, ...rest } = row as Omit<StoredRow, 'at' | 'bytes'>
  return {
    ...rest,
    at: isoOf(at),
    ...(resource && { resource: resource as Record<string, unknown> }),
    ...(detail && { detail: detail as Record<string, unknown> }),
  } as Static<typeof DatasetRow>
}
