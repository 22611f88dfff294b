// From entries of the ledger to executions: which automations an entry is for, and what they are told of it.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { newToken, tokenHash } from '../../../kit/tokens.ts'
import { directory } from '../../../operations.ts'
import { type AuditLogRow, shownAfter } from '../../audit_logs/store.ts'
import { maySee, shownTo, type Viewer } from '../../events/visibility.ts'
import { eventKinds, isMeant } from '../../integrations/event_kinds.ts'
import { ownerOf, viewerFor } from '../../integrations/standing.ts'
import { threadOfRun } from '../../threads/runs/store.ts'
import { issueEvents } from '../creating.ts'
import { causesOf, causesOfThread, waitingFor } from '../executions/store.ts'
import type { Trigger } from '../fields/contract.ts'
import { insertToken } from '../running/store.ts'
import { isTrue } from '../running/values.ts'
import * as store from '../store.ts'
import { enqueueAll, type Start, start } from './starting.ts'

/** A follower of the ledger. The same entries may come twice: each makes one execution. */
export async function onEntries(ctx: JobContext, entries: readonly FollowedEntry[]): Promise<void> {
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return
  const told = entries.filter(({ action, outcome }) => outcome === 'success' && eventKinds.has(action))
  const all = await store.listening(ctx.db, first.chain)
  const meant = all.filter(one => told.some(entry => isFor(one, entry)))
  if (meant.length === 0) return
  const shown = await shownAfter(ctx.db, first.chain, first.seq - 1, last.seq - first.seq + 1)
  for (const automation of meant) {
    const own = shown.filter(entry => entry.outcome === 'success' && isFor(automation, entry))
    const starts = await startsOf(ctx, automation, own)
    if (starts.length === 0) continue
    const { made } = await ctx.transaction(tx => start(tx, automation, starts, ctx.now()))
    await enqueueAll(ctx, made)
  }
}

type Entry = Pick<AuditLogRow, 'seq' | 'action' | 'target'>

function isFor({ id, events, fromSeq }: store.Listening, { seq, action, target }: Entry): boolean {
  // What is told of itself would never end.
  if (target?.object === 'automation' && target.id === id) return false
  return seq > fromSeq && events.some(glob => isMeant(glob, action))
}

async function startsOf(
  ctx: JobContext,
  automation: store.Listening,
  entries: readonly AuditLogRow[],
): Promise<Start[]> {
  const viewer = await viewerOf(ctx, automation)
  if (!viewer) return []
  const reader = recordReader(ctx, automation)
  const starts: Start[] = []
  for (const entry of entries) {
    if (!(await maySee(ctx.db, viewer, entry))) continue
    const data = await triggerOf(ctx, automation.definition.triggers, viewer, entry, reader)
    if (!data) continue
    starts.push({
      ...{ triggerOn: data.on, triggerAt: ctx.now(), eventSeq: entry.seq, event: entry.action, byUserId: null },
      ...{ data, causes: await causesBehind(ctx, entry) },
    })
  }
  return starts
}

export async function viewerOf(
  { db, now }: Pick<JobContext, 'db' | 'now'>,
  { id, workspaceId, grantedBy, grants }: store.Acting,
): Promise<Viewer | null> {
  const owner = grantedBy === null ? null : await ownerOf(db, workspaceId, grantedBy)
  return owner && viewerFor({ id, workspaceId, scopes: grants }, owner, now)
}

export type TriggerData = { on: 'event' | 'issue.matched'; at: string; event: object; record: unknown }

/** What it would be started with; null where no trigger fits. */
export async function triggerOf(
  ctx: Pick<JobContext, 'now'>,
  triggers: readonly Trigger[],
  viewer: Viewer,
  entry: AuditLogRow,
  read: RecordReader,
): Promise<TriggerData | null> {
  const event = eventOf(viewer, entry)
  for (const trigger of triggers) {
    if (!isMeantBy(trigger, entry.action)) continue
    const on = trigger.on as TriggerData['on']
    const data = { on, at: ctx.now().toISOString(), event, record: await read(entry.target) }
    if (trigger.where === undefined || isTrue(trigger.where, { trigger: data }).matches) return data
  }
  return null
}

export function isMeantBy({ on, event }: Trigger, action: string): boolean {
  if (on === 'issue.matched') return (issueEvents as readonly string[]).includes(action)
  return on === 'event' && event !== undefined && isMeant(event, action)
}

function eventOf(viewer: Viewer, entry: AuditLogRow): object {
  const { actor, changes = [] } = shownTo(viewer, entry) as Pick<AuditLogRow, 'actor'> & { changes?: unknown[] }
  const { action: type, seq, at, target } = entry
  return { type, seq, at, actor, target, changes }
}

export type RecordReader = (target: AuditLogRow['target']) => Promise<unknown>

/** As the automation itself would read it; null where it may not, or where the record is gone. Asked for only where needed. */
function recordReader(ctx: JobContext, automation: store.Acting): RecordReader {
  if (!JSON.stringify(automation.definition).includes('record')) return async () => null
  let token: string | undefined
  return async target => {
    const call = readingOf(target, automation.workspaceId)
    if (!call) return null
    if (token === undefined) {
      token = newToken('art')
      await insertToken(ctx.db, automation.id, tokenHash(token), new Date(ctx.now().getTime() + 120_000))
    }
    const answer = await ctx.call(token, call.id, call.input)
    if (answer.status >= 500 || answer.status === 429) throw new Error(`${call.id} was answered with ${answer.status}`)
    return answer.status < 300 ? answer.result : null
  }
}

/** The operation that shows such a record, with its input; null where records of the kind have no page of their own. */
export function readingOf(target: AuditLogRow['target'], workspaceId: string) {
  const kind = target ? directory.kinds.get(target.object) : undefined
  if (!target || !kind) return null
  const names = Object.keys(kind.read.path?.properties ?? {}).filter(name => name !== 'workspaceId')
  const [name] = names
  return names.length === 1 && name
    ? { id: `${kind.at ?? kind.area}.get`, input: { workspaceId, [name]: target.id } }
    : null
}

/** Which automations led to an entry: its actor is an execution, or an agent in a thread that one started. */
async function causesBehind({ db }: JobContext, { actor }: AuditLogRow): Promise<string[]> {
  const { credentialId, callerKind } = actor
  if (credentialId?.startsWith('exe_')) return await causesOf(db, credentialId)
  if (callerKind === null || !credentialId?.startsWith('agent_run_')) return []
  const threadId = await threadOfRun(db, credentialId)
  return threadId === null ? [] : await causesOfThread(db, threadId)
}

/** What executions wait for has come about: people decided, or a run ended. */
export async function wake(ctx: JobContext, entries: readonly FollowedEntry[]): Promise<void> {
  const ids = entries.flatMap(({ target }) => (target ? [target.id] : []))
  if (ids.length === 0) return
  for (const id of await waitingFor(ctx.db, ids)) await ctx.enqueue('automations.run', { id, slot: 'woken' })
}
