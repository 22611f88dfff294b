// Shows executions, does them again and cancels them.
import { conflict, forbidden } from '../../../contract/errors.ts'
import { scopesHeld, scopesLacking } from '../../../contract/permissions.ts'
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { existing } from '../changing.ts'
import { acting } from '../store.ts'
import { enqueueAll, start, wordsFor } from '../triggering/starting.ts'
import { findVersion } from '../versions/store.ts'
import { executions } from './contract.ts'
import * as store from './store.ts'

export default implement(executions, {
  'automations.executions.list': async (ctx, { workspaceId, id, ...query }) => {
    await existing(ctx, workspaceId, id)
    return await store.pageOfExecutions(ctx.db, query, id)
  },

  'automations.executions.get': async (ctx, { workspaceId, id, executionId }) => {
    const { db, caller } = ctx
    const { grants } = await existing(ctx, workspaceId, id)
    const execution = await found(store.findExecution(db, id, executionId), 'execution')
    const steps = await store.stepsOf(db, executionId)
    // What it read with its grants is for those who could have read it themselves.
    const isHidden = scopesLacking(caller, [...grants, ...(await store.grantsOf(db, executionId))]).length > 0
    const shown = isHidden ? { ...execution, trigger: { ...execution.trigger, data: null } } : execution
    return {
      ...{ ...shown, isHidden },
      steps: steps.map(({ until, ...step }) => ({
        ...step,
        waitsFor: step.waitsFor ?? (step.status === 'waiting' ? until : null),
        ...(isHidden && { input: null, output: null }),
      })),
    }
  },

  'automations.executions.rerun': async (ctx, { workspaceId, id, executionId, from }) => {
    const { db, caller, now, note } = ctx
    await enter(db, caller, workspaceId)
    await existing(ctx, workspaceId, id)
    const automation = await found(acting(db, id), 'automation')
    const before = await found(store.findExecution(db, id, executionId), 'execution')
    if (!['succeeded', 'failed', 'cancelled'].includes(before.status)) {
      throw conflict('It is not over yet; cancel it first, or wait.', { state: before.status })
    }
    if (!automation.enabled) throw conflict('The automation is disabled; enable it first.', { state: 'disabled' })
    const version = from === undefined ? automation.version : before.version
    const { grants } = await found(findVersion(db, id, version), 'version')
    // In the name of whoever does it again, within what they hold.
    const missing = scopesLacking(caller, grants)
    if (missing.length > 0) {
      throw forbidden(`To do it again takes what it is granted: you lack ${missing.join(', ')}.`, {
        ...{ reason: 'scope', missing },
      })
    }
    const held = new Set(scopesHeld(caller))
    const { trigger } = before
    const one = {
      ...{ triggerOn: trigger.on, triggerAt: now(), eventSeq: trigger.eventSeq, event: trigger.event },
      ...{ byUserId: caller.userId, data: trigger.data, rerunOf: executionId },
    }
    const acts = { ...automation, version, grantedBy: caller.ownerId, grants: grants.filter(scope => held.has(scope)) }
    const started = await start(db, acts, [one], now())
    const [made] = started.made
    if (!made) throw conflict(wordsFor(started.reason, automation.definition), { state: started.reason })
    if (from !== undefined) await store.copySteps(db, executionId, made.id, Number(from))
    await enqueueAll(ctx, [made])
    note({ target: { object: 'automation', id }, after: { executionId: made.id, rerunOf: executionId } })
    return await found(store.findExecution(db, id, made.id), 'execution')
  },

  'automations.executions.cancel': async (ctx, { workspaceId, id, executionId }) => {
    const { db, now, note, feed } = ctx
    await existing(ctx, workspaceId, id)
    const before = await found(store.findExecution(db, id, executionId), 'execution')
    if (!(await store.cancel(db, executionId, now()))) {
      throw conflict(`It is over already: it ${before.status}.`, { state: before.status })
    }
    const target = { object: 'automation', id }
    note({ target, before: { status: before.status }, after: { status: 'cancelled', executionId } })
    feed.tell(workspaceId, {
      ...{ action: 'automations.executions.moved', target, data: { executionId, status: 'cancelled' } },
    })
    for (const next of await store.nextPending(db, id, 1))
      await ctx.enqueue('automations.run', { id: next, slot: 'on' })
    return await found(store.findExecution(db, id, executionId), 'execution')
  },
})
