// The tools of another MCP server held against what was approved: when somebody asks, and once a day.
import { ApiError } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { keepAlive } from '../../workspaces/store.ts'
import { forgive } from '../deliveries/targets/store.ts'
import { digestOf, effectOf, type ToolDefinition } from '../mcp/definitions.ts'
import { opened } from '../opening.ts'
import * as integrations from '../store.ts'
import { toolsOf } from './connecting.ts'
import * as store from './store.ts'

export const changedEvent = 'integrations.toolsChanged'

type Key = { workspaceId: string; id: string }

/** Each in a job of its own, so that none waits for a server that is slow. */
export async function renewAll({ db, enqueue }: JobContext): Promise<void> {
  for (const key of await db.query(store.withTools)) await enqueue('integrations.refreshToolsOf', key)
}

/** What its server does wrong is written down and not tried again: there is another day. */
export async function renewOne(ctx: JobContext, { workspaceId, id }: Key): Promise<void> {
  const connection = await integrations.connection(ctx.db, workspaceId, id)
  if (connection?.status !== 'active' || connection.type !== 'mcp') return
  try {
    const { tools } = await toolsOf(ctx, await opened(ctx, workspaceId, id, 'mcp'))
    await ctx.transaction(async tx => {
      await keepAlive(tx, workspaceId)
      if (!(await integrations.findForUpdate(tx, workspaceId, id, ''))) return
      const { changed } = await renew(tx, { workspaceId, id }, tools, ctx.now())
      await forgive(tx, id, ctx.now())
      const target = { object: 'integration', id }
      if (changed > 0) await ctx.record(tx, { chain: workspaceId, action: changedEvent, target })
    })
  } catch (error) {
    if (!(error instanceof ApiError) || !['conflict', 'not_found'].includes(error.kind)) throw error
    await store.failed(ctx.db, id, error.detail, ctx.now())
  }
}

/** How many wait for a review, and how many are no longer what was approved. What is still the same stays approved. */
export async function renew(
  db: Db,
  { workspaceId, id }: Key,
  listed: readonly ToolDefinition[],
  now: Date,
): Promise<{ review: number; changed: number }> {
  let changed = 0
  const known = new Map((await store.allOf(db, id)).map(one => [one.tool, one]))
  for (const definition of listed) {
    const digest = digestOf(definition)
    const before = known.get(definition.name)
    known.delete(definition.name)
    if (before?.digest === digest && before.status !== 'gone') continue
    const isApprovedOne = before !== undefined && before.approvedDigest === digest && before.status !== 'denied'
    const status = isApprovedOne ? 'approved' : before?.approved ? 'changed' : 'review'
    if (status === 'changed') changed++
    await store.put(
      db,
      {
        integrationId: id,
        workspaceId,
        tool: definition.name,
        definition,
        digest,
        status,
        effect: before?.approved ? before.effect : effectOf(definition.annotations),
        approved: before?.approved ?? null,
        approvedDigest: before?.approvedDigest ?? null,
        reviewedBy: before?.reviewedBy ?? null,
        reviewedAt: before?.reviewedAt ?? null,
      },
      now,
    )
  }
  for (const gone of known.values()) if (gone.status !== 'gone') await store.put(db, { ...gone, status: 'gone' }, now)
  const waiting = (await store.allOf(db, id)).filter(({ status }) => status === 'review' || status === 'changed')
  return { review: waiting.length, changed }
}
