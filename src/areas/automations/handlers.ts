// Carries out the operations on automations themselves; those of its folders are spread in.
import { badRequest, conflict } from '../../contract/errors.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { type Implementation, implement, staged } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { argumentsFault } from '../integrations/mcp/arguments.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { definitionOf, existing, held, save } from './changing.ts'
import { ownAutomations } from './contract.ts'
import { create, withHook } from './creating.ts'
import definitionHandlers from './definition/handlers.ts'
import { usual } from './definition/usual.ts'
import executionHandlers from './executions/handlers.ts'
import { findExecution } from './executions/store.ts'
import type { Definition } from './fields/contract.ts'
import hookHandlers from './hooks/handlers.ts'
import { rehearsed } from './rehearsing.ts'
import * as store from './store.ts'
import templateHandlers from './templates/handlers.ts'
import { enqueueAll, start, wordsFor } from './triggering/starting.ts'
import versionHandlers from './versions/handlers.ts'

const own = implement(ownAutomations, {
  'automations.list': ({ db, settings, now }, { workspaceId, ...query }) =>
    store.pageOfAutomations(db, query, workspaceId, settings.publicUrl, now()),

  'automations.get': (ctx, { workspaceId, id }) => existing(ctx, workspaceId, id),

  'automations.post': async (ctx, { workspaceId, name, description = null, enabled = true, ...given }) => {
    const { labels: labelIds, hookSecret, ...terms } = given
    const definition = { ...usual, ...terms } as Definition
    return await create(ctx, workspaceId, {
      ...{ name, description, enabled, definition },
      ...(labelIds && { labels: labelIds }),
      ...(hookSecret && { hookSecret }),
    })
  },

  'automations.patch': async (ctx, { workspaceId, id, ...given }) => {
    const { db, note, origin, settings } = ctx
    const before = await held(ctx, workspaceId, id)
    if (!isUnchanged(origin.ifMatch, before)) {
      throw conflict('The automation has changed since you read it; read it again.', { updated: before.updated })
    }
    const { name, description, enabled, hookSecret, labels: labelIds, ...terms } = given
    note({ before })
    if (Object.values(given).every(value => value === undefined)) {
      note({ unchanged: true })
      return withHook(settings, before, { token: null, secret: null })
    }
    const isDefined = Object.values(terms).some(value => value !== undefined)
    const hook = await save(ctx, before, {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(enabled !== undefined && { enabled }),
      ...(hookSecret !== undefined && { hookSecret }),
      ...(isDefined && { definition: { ...definitionOf(before), ...terms } as Definition }),
    })
    if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'automation', id, only: labelIds }])
    return withHook(settings, await existing(ctx, workspaceId, id), hook)
  },

  'automations.del': async (ctx, { workspaceId, id }) => {
    const { db, caller, access, note } = ctx
    const reach = reachOf(access, caller)
    if (!(await store.lock(db, workspaceId, id, reach))) await found(Promise.resolve(undefined), 'automation')
    note({ before: await existing(ctx, workspaceId, id) })
    await store.remove(db, workspaceId, id, reach)
    return { workspaceId, id, _object: 'automation' as const }
  },

  'automations.trigger': async (ctx, { workspaceId, id, input, payload }) => {
    const { db, caller, now, note } = ctx
    await enter(db, caller, workspaceId)
    const automation = await found(store.acting(db, id), 'automation')
    if (automation.workspaceId !== workspaceId) await found(Promise.resolve(undefined), 'automation')
    const trigger = automation.definition.triggers.find(({ on }) => on === 'manual')
    if (!trigger) throw conflict('It has no trigger `manual`; add one to start it by hand.')
    if (!automation.enabled) throw conflict('The automation is disabled; enable it first.', { state: 'disabled' })
    const given = input ?? payload ?? {}
    const fault = trigger.form ? argumentsFault(trigger.form, given) : null
    if (fault !== null) throw badRequest(`"input" is not what the form asks for: ${fault}`)
    const one = { triggerOn: 'manual' as const, triggerAt: now(), eventSeq: null, event: null, byUserId: caller.userId }
    const data = { on: 'manual', at: now().toISOString(), input: given }
    const started = await start(db, automation, [{ ...one, data }], now())
    const [made] = started.made
    if (!made) throw conflict(wordsFor(started.reason, automation.definition), { state: started.reason })
    await enqueueAll(ctx, [made])
    note({ target: { object: 'automation', id }, after: { executionId: made.id } })
    return await found(findExecution(db, id, made.id), 'execution')
  },

  'automations.dryRun': staged(
    async (ctx, { workspaceId, id, ...given }) => await rehearsed(ctx, await existing(ctx, workspaceId, id), given),
    async (_ctx, _input, shown) => shown,
  ),
})

export default {
  ...own,
  ...definitionHandlers,
  ...hookHandlers,
  ...executionHandlers,
  ...versionHandlers,
  ...templateHandlers,
} satisfies Implementation
