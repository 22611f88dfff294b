// Carries out the operations on timelines: reading them, and the notes that people write into them.
import { conflict, notFound } from '../../../contract/errors.ts'
import type { Caller, Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { implement } from '../../../kit/implement.ts'
import { notify } from '../../../kit/notify.ts'
import { found, patched } from '../../../kit/outcomes.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { type Change, move } from '../changes.ts'
import { refuseMerged } from '../merging/merging.ts'
import * as issues from '../store.ts'
import { notes, occurrences, timeline } from './contract.ts'
import { issuesIn, peopleIn } from './mentions.ts'
import * as store from './store.ts'

const editableMs = 15 * 60_000

const reading = implement(timeline, {
  'issues.timeline.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await store.pageOfEntries(db, query, id)
  },
})

const counting = implement(occurrences, {
  'issues.occurrences.list': async ({ db }, { workspaceId, id, interval = 'hour', from, to }) => {
    await existing(db, workspaceId, id)
    return { items: await store.occurrencesOf(db, id, { interval, from, to }) }
  },
})

const writing = implement(notes, {
  'issues.notes.post': async (ctx, { workspaceId, id, text, milestone }) => {
    const { db, caller, now, note } = ctx
    await enter(db, caller, workspaceId)
    const mentioned = await issuesIn(db, workspaceId, text)
    await issues.lock(db, workspaceId, [id, ...mentioned])
    const issue = await existing(db, workspaceId, id)
    refuseMerged(issue)
    const at = now()
    const change: Change = { columns: {}, entries: [] }
    if (milestone !== undefined && milestone !== issue.status) move(change, issue, milestone, null, at)
    const type = caller.callerKind !== null ? 'agent' : milestone ? 'milestone' : 'note'
    const links = mentioned
      .filter(other => other !== id)
      .map(issueId => ({ issueId, type: 'linked', data: { relation: 'mentioned_in', number: issue.number } }) as const)
    const entries = [{ issueId: id, type, text, milestone } as const, ...change.entries, ...links]
    const [noteId = ''] = await store.insertEntries(db, workspaceId, store.actorOf(caller), entries, at)
    if (milestone !== undefined) await issues.update(db, id, change.columns, at)
    await tellMentioned(ctx, workspaceId, id, text)
    const target = { object: 'issue', id }
    const isMoved = change.columns.status !== undefined
    const moved = isMoved && { before: issue, after: await existing(db, workspaceId, id) }
    note({ target, ...(moved && { also: [{ workspaceId, action: 'issues.patch', target, ...moved }] }) })
    return (await store.findNote(db, id, noteId)) as store.EntryRow
  },

  'issues.notes.patch': async (ctx, { workspaceId, id, noteId, ...fields }) => {
    const { db, caller, now, note } = ctx
    await enter(db, caller, workspaceId)
    const before = await ownNote(db, caller, workspaceId, id, noteId)
    note({ target: { object: 'issue', id } })
    return await patched(note, before, fields, async () => {
      if (now().getTime() - Date.parse(before.at) > editableMs) {
        throw conflict('The note is older than 15 minutes and is history now; write another.')
      }
      await tellMentioned(ctx, workspaceId, id, fields.text ?? '', before.text ?? '')
      return await store.updateNote(db, id, noteId, fields.text ?? '', now())
    })
  },

  'issues.notes.del': async ({ db, caller, note }, { workspaceId, id, noteId }) => {
    await enter(db, caller, workspaceId)
    note({ before: await ownNote(db, caller, workspaceId, id, noteId), target: { object: 'issue', id } })
    await store.removeNote(db, id, noteId)
    return { workspaceId, id, noteId, _object: 'issue_entry' as const }
  },
})

export default { ...reading, ...counting, ...writing }

function existing(db: Db, workspaceId: string, id: string): Promise<issues.IssueRow> {
  return found(issues.find(db, workspaceId, id), 'issue')
}

/** Whoever is mentioned now and was not before. */
async function tellMentioned(
  ctx: Pick<Context, 'db' | 'enqueue'> & { caller: Caller },
  workspaceId: string,
  id: string,
  text: string,
  before = '',
): Promise<void> {
  const to = await peopleIn(ctx.db, workspaceId, text, before)
  await notify(ctx, { type: 'issues.mentioned', to, workspaceId, target: { object: 'issue', id } })
}

/** A note is its author's alone, whatever the caller may do else. The issue is locked. */
async function ownNote(db: Db, caller: Caller, workspaceId: string, id: string, noteId: string) {
  await issues.lock(db, workspaceId, [id])
  await existing(db, workspaceId, id)
  const entry = await found(store.findNote(db, id, noteId), 'note')
  if (entry.actor.id !== caller.ownerId) throw notFound('note')
  return entry
}
