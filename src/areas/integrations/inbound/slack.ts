// Buttons that were pressed in Slack: done in the name of the member behind the account, with what they may do now.
import { ApiError, forbidden } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { permit } from '../../../contract/permissions.ts'
import type { Context } from '../../../kit/context.ts'
import type { Db, Tx } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { operation } from '../../../operations.ts'
import { type Decided, decideApproval } from '../../agent_tools/approvals/deciding.ts'
import { acknowledge } from '../../issues/acknowledging.ts'
import { enqueueOwn } from '../../threads/others/store.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { findForUpdate, standingOf } from '../../workspaces/store.ts'
import { call } from '../calling.ts'
import { type Interaction, readInteraction, replyOf } from '../messages/slack_interactions.ts'
import * as people from '../people/store.ts'
import type { Connection } from '../store.ts'
import * as store from './store.ts'

/** What came of it, as it is answered; null where somebody else has done it already. */
type Reply = { text: string; outcome: 'done' | 'refused' } | null

const answerSeconds = 5

/** Its signature was checked when it came. `isAnswerable`: to whom the answer may go. */
export async function takeInteraction(
  ctx: JobContext,
  connection: Connection,
  kept: store.Kept,
  isAnswerable?: (url: URL) => boolean,
): Promise<void> {
  const read = readInteraction(kept.body, isAnswerable)
  if ('fault' in read) return void (await ended(ctx.db, kept, 'unmapped', read.fault))
  if (read.kind === 'other') return void (await ended(ctx.db, kept, 'ignored', 'It is no button of ours.'))
  const reply = await replyTo(ctx, connection, kept, read)
  if (!reply) return
  // It is done, whether or not Slack hears of it.
  const { error } = await call(ctx.fetch, {
    url: read.responseUrl,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: replyOf(reply.text, reply.outcome, reply.outcome === 'done' ? read.slackUserId : undefined),
    timeoutSeconds: answerSeconds,
    secrets: [],
  })
  if (error !== null) ctx.log.warn({ integration: connection.id, error }, 'the answer to a button did not get through')
}

async function replyTo(ctx: JobContext, connection: Connection, kept: store.Kept, read: Interaction): Promise<Reply> {
  const { id: integrationId, workspaceId, config } = connection
  const refuse = async (reason: string, text = reason): Promise<Reply> =>
    (await ended(ctx.db, kept, 'ignored', reason)) ? { text, outcome: 'refused' } : null
  if (config.buttons !== true) return await refuse('Buttons are switched off for this integration.')
  const userId = await people.behind(ctx.db, integrationId, read.slackUserId)
  if (userId === undefined) {
    const place = `${ctx.settings.publicUrl}/w/${workspaceId}/integrations/${integrationId}`
    const text = `Nothing was done: your Slack account is linked to no member yet. Link your member ID ${read.slackUserId} at ${place}, then press again.`
    return await refuse(`The Slack account ${read.slackUserId} is linked to no member.`, text)
  }
  try {
    const text = await press(ctx, connection, kept, read, userId)
    return text === null ? null : { text, outcome: 'done' }
  } catch (error) {
    if (!(error instanceof ApiError) || !['forbidden', 'not_found', 'conflict'].includes(error.kind)) throw error
    return await refuse(error.detail, `Nothing was done. ${error.detail}`)
  }
}

function ended(db: Db, { id }: store.Kept, outcome: store.Outcome, reason: string): Promise<boolean> {
  return store.settle(db, id, { outcome, reason, alerts: 0 })
}

/** Done in the transaction that says so of the payload: never twice, whatever ends in between. Null where it was. */
async function press(
  ctx: JobContext,
  { id: integrationId, workspaceId }: Connection,
  kept: store.Kept,
  { action, value }: Interaction,
  userId: string,
): Promise<string | null> {
  const actor = { userId, surface: 'slack', cause: integrationId } as const
  const settled = (tx: Tx) => store.settle(tx, kept.id, { outcome: 'taken', reason: null, alerts: 0 })
  if (action === 'acknowledge') {
    return await ctx.transaction(async tx => {
      await enter(tx, { ownerId: userId }, workspaceId)
      await refuseUnpermitted(tx, workspaceId, userId, 'issues.patch')
      if (!(await settled(tx))) return null
      const target = { object: 'issue', id: value.issueId ?? '' }
      const { before, after } = await acknowledge(tx, { workspaceId, id: target.id, userId }, ctx.now())
      await ctx.record(tx, { chain: workspaceId, action: 'issues.patch', target, actor, before, after })
      return `acknowledged the issue #${after.number}.`
    })
  }
  const told: (() => void)[] = []
  const decided = await ctx.transaction(async tx => {
    // As the decision itself does first: whoever changes members holds this row, too.
    await enter(tx, { ownerId: userId }, workspaceId)
    await findForUpdate(tx, workspaceId)
    await refuseUnpermitted(tx, workspaceId, userId, 'agent_tools.approvals.decide')
    if (!(await settled(tx))) return null
    const target = { object: 'agent_tool_approval', id: value.approvalId ?? '' }
    const tell: Context['feed']['tell'] = (...news) => void told.push(() => ctx.feed.tell(...news))
    // What it enqueues and tells is for after the commit; both are looked for by themselves, should this process end.
    const inside = { db: tx, now: ctx.now, feed: { tell }, enqueue: async () => {} }
    const said = { isApproved: action === 'approve', by: userId, note: null, remember: false }
    const done = await decideApproval(inside, workspaceId, target.id, said)
    const [before, after] = [{ status: done.before.status }, { ...done.after, remember: false, args: undefined }]
    await ctx.record(tx, { chain: workspaceId, action: 'agent_tools.approvals.decide', target, actor, before, after })
    const thread = done.resumed && { object: 'thread', id: done.resumed.threadId }
    if (thread) await ctx.record(tx, { chain: workspaceId, action: 'threads.runs.moved', target: thread, actor })
    return done
  })
  if (!decided) return null
  await goOn(ctx, decided, told)
  return `${action === 'approve' ? 'approved' : 'denied'} the call of ${decided.after.tool}.`
}

async function goOn(ctx: JobContext, { resumed }: Decided, told: readonly (() => void)[]): Promise<void> {
  for (const tell of told) tell()
  if (resumed) await enqueueOwn(ctx.enqueue, resumed.run)
}

/** The permission function itself, asked for a session of this member as they are now. */
async function refuseUnpermitted(db: Db, workspaceId: string, userId: string, id: string): Promise<void> {
  const found = await standingOf(db, workspaceId, userId)
  const permission = permit(
    {
      ...{ credential: 'session', callerKind: null, userId, boundTo: null, unverified: false, workspaceId },
      ...{ scopes: found?.scopes ?? null, role: found?.role ?? null, workspaceStatus: found?.workspaceStatus ?? null },
    },
    operation(id) as Operation,
  )
  if (!permission.allowed) throw forbidden(`${permission.detail} Ask an admin of the workspace, or use the console.`)
}
