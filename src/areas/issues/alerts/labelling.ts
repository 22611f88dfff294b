// Labels of issues that alerts made. What cannot be put on an issue is told; no alert is lost for a label.
import { ApiError } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import * as labels from '../../labels/store.ts'

export type Labelling = {
  issueId: string
  /** Names or ids, as the alert has them. */
  words: readonly string[]
  /** As rules have them. */
  ids: readonly string[]
}

type Call = { db: Db; workspaceId: string }

/** By issue: the words that could not be put on it. */
export async function labelMade(
  { db, workspaceId }: Call,
  labellings: readonly Labelling[],
): Promise<Map<string, string[]>> {
  const wanted = labellings.filter(({ words, ids }) => words.length + ids.length > 0)
  const unknown = new Map<string, string[]>()
  if (wanted.length === 0) return unknown
  const meant = await labels.labelsMeant(db, workspaceId, [...new Set(wanted.flatMap(({ words }) => words))])
  const changes = wanted.map(({ issueId, words, ids }) => {
    const missing = words.filter(word => !meant.has(word))
    if (missing.length > 0) unknown.set(issueId, missing)
    return { issueId, ids: [...new Set([...ids, ...words.flatMap(word => meant.get(word) ?? [])])] }
  })
  if (!(await isPut(db, workspaceId, changes))) {
    // Two of one group, one too many, or one that was deleted just now: one after the other, as far as they go.
    for (const { issueId, ids } of changes) {
      for (const id of ids) {
        if (await isPut(db, workspaceId, [{ issueId, ids: [id] }])) continue
        unknown.set(issueId, [...(unknown.get(issueId) ?? []), id])
      }
    }
  }
  return unknown
}

async function isPut(db: Db, workspaceId: string, changes: readonly { issueId: string; ids: readonly string[] }[]) {
  try {
    await labels.changeLabels(
      db,
      workspaceId,
      changes.map(({ issueId, ids }) => ({ object: 'issue', id: issueId, add: ids })),
    )
    return true
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'bad_request') return false
    throw error
  }
}
