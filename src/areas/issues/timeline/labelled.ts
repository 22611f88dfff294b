// Labels that were put on issues by the operations of labels show in the timelines too, from the ledger.
import { hash } from 'node:crypto'
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import * as labels from '../../labels/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import { lock } from '../store.ts'
import { insertEntries, type NewEntry, peopleOf } from './store.ts'

type Change = { object: string; id: string; labelId?: string }

export async function tellLabelled(ctx: JobContext, entry: FollowedEntry): Promise<void> {
  const labelId = entry.target?.id
  if (entry.outcome !== 'success' || labelId === undefined) return
  const [added, removed, replaced] = ['added', 'removed', 'replaced'].map(path => changed(entry, path))
  const put = [...(added ?? []).map(one => ({ ...one, labelId, how: 'added' as const }))]
  const taken = [...(removed ?? []), ...(replaced ?? [])].map(one => ({ labelId, ...one, how: 'removed' as const }))
  const all = [...put, ...taken]
  if (all.length === 0) return
  await ctx.transaction(async tx => {
    const workspaceId = entry.chain
    const { userId } = peopleOf(entry.actor.id)
    await workspaces.keepAlive(tx, workspaceId)
    const isThere = userId !== null && (await workspaces.positionOf(tx, workspaceId, userId)) !== undefined
    const there = await lock(
      tx,
      workspaceId,
      all.map(({ id }) => id),
    )
    const names = await labels.namesOf(
      tx,
      workspaceId,
      all.map(one => one.labelId),
    )
    const entries = there.map((issueId): NewEntry => {
      const named = (how: 'added' | 'removed') =>
        all.filter(one => one.id === issueId && one.how === how).flatMap(one => names.get(one.labelId) ?? [])
      const id = `issue_entry_${hash('sha256', `${entry.id} ${issueId}`, 'hex').slice(0, 24)}`
      return { id, issueId, type: 'labels', data: { added: named('added'), removed: named('removed') } }
    })
    const actor = { type: entry.actor.type, userId: isThere ? userId : null, teamId: null, clientId: null }
    await insertEntries(tx, workspaceId, actor, entries, new Date(entry.at))
  })
}

function changed({ changes }: FollowedEntry, path: string): Change[] {
  const { after } = changes.find(change => change.path === path) ?? {}
  const all = Array.isArray(after) ? (after as Change[]) : []
  return all.filter(({ object }) => object === 'issue')
}
