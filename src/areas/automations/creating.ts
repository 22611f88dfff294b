// Saves automations: checked whole, within what the caller holds, each state a version.
import { badRequest, conflict, forbidden } from '../../contract/errors.ts'
import type { Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { newId } from '../../kit/random.ts'
import { sealValues } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import { hintOf, newToken, tokenHash } from '../../kit/tokens.ts'
import { newSigningSecret } from '../../kit/webhook_signing.ts'
import { findHead } from '../audit_logs/store.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { checkDefinition } from './definition/checking.ts'
import { nextTimes } from './definition/times.ts'
import { AutomationId, type Definition, type Trigger } from './fields/contract.ts'
import { peopleIn } from './people.ts'
import * as store from './store.ts'
import { insertVersion } from './versions/store.ts'

export type NewAutomation = {
  name: string
  description: string | null
  enabled: boolean
  definition: Definition
  labels?: readonly string[]
  hookSecret?: string
}

export type Creating = Pick<Context, 'db' | 'now' | 'settings'> & { caller: Caller }

const mostAutomations = 500
export const hookColumn = 'automations.hook_secret'

/** Its id, and what is shown of its webhook this once. */
export async function create(ctx: Creating, workspaceId: string, made: NewAutomation) {
  const { db, caller, now, settings } = ctx
  refuseFaulty(made.definition, caller)
  await enter(db, caller, workspaceId)
  if ((await store.countOf(db, workspaceId)) >= mostAutomations) {
    throw conflict(`A workspace has at most ${mostAutomations} automations; delete one first.`)
  }
  const id = newId(AutomationId)
  const { grants, ...definition } = made.definition
  const hook = newHook(settings, id, made.definition.triggers, made.hookSecret)
  const people = peopleIn(made.definition)
  const fields = { name: made.name, description: made.description, enabled: made.enabled, definition, grants, people }
  await store.insert(
    db,
    {
      ...{ id, workspaceId, ownerId: caller.ownerId, grantedBy: caller.ownerId, ...fields },
      ...{ events: eventsOf(definition.triggers), fromSeq: await headOf(db, workspaceId) },
      ...{ hookHint: hook.token && hintOf(hook.token), hookSecret: hook.sealed },
    },
    now(),
  )
  if (hook.token) await store.replaceHook(db, id, tokenHash(hook.token), now())
  await insertVersion(db, { workspaceId, automationId: id, version: 1, ...fields }, caller, now())
  await schedule(db, { id, workspaceId }, made.enabled ? made.definition : null, now())
  if (made.labels) await labels.changeLabels(db, workspaceId, [{ object: 'automation', id, add: made.labels }])
  const shown = (await store.find(db, workspaceId, id, settings.publicUrl, now())) as store.Shown
  return withHook(settings, shown, hook)
}

/** 400 with every fault and its place; 403 where the caller does not hold what it would be granted. */
export function refuseFaulty(definition: Definition, caller: Caller): void {
  const { faults } = checkDefinition(definition, caller)
  const held = faults.filter(({ rule }) => rule === 'held')
  const others = faults.filter(({ rule }) => rule !== 'held')
  if (others.length > 0) {
    const [first] = others
    const more = others.length > 1 ? ` ${others.length - 1} more places are wrong; see validation.` : ''
    throw badRequest(`"${first?.path}" must be ${first?.expected}.${more}`, others)
  }
  if (held.length === 0) return
  const missing = held.map(({ path }) => definition.grants[Number(path.split('.')[1])] ?? path)
  const detail = `An automation is granted at most what you hold: you lack ${missing.join(', ')}.`
  throw forbidden(detail, { reason: 'scope', missing })
}

export type Hook = { token: string | null; secret: string | null; sealed: ReturnType<typeof sealValues> }

export function newHook(settings: Settings, id: string, triggers: readonly Trigger[], given?: string): Hook {
  const trigger = triggers.find(({ on }) => on === 'webhook')
  if (!trigger) return { token: null, secret: null, sealed: {} }
  const secret = trigger.signed ? (given ?? newSigningSecret()) : null
  const sealed = secret ? sealValues(settings, hookColumn, id, { hookSecret: secret }) : {}
  return { token: newToken('ahk'), secret, sealed }
}

export function withHook(settings: Settings, shown: store.Shown, { token, secret }: Pick<Hook, 'token' | 'secret'>) {
  const hookUrl = token ? store.hookAddress(settings.publicUrl, token) : shown.hookUrl
  return { ...shown, hookUrl, hookSecret: secret }
}

/** The events that make it look; `issue.matched` is short for those that open or change issues. */
export function eventsOf(triggers: readonly Trigger[]): string[] {
  const all = triggers.flatMap(({ on, event }) => {
    if (on === 'issue.matched') return [...issueEvents]
    return on === 'event' && event !== undefined ? [event] : []
  })
  return [...new Set(all)].sort()
}

export const issueEvents = ['issues.post', 'issues.patch', 'issues.opened', 'issues.reopened'] as const

/** Null: it is not enabled, so it is never due. */
export async function schedule(
  db: Db,
  automation: { id: string; workspaceId: string },
  definition: Definition | null,
  now: Date,
): Promise<void> {
  const rows = (definition?.triggers ?? []).flatMap(({ on, cron = '', timezone = 'UTC', jitterSeconds = 0 }, place) =>
    on === 'schedule'
      ? [
          {
            ...{ place, cron, timezone, jitterSeconds, missed: definition?.missed ?? 'skip' },
            nextAt: nextTimes(cron, timezone, now, 1)[0]?.toISOString() ?? null,
          },
        ]
      : [],
  )
  await store.setSchedules(db, automation, rows)
}

export async function headOf(db: Db, workspaceId: string): Promise<number> {
  return (await findHead(db, workspaceId))?.seq ?? 0
}
