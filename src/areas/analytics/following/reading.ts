// What the ledger does not say of a record, read when the entry is heard: for each entry once.
import type { Db } from '../../../kit/db.ts'
import type { FollowedEntry } from '../../../kit/follow.ts'
import { decidedAmong } from '../../agent_tools/approvals/store.ts'
import * as autofixes from '../../autofixes/store.ts'
import * as issues from '../../issues/standing/store.ts'
import { endedIn } from '../../threads/runs/usage/store.ts'
import type { Fields } from '../metrics/metric.ts'
import { becameBy, changing, firsts } from './becoming.ts'
import { endsRuns, importKey, type States, stateKey } from './states.ts'

/** JSON: it is kept beside the number of the entry. */
export type Reading = {
  fields?: Fields | null
  runs?: readonly Fields[]
  /** By id: issues of which no entry tells, since they were imported. */
  others?: Readonly<Record<string, Fields>>
}

type Kind = 'issue' | 'autofix' | 'runs' | 'approval' | 'imported'

/** `isKnown`: an earlier entry has told of the record, so that what a change says is enough. */
function kindOf(entry: FollowedEntry, isKnown: boolean): Kind | null {
  const { action, target } = entry
  if (action === 'workspaces.import') return 'imported'
  if (!target) return null
  if (becameBy(entry) || (changing.has(action) && !isKnown)) {
    if (target.object === 'issue') return 'issue'
    // What an autofix is for does not change with what becomes of it.
    if (target.object === 'autofix' && !isKnown) return 'autofix'
  }
  if (target.object === 'thread' && endsRuns.has(action)) return 'runs'
  return action === 'agent_tools.approvals.decide' ? 'approval' : null
}

/** What is gone by now reads as null: it is counted without what is not known of it. */
export async function readFor(
  db: Db,
  workspaceId: string,
  entries: readonly FollowedEntry[],
  states: States,
): Promise<Map<number, Reading>> {
  const known = new Set(states.keys())
  const wanted = new Map<Kind, FollowedEntry[]>()
  for (const entry of entries) {
    const key = entry.target ? stateKey(entry.target.object, entry.target.id) : ''
    const kind = kindOf(entry, known.has(key))
    if (kind || firsts.has(entry.action)) known.add(key)
    if (kind) wanted.set(kind, [...(wanted.get(kind) ?? []), entry])
  }
  const found = new Map<number, Reading>()
  for (const [kind, some] of wanted) {
    const read = await readers[kind]({ db, workspaceId, states }, some)
    for (const entry of some) {
      const reading = read(entry)
      if (Object.keys(reading).length > 0) found.set(entry.seq, reading)
    }
  }
  return found
}

type Known = { db: Db; workspaceId: string; states: States }

type Reader = (known: Known, entries: readonly FollowedEntry[]) => Promise<(entry: FollowedEntry) => Reading>

const targetsOf = (entries: readonly FollowedEntry[]) => [...new Set(entries.flatMap(({ target }) => target?.id ?? []))]

const readers: Record<Kind, Reader> = {
  async issue({ db, workspaceId }, entries) {
    const rows = await issues.standingOf(db, workspaceId, targetsOf(entries))
    return ({ target }) => ({ fields: rows.get(target?.id ?? '') ?? null })
  },
  /** Of a workspace that came with its issues, those that are open: a level begins with them. */
  async imported({ db, workspaceId }, entries) {
    const others: Record<string, Fields> = {}
    const before = new Date(entries[0]?.at ?? 0)
    for (let after = ''; ; ) {
      const rows = await issues.openBefore(db, workspaceId, before, { after, most: mostRead })
      for (const [id, fields] of rows) others[id] = fields
      if (rows.size < mostRead) break
      after = [...rows.keys()].at(-1) ?? ''
    }
    return () => ({ others })
  },
  async autofix({ db, workspaceId }, entries) {
    const rows = await autofixes.standingOf(db, workspaceId, targetsOf(entries))
    return ({ target }) => {
      const { id: _, ...fields } = rows.find(row => row.id === target?.id) ?? { id: '' }
      return { fields: 'status' in fields ? fields : null }
    }
  },
  /** Those that were not counted yet, so that what is kept does not grow with each run of a thread. */
  async runs({ db, workspaceId, states }, entries) {
    const rows = await endedIn(db, workspaceId, targetsOf(entries))
    return ({ target, at }) => {
      const id = target?.id ?? ''
      // Of those that ended later, later entries tell.
      const own = rows.filter(({ threadId, ended }) => threadId === id && ended !== null && ended <= at).map(runFields)
      return { runs: own.filter(run => isUncounted(run, states, workspaceId, stateKey('thread', id))) }
    }
  },
  async approval({ db, workspaceId }, entries) {
    const rows = await decidedAmong(db, workspaceId, targetsOf(entries))
    return ({ target }) => {
      const row = rows.find(one => one.id === target?.id)
      return { fields: row ? { tool: row.tool, kind: row.callerKind, status: row.status, seconds: row.seconds } : null }
    }
  },
}

/** Rows of one statement. */
const mostRead = 1_000

function runFields(run: Awaited<ReturnType<typeof endedIn>>[number]): Fields {
  const { id, type, kind, runner, status, usage, started, ended } = run
  const tokens =
    usage && (usage.in !== undefined || usage.out !== undefined) ? (usage.in ?? 0) + (usage.out ?? 0) : null
  const seconds = started && ended ? (Date.parse(ended) - Date.parse(started)) / 1000 : null
  return {
    id,
    type,
    kind,
    runner,
    status,
    ended,
    tokens,
    seconds,
    cost: usage?.cost ?? null,
    model: usage?.model ?? null,
  }
}

/** Neither counted already, nor one that came with an import. Of a thread one run is active at a time, so they end in turn. */
export function isUncounted(run: Fields, states: States, workspaceId: string, thread: string): boolean {
  const [last, imported] = [states.get(thread), states.get(importKey(workspaceId))]
  if (imported && String(run.ended) <= String(imported.at)) return false
  return last === undefined || `${run.ended} ${run.id}` > `${last.ended} ${last.id}`
}
