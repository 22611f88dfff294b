// Carries out the operations on workspaces.
import { badRequest, conflict, forbidden, unauthorized } from '../../contract/errors.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import type { Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement } from '../../kit/implement.ts'
import { found, patched, unique } from '../../kit/outcomes.ts'
import { newId } from '../../kit/random.ts'
import { namesSet } from '../../kit/sealed.ts'
import { underFreeSlug } from '../../kit/slugs.ts'
import { changedAgent } from './agent/changing.ts'
import { defaultAgent, findSecrets, putSecrets } from './agent/store.ts'
import { workspaces } from './contract.ts'
import * as store from './store.ts'

const restoreDays = 30

export const defaultSettings = {
  timezone: 'UTC',
  retention: { auditDays: 400 },
  maxKeyAgeDays: null,
  pages: { links: true, maxTtlDays: null },
}

export default implement(workspaces, {
  'workspaces.list': ({ db, caller }, query) =>
    caller.boundTo === null
      ? store.pageForUser(db, query, caller.ownerId)
      : store.pageForKey(db, query, caller.boundTo),

  'workspaces.get': ({ db }, { workspaceId }) => existing(store.find(db, workspaceId)),

  'workspaces.post': async ({ db, caller, now, note }, { name, slug, description = null }) => {
    if (caller.userId === null) throw forbidden('Only a person can own a workspace.')
    const id = newId(WorkspaceId)
    note({ workspaceId: id })
    if (!(await store.keepUser(db, caller.userId))) throw unauthorized('The account has ended.')
    const fields = { id, name, description, ownerId: caller.userId }
    if (slug !== undefined) return await takingSlug(store.insert(db, { ...fields, slug }, now()))
    return await underFreeSlug(name, free => store.insertUnlessTaken(db, { ...fields, slug: free }, now()))
  },

  'workspaces.patch': async (ctx, { workspaceId, ownerId, ...fields }) => {
    const { db, now, note } = ctx
    const before = await existing(store.findForUpdate(db, workspaceId))
    note({ before })
    const isHandedOver = ownerId !== undefined && ownerId !== before.ownerId
    if (isHandedOver) await transfer(ctx, workspaceId, ownerId)
    if (!isHandedOver && Object.keys(fields).length === 0) {
      note({ unchanged: true })
      return before
    }
    return await takingSlug(store.update(db, workspaceId, fields, now()))
  },

  'workspaces.settings.get': ({ db }, { workspaceId }) => settingsOf(db, workspaceId),

  'workspaces.settings.patch': async ({ db, settings, now, note }, { workspaceId, agent: given, ...fields }) => {
    if (fields.timezone !== undefined && !isTimezone(fields.timezone)) {
      throw badRequest('"timezone" is not a known time zone; use a name such as Europe/London.')
    }
    await existing(store.findForUpdate(db, workspaceId))
    const before = await settingsOf(db, workspaceId)
    return await patched(note, before, { ...fields, given }, async () => {
      const kept = await findSecrets(db, workspaceId)
      const { agent, secrets } = changedAgent(settings, workspaceId, { agent: before.agent, secrets: kept }, given)
      const { secretsSet: _, ...plain } = { ...before, ...fields, agent }
      await store.putSettings(db, workspaceId, plain, now())
      if (secrets !== kept) await putSecrets(db, workspaceId, secrets)
      const after = { ...plain, secretsSet: namesSet(secrets) }
      // That the key is another one is a change, and what it is nobody is told.
      if (given?.key !== undefined) note({ after: { ...after, agent: { ...agent, key: given.key } } })
      return after
    })
  },

  'workspaces.del': async ({ db, now, note }, { workspaceId, confirm }) => {
    const before = await existing(store.findForUpdate(db, workspaceId))
    if (confirm !== before.slug) throw badRequest('"confirm" must be the slug of the workspace.')
    if (before.status === 'deleting')
      throw conflict('The workspace is already about to be deleted.', { state: 'deleting' })
    const deleteAt = new Date(now().getTime() + restoreDays * 86_400_000).toISOString()
    const after = await store.update(db, workspaceId, { status: 'deleting', deleteAt }, now())
    note({ before, after })
    return after
  },

  'workspaces.restore': async ({ db, now, note }, { workspaceId }) => {
    const before = await existing(store.findForUpdate(db, workspaceId))
    if (before.status !== 'deleting')
      throw conflict('The workspace is not about to be deleted.', { state: before.status })
    note({ before })
    return await store.update(db, workspaceId, { status: 'active', deleteAt: null }, now())
  },
})

async function settingsOf(db: Db, workspaceId: string) {
  const { agent, ...set } = await store.findSettings(db, workspaceId)
  const secretsSet = namesSet(await findSecrets(db, workspaceId))
  return { ...defaultSettings, ...set, agent: { ...defaultAgent, ...agent }, secretsSet }
}

function existing<T>(reading: Promise<T | undefined>): Promise<T> {
  return found(reading, 'workspace')
}

/** Only an owner, in person, can hand a workspace over, and only to somebody who already runs it. */
async function transfer(
  { db, caller, access, now }: { db: Db; caller: Context['caller']; access: Context['access']; now: () => Date },
  workspaceId: string,
  to: string,
): Promise<void> {
  // Asked again under the lock: another hand may have been quicker.
  const isOwner =
    access?.role === 'owner' && (await store.positionOf(db, workspaceId, caller?.ownerId ?? '')) === 'owner'
  if (caller?.credential !== 'session' || !isOwner) {
    throw forbidden('Only an owner who is signed in can hand a workspace over.')
  }
  const position = await store.positionOf(db, workspaceId, to)
  if (position !== 'admin' && position !== 'owner') {
    throw badRequest('"ownerId" must be an admin of the workspace; make that member an admin first.')
  }
  await store.handOver(db, workspaceId, to, now())
  if (to !== caller.ownerId) await store.stepDown(db, workspaceId, caller.ownerId, now())
}

function takingSlug<T>(writing: Promise<T>): Promise<T> {
  return unique(writing, 'workspaces__slug', 'That slug is taken; choose another.', { field: 'slug' })
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
