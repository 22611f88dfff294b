// From an entry of the ledger to the messages about it: who is told, and what each may know.
import { hash } from 'node:crypto'
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { newId } from '../../../kit/random.ts'
import { readable } from '../../../kit/references.ts'
import { directory } from '../../../operations.ts'
import { type AuditLogRow, shownAfter } from '../../audit_logs/store.ts'
import { maySee, shownTo, type Viewer } from '../../events/visibility.ts'
import { keepUsers } from '../../workspaces/store.ts'
import { eventKinds, isMeant } from '../event_kinds.ts'
import { bodyFor } from '../kinds.ts'
import type { EventView } from '../messages/event_view.ts'
import { ownerOf, viewerFor } from '../standing.ts'
import * as integrations from '../store.ts'
import { DeliveryId } from './contract.ts'
import * as store from './store.ts'
import { awakeAmong } from './targets/store.ts'

type Telling = Pick<JobContext, 'db' | 'settings' | 'now'>

/** A follower of the ledger. The same entries may come twice: each is delivered once. */
export async function fanOut(ctx: JobContext, entries: readonly FollowedEntry[]): Promise<void> {
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return
  const all = await integrations.listening(ctx.db, first.chain)
  const isMeantFor = (one: integrations.Listening) => (entry: Pick<FollowedEntry, 'seq' | 'action' | 'outcome'>) =>
    isTold(entry) && entry.seq > one.fromSeq && isFor(one, entry.action)
  const meant = all.filter(one => entries.some(isMeantFor(one)))
  if (meant.length === 0) return
  const shown = await shownAfter(ctx.db, first.chain, first.seq - 1, last.seq - first.seq + 1)
  const targets: string[] = []
  // Each by itself: many with long messages in one statement would hold up requests on the embedded engine.
  for (const one of meant) {
    const made = await messagesAbout(ctx, one, shown.filter(isMeantFor(one)))
    if (made.length > 0) targets.push(one.id)
    await keepMessages(ctx, made)
  }
  // Who rests after failures is looked at when that is over.
  const awake = targets.length > 0 ? await awakeAmong(ctx.db, targets, ctx.now()) : []
  for (const id of awake) await ctx.enqueue('integrations.send', { id })
}

/** What names somebody whose account has ended is not sent: nor would it be, had it been written down before. */
export async function keepMessages(
  { transaction, now }: Pick<JobContext, 'transaction' | 'now'>,
  made: readonly store.NewDelivery[],
): Promise<void> {
  if (made.length === 0) return
  await transaction(async tx => {
    const there = await keepUsers(tx, [...new Set(made.flatMap(({ people }) => people))])
    await store.insert(
      tx,
      made.filter(({ people }) => people.every(id => there.has(id))),
      now(),
    )
  })
}

/** What was refused is no event, nor is what nobody can ask for. */
function isTold({ action, outcome }: Pick<AuditLogRow, 'action' | 'outcome'>): boolean {
  return outcome === 'success' && eventKinds.has(action)
}

function isFor({ events }: integrations.Listening, action: string): boolean {
  return events.some(glob => isMeant(glob, action))
}

/** Of a part of the ledger, for one integration, whenever it happened. */
export function messagesFor(
  ctx: Telling,
  one: integrations.Listening,
  entries: readonly AuditLogRow[],
): Promise<store.NewDelivery[]> {
  return messagesAbout(
    ctx,
    one,
    entries.filter(entry => isTold(entry) && isFor(one, entry.action)),
  )
}

async function messagesAbout(
  ctx: Telling,
  one: integrations.Listening,
  entries: readonly AuditLogRow[],
): Promise<store.NewDelivery[]> {
  const owner = one.grantedBy === null ? null : await ownerOf(ctx.db, one.workspaceId, one.grantedBy)
  if (!owner) return []
  const viewer = viewerFor(one, owner, ctx.now)
  const seen: AuditLogRow[] = []
  for (const entry of entries) if (await maySee(ctx.db, viewer, entry)) seen.push(entry)
  const views = await viewsOf(ctx, viewer, seen)
  return views.map(view => ({
    id: newId(DeliveryId),
    workspaceId: one.workspaceId,
    integrationId: one.id,
    messageId: messageIdOf(one.id, view.seq),
    action: view.type,
    eventSeq: view.seq,
    body: bodyFor(one, view, ctx.settings.publicUrl),
    people: [view.actor.id, view.target?.id].filter(id => id?.startsWith('usr_')) as string[],
  }))
}

/** The same for the same event, however often and for whatever reason it is sent. */
function messageIdOf(integrationId: string, seq: number): string {
  return `msg_${hash('sha256', `${integrationId} ${seq}`, 'hex').slice(0, 32)}`
}

async function viewsOf(
  { db, settings }: Telling,
  viewer: Viewer,
  entries: readonly AuditLogRow[],
): Promise<EventView[]> {
  const { workspaceId, caller } = viewer
  const named = entries.flatMap(({ target }) => (target && directory.kinds.has(target.object) ? [target] : []))
  const found = named.length > 0 ? await readable(db, directory, caller, workspaceId, named) : []
  const titles = new Map(found.map(({ object, id, title }) => [`${object} ${id}`, title]))
  // Its name may be that of a person, and what is sent is kept for a while.
  const workspace = { id: workspaceId, name: null }
  return entries.map(entry => {
    const shown = shownTo(viewer, entry) as Pick<AuditLogRow, 'actor'> & Partial<Pick<AuditLogRow, 'changes'>>
    const { action: type, at: timestamp, seq, target } = entry
    const told = target && {
      ...target,
      title: titles.get(`${target.object} ${target.id}`) ?? null,
      url: pageOf(target, workspaceId, settings.publicUrl),
    }
    const { actor, changes } = shown
    return { type, timestamp, seq, workspace, target: told, actor, ...(changes && { changes }) }
  })
}

function pageOf({ object, id }: { object: string; id: string }, workspaceId: string, publicUrl: string): string | null {
  const kind = directory.kinds.get(object)
  return kind !== undefined && kind.at === undefined ? `${publicUrl}/w/${workspaceId}/${kind.area}/${id}` : null
}
