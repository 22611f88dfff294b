// What a new autofix may name, and what it says of where it comes from.
import { hash } from 'node:crypto'
import { badRequest, conflict, forbidden } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { lockExisting, readable } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import type { AutofixRow } from './store.ts'

export const sha256Of = (patch: string) => hash('sha256', patch, 'hex')

/** Git wants the end of the last line, which is easily lost on the way. */
export const whole = (patch: string) => (patch.endsWith('\n') ? patch : `${patch}\n`)

type Kind = 'repository' | 'issue' | 'thread'

/** 400 where it is not there for the caller: nobody learns whether it is there for others. */
export async function refuseUnreadable(
  db: Db,
  caller: Caller,
  workspaceId: string,
  named: Partial<Record<Kind, string | null | undefined>>,
): Promise<void> {
  const references = Object.entries(named).flatMap(([object, id]) => (id ? [{ object, id }] : []))
  const found = await readable(db, directory, caller, workspaceId, references)
  for (const { object, id } of references) {
    if (found.some(one => one.object === object && one.id === id)) continue
    const path = `${object}Id`
    const expected = `a record of this workspace (${object}) that you may read`
    throw badRequest(`"${path}" does not name ${expected}.`, [{ path, rule: 'reference', expected }])
  }
}

/** None of them ends before this is written; an autofix of the same repository waits, so that they can be counted. */
export async function hold(
  db: Db,
  workspaceId: string,
  { repository, issue, thread }: Partial<Record<Kind, string | null | undefined>>,
): Promise<void> {
  if (issue) await stillThere(db, workspaceId, 'issue', issue)
  if (thread) await stillThere(db, workspaceId, 'thread', thread)
  if (
    repository &&
    !(await lockExisting(db, directory, workspaceId, 'repository', [repository], 'change')).has(repository)
  ) {
    throw conflict('The repository was deleted just now.')
  }
}

async function stillThere(db: Db, workspaceId: string, object: Kind, id: string): Promise<void> {
  if ((await lockExisting(db, directory, workspaceId, object, [id])).has(id)) return
  throw conflict(`The ${object} was deleted just now.`)
}

/** A run names its own thread; one that is private is not named where others read. */
export function sourceOf({ run, callerKind }: Caller, threadId: string | null | undefined) {
  if (callerKind === null || !run) return { threadId: threadId ?? null, runId: null, runThreadId: null }
  if (threadId && threadId !== run.threadId) {
    throw forbidden('An agent makes autofixes in the thread that its run works in; this is another.', {
      reason: 'thread',
    })
  }
  return { threadId: run.seesPrivate ? null : run.threadId, runId: run.id, runThreadId: run.threadId }
}

export function originOf({ callerKind }: Caller): AutofixRow['origin'] {
  if (callerKind === null) return 'manual'
  if (callerKind === 'automation') return 'automation'
  return callerKind === 'private' ? 'chat' : 'investigation'
}
