// Lists, reviews and calls the tools of other MCP servers.
import { badRequest, conflict, forbidden } from '../../../contract/errors.ts'
import { scopesLacking } from '../../../contract/permissions.ts'
import type { Caller } from '../../../kit/context.ts'
import { implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { enter } from '../../workspaces/entering/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import { argumentsFault } from '../mcp/definitions.ts'
import { opened, openedToUse } from '../opening.ts'
import * as integrations from '../store.ts'
import { called, toolsOf } from './connecting.ts'
import { tools } from './contract.ts'
import { changedEvent, renew } from './renewing.ts'
import * as store from './store.ts'

export default implement(tools, {
  'integrations.tools.list': async ({ db }, { workspaceId, id, ...query }) => {
    await found(integrations.connection(db, workspaceId, id), 'integration')
    return await store.pageOfTools(db, query, id)
  },

  'integrations.tools.refresh': staged(
    async (ctx, { workspaceId, id }) => await toolsOf(ctx, await opened(ctx, workspaceId, id, 'mcp')),
    async ({ db, now, note }, { workspaceId, id }, { server, tools: listed, leftOut }) => {
      // Before the integration is locked: its tools are rows of the workspace, too.
      await workspaces.keepAlive(db, workspaceId)
      await found(integrations.findForUpdate(db, workspaceId, id, ''), 'integration')
      const { review, changed } = await renew(db, { workspaceId, id }, listed, now())
      const target = { object: 'integration', id }
      const told = changed > 0 ? { also: [{ workspaceId, action: changedEvent, target }] } : {}
      note({ target, after: { found: listed.length, review }, ...told })
      return { server, found: listed.length, review, leftOut: leftOut.map(({ name }) => name) }
    },
  ),

  'integrations.tools.review': async (
    { db, caller, now, note },
    { workspaceId, id, tool, decision, digest, effect },
  ) => {
    await enter(db, caller, workspaceId)
    await found(integrations.findForUpdate(db, workspaceId, id, ''), 'integration')
    const before = await found(store.findForUpdate(db, id, tool), 'tool')
    if (before.status === 'gone') throw conflict('The server has this tool no more; refresh the list.')
    if (before.digest !== digest) {
      throw conflict('The tool has changed since you looked at it; look at it again.', { digest: before.digest })
    }
    const isApproved = decision === 'approve'
    await store.put(
      db,
      {
        ...before,
        status: isApproved ? 'approved' : 'denied',
        effect: effect ?? before.effect,
        approved: isApproved ? before.definition : before.approved,
        approvedDigest: isApproved ? digest : before.approvedDigest,
        reviewedBy: caller.userId,
        reviewedAt: now().toISOString(),
      },
      now(),
    )
    const after = store.toTool(await found(store.findForUpdate(db, id, tool), 'tool'))
    note({
      target: { object: 'integration', id },
      before: { tool, status: before.status, effect: before.effect },
      after: { tool, status: after.status, effect: after.effect },
    })
    return after
  },

  'integrations.tools.call': staged(
    async (ctx, { workspaceId, name, arguments: args = {} }) => {
      const { slug, tool } = store.partsOfName(name)
      const stored = await found(store.find(ctx.db, workspaceId, slug, tool), 'tool')
      refuseUnreviewed(stored)
      refuseWithoutScope(ctx.caller, stored)
      const fault = argumentsFault((stored.approved ?? stored.definition).inputSchema, args)
      if (fault !== null) throw badRequest(`"arguments" is not what the tool takes: ${fault}`)
      const target = await openedToUse(ctx, workspaceId, stored.integrationId, 'mcp')
      return { integrationId: stored.integrationId, answer: await called(ctx, target, tool, args) }
    },
    async ({ note }, { name }, { integrationId, answer }) => {
      const { isError, text, structuredContent } = answer
      note({ target: { object: 'integration', id: integrationId }, after: { name, isError } })
      return { name, isError, text, structuredContent }
    },
  ),
})

/** As for our own tools: what does more than read takes the right to run such tools. */
function refuseWithoutScope(caller: Caller, { effect }: store.Stored): void {
  const missing = effect === 'read' ? [] : scopesLacking(caller, ['agent_tools:write'])
  if (missing.length === 0) return
  const detail = 'To call a tool that does more than read needs the scope agent_tools:write.'
  throw forbidden(detail, { reason: 'scope', missing })
}

function refuseUnreviewed({ status, tool }: store.Stored): void {
  if (status === 'approved') return
  const why: Record<typeof status, string> = {
    review: 'nobody has reviewed it yet',
    changed: 'its server has changed it since it was approved',
    denied: 'it was denied',
    gone: 'its server has it no more',
  }
  throw forbidden(
    `The tool ${tool} cannot be called: ${why[status]}. Somebody with agent_tools:write reviews it in the console.`,
    {
      reason: 'policy',
      state: status,
    },
  )
}
