// What the ledger does not say of a record, read when the entry is heard: for each entry once.
import type { Db } from '../../../kit/db.ts'
import type { FollowedEntry } from '../../../kit/follow.ts'
import { decidedAmong } from '../../agent_tools/approvals/store.ts'
import * as autofixes from '../../autofixes/store.ts'
import * as issues from '../../issues/store.ts'
import { endedIn } from '../../threads/runs/usage/store.ts'
import type { Fields } from '../metrics/metric.ts'
import { endsRuns, type States, stateKey } from './states.ts'
import { mergedInto } from './store.ts'

/** JSON: it is kept beside the number of the entry. */
export type Reading = {
  fields?: Fields | null
  runs?: readonly Fields[]
  /** By id: issues of which no entry tells. Those merged into one that is deleted come back with it; others are imported. */
  others?: Readonly<Record<string, Fields>>
}

type Kind = 'issue' | 'autofix' | 'runs' | 'approval' | 'released' | 'imported'

/** Their entries say themselves what the record has become; the first of a record says all of it. */
const firsts = new Set(['issues.post', 'autofixes.post'])
const lasts = new Set(['issues.del', 'autofixes.del'])
const changing = new Set([
  'issues.patch',
  'issues.merge',
  'issues.split',
  'autofixes.patch',
  'autofixes.approve',
  'autofixes.reject',
  'autofixes.apply',
])

export const isLast = ({ action }: FollowedEntry): boolean => lasts.has(action)

/** `isKnown`: an earlier entry has told of the record, so that what a change says is enough. */
function kindOf({ action, target }: FollowedEntry, isKnown: boolean): Kind | null {
  if (action === 'issues.del') return 'released'
  if (action === 'workspaces.import') return 'imported'
  if (!target || firsts.has(action) || lasts.has(action) || (isKnown && changing.has(action))) return null
  if (target.object === 'issue' && action.startsWith('issues.')) return 'issue'
  if (target.object === 'autofix' && action.startsWith('autofixes.')) return 'autofix'
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
    known.add(key)
    if (kind) wanted.set(kind, [...(wanted.get(kind) ?? []), entry])
  }
  const found = new Map<number, Reading>()
  for (const [kind, some] of wanted) {
    const ids = [...new Set(some.flatMap(({ target }) => target?.id ?? []))]
    const read = await readers[kind](db, workspaceId, ids, { states, at: some[0]?.at ?? '' })
    for (const { seq, target } of some) {
      const reading = read(target?.id ?? '')
      if (Object.keys(reading).length > 0) found.set(seq, reading)
    }
  }
  return found
}

/** `at` is when the first of the entries was written. */
type Known = { states: States; at: string }

type Reader = (db: Db, workspaceId: string, ids: readonly string[], known: Known) => Promise<(id: string) => Reading>

const readers: Record<Kind, Reader> = {
  async issue(db, workspaceId, ids) {
    const rows = await issues.findAll(db, workspaceId, ids)
    return id => {
      const row = rows.get(id)
      return { fields: row ? issueFields(row) : null }
    }
  },
  async released(db, workspaceId, ids) {
    const merged = await mergedInto(db, workspaceId, ids)
    const rows =
      merged.length === 0
        ? new Map()
        : await issues.findAll(
            db,
            workspaceId,
            merged.map(({ id }) => id),
          )
    return id => {
      const own = merged.filter(({ into }) => into === id).flatMap(one => rows.get(one.id) ?? [])
      return own.length === 0 ? {} : { others: Object.fromEntries(own.map(row => [row.id, issueFields(row)])) }
    }
  },
  /** Of a workspace that came with its issues, those that are open: a level begins with them. */
  async imported(db, workspaceId, _ids, { at }) {
    const rows = await issues.openBefore(db, workspaceId, new Date(at))
    return () => ({ others: Object.fromEntries(rows.map(row => [row.id, issueFields(row)])) })
  },
  async autofix(db, workspaceId, ids) {
    const rows = await autofixes.standingOf(db, workspaceId, ids)
    return id => {
      const { id: _, ...fields } = rows.find(row => row.id === id) ?? { id }
      return { fields: 'status' in fields ? fields : null }
    }
  },
  /** Those that were not counted yet, so that what is kept does not grow with each run of a thread. */
  async runs(db, workspaceId, ids, { states }) {
    const rows = await endedIn(db, workspaceId, ids)
    return id => {
      const fresh = rows.filter(({ threadId }) => threadId === id).map(runFields)
      return { runs: fresh.filter(run => isLater(run, states.get(stateKey('thread', id)))) }
    }
  },
  async approval(db, workspaceId, ids) {
    const rows = await decidedAmong(db, workspaceId, ids)
    return id => {
      const row = rows.find(one => one.id === id)
      return { fields: row ? { tool: row.tool, kind: row.callerKind, status: row.status, seconds: row.seconds } : null }
    }
  },
}

function issueFields(row: issues.IssueRow): Fields {
  const { status, severity, source, teamId, labels, resources, duplicateOfId, mttrSeconds, timeToTriageSeconds } = row
  const times = { mttrSeconds, timeToTriageSeconds }
  return { status, severity, source: source.type, teamId, labels: [...labels], resources, duplicateOfId, ...times }
}

function runFields(run: Awaited<ReturnType<typeof endedIn>>[number]): Fields {
  const { id, kind, runner, status, usage, started, ended } = run
  const tokens =
    usage && (usage.in !== undefined || usage.out !== undefined) ? (usage.in ?? 0) + (usage.out ?? 0) : null
  const seconds = started && ended ? (Date.parse(ended) - Date.parse(started)) / 1000 : null
  return { id, kind, runner, status, ended, tokens, seconds, cost: usage?.cost ?? null, model: usage?.model ?? null }
}

/** Of a thread one run is active at a time, so they end one after the other. */
export function isLater(run: Fields, last: Fields | undefined): boolean {
  return last === undefined || `${run.ended} ${run.id}` > `${last.ended} ${last.id}`
}
