// What came of an investigation shows in the timeline of its issue, from the ledger.
import { hash } from 'node:crypto'
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import * as threads from '../../threads/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import { lock } from '../store.ts'
import { insertEntries, peopleOf } from './store.ts'

/** Of a private thread the ledger says nothing, and so does the timeline. */
export async function tellConcluded(ctx: JobContext, entry: FollowedEntry): Promise<void> {
  const { target, chain: workspaceId } = entry
  const isOutcome = entry.changes.some(({ path, after }) => path.startsWith('outcome') && after !== undefined)
  if (entry.outcome !== 'success' || target?.object !== 'thread' || !isOutcome) return
  const thread = await threads.findAny(ctx.db, workspaceId, target.id)
  if (!thread?.outcome || !thread.issueId || thread.visibility === 'private') return
  const { outcome, issueId } = thread
  const text = [`Investigation: ${outcome.kind.replace('_', ' ')}.`, outcome.summary ?? ''].join(' ').trim()
  await ctx.transaction(async tx => {
    const { userId } = peopleOf(entry.actor.id)
    await workspaces.keepAlive(tx, workspaceId)
    const isThere = userId !== null && (await workspaces.positionOf(tx, workspaceId, userId)) !== undefined
    const [there] = await lock(tx, workspaceId, [issueId])
    if (!there) return
    const id = `issue_entry_${hash('sha256', `${entry.id} ${issueId}`, 'hex').slice(0, 24)}`
    const actor = { type: entry.actor.type, userId: isThere ? userId : null, teamId: null, clientId: null }
    await insertEntries(tx, workspaceId, actor, [{ id, issueId, type: 'agent', text }], new Date(entry.at))
  })
}
