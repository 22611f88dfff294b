// Changes automations: what they do is a new version, in the name of whoever saves it.
import type { Context } from '../../kit/context.ts'
import { found } from '../../kit/outcomes.ts'
import { hintOf, tokenHash } from '../../kit/tokens.ts'
import { enter } from '../workspaces/entering/store.ts'
import { type Creating, eventsOf, type Hook, headOf, newHook, refuseFaulty, schedule } from './creating.ts'
import type { Definition } from './fields/contract.ts'
import { peopleIn } from './people.ts'
import * as store from './store.ts'
import { insertVersion } from './versions/store.ts'

/** Held for the change, with whoever makes it: nothing is left in the name of somebody who is gone. */
export async function held(ctx: Creating, workspaceId: string, id: string): Promise<store.Shown> {
  await enter(ctx.db, ctx.caller, workspaceId)
  await store.lock(ctx.db, workspaceId, id)
  return await existing(ctx, workspaceId, id)
}

export function existing(
  { db, settings, now }: Pick<Context, 'db' | 'settings' | 'now'>,
  workspaceId: string,
  id: string,
): Promise<store.Shown> {
  return found(store.find(db, workspaceId, id, settings.publicUrl, now()), 'automation')
}

export function definitionOf(shown: store.Shown): Definition {
  const { triggers, condition, steps, grants, concurrency, timeoutSeconds, retry, missed, maxPerHour } = shown
  return { triggers, condition, steps, grants, concurrency, timeoutSeconds, retry, missed, maxPerHour } as Definition
}

export type Saving = {
  name?: string
  description?: string | null
  enabled?: boolean
  definition?: Definition
  hookSecret?: string
}

const noHook: Hook = { token: null, secret: null, sealed: {} }

/** Returns what is shown of its webhook this once. Whoever enables it stands behind it, too. */
export async function save(ctx: Creating, before: store.Shown, saving: Saving): Promise<Hook> {
  const { db, caller, now, settings } = ctx
  const { id, workspaceId } = before
  const definition = saving.definition ?? definitionOf(before)
  const isOther = JSON.stringify(definition) !== JSON.stringify(definitionOf(before))
  const isEnabled = saving.enabled ?? before.enabled
  const isActing = isOther || (isEnabled && (!before.enabled || before.grantedBy === null))
  if (isActing) refuseFaulty(definition, caller)
  const { grants, ...kept } = definition
  const hook = hookAfter(settings, before, definition, saving.hookSecret)
  const version = isOther ? before.version + 1 : before.version
  const name = saving.name ?? before.name
  const changes: store.Changes = {
    ...(saving.name !== undefined && { name }),
    ...(saving.description !== undefined && { description: saving.description }),
    ...(isActing && { grantedBy: caller.ownerId }),
    ...(isOther && {
      definition: kept,
      grants,
      version,
      people: peopleIn(definition),
      events: eventsOf(kept.triggers),
    }),
    ...(saving.enabled !== undefined && { enabled: saving.enabled, failures: 0 }),
    ...(saving.enabled === true && { disabledReason: null }),
    // What happened while it was off is not for it.
    ...(isEnabled && !before.enabled && { fromSeq: await headOf(db, workspaceId) }),
    ...(hook && { hookHint: hook.token && hintOf(hook.token), hookSecret: hook.sealed }),
  }
  await store.update(db, id, changes, now())
  if (hook) await store.replaceHook(db, id, hook.token && tokenHash(hook.token), now())
  if (isOther) {
    const people = peopleIn(definition)
    await insertVersion(
      db,
      { workspaceId, automationId: id, version, name, definition: kept, grants, people },
      caller,
      now(),
    )
  }
  if (isOther || saving.enabled !== undefined) await schedule(db, before, isEnabled ? definition : null, now())
  return hook ?? noHook
}

/** Undefined where its webhook stays as it is. */
function hookAfter(
  settings: Creating['settings'],
  before: store.Shown,
  { triggers }: Definition,
  given: string | undefined,
): Hook | undefined {
  const [was, is] = [before.triggers, triggers].map(all => all.find(({ on }) => on === 'webhook'))
  const isSame = (was === undefined) === (is === undefined) && was?.signed === is?.signed && given === undefined
  return isSame ? undefined : newHook(settings, before.id, triggers, given)
}
