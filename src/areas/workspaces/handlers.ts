// Carries out the operations on workspaces.
import { badRequest, conflict, forbidden, unauthorized } from '../../contract/errors.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import type { Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found, patched, unique } from '../../kit/outcomes.ts'
import { newId } from '../../kit/random.ts'
import { namesSet } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import { underFreeSlug } from '../../kit/slugs.ts'
import { refuseTimezone } from '../../kit/time_zones.ts'
import { changedAgent } from './agent/changing.ts'
import { defaultAgent, findSecrets, putSecrets } from './agent/store.ts'
import { defaultAutofix } from './autofix/store.ts'
import claimHandlers from './claims/handlers.ts'
import { own as ownWorkspaces } from './contract.ts'
import { changedEmbeddings, shownEmbeddings } from './embeddings/changing.ts'
import { clearFault, defaultEmbeddings } from './embeddings/store.ts'
import exportHandlers from './exports/handlers.ts'
import importHandlers from './imports/handlers.ts'
import * as owners from './owners/store.ts'
import * as store from './store.ts'

const restoreDays = 30

export const defaultSettings = {
  timezone: 'UTC',
  retention: { auditDays: 400 },
  maxKeyAgeDays: null,
  pages: { links: true, maxTtlDays: null },
}

const own = implement(ownWorkspaces, {
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
    const isEmpty = Object.keys(fields).length === 0
    const find = () => existing(store.findForUpdate(db, workspaceId))
    const change = () => takingSlug(store.update(db, workspaceId, fields, now()))
    if (ownerId === undefined && !isEmpty) {
      // Sent together, since what changes does not depend on what was there: one way to the engine and back, not two.
      const [before, after] = await Promise.all([find(), change()])
      note({ before })
      return after
    }
    const before = await find()
    note({ before })
    const isHandedOver = ownerId !== undefined && ownerId !== before.ownerId
    if (isHandedOver) await transfer(ctx, workspaceId, ownerId)
    if (!isHandedOver && isEmpty) {
      note({ unchanged: true })
      return before
    }
    return await change()
  },

  'workspaces.settings.get': async (ctx, { workspaceId }) =>
    await settingsOf(ctx.db, workspaceId, await hasVectors(ctx, workspaceId)),

  'workspaces.settings.patch': staged(
    // Outside the transaction, since it may have to be made ready.
    (ctx, { workspaceId, embeddings }) => hasVectors(ctx, workspaceId, embeddings?.baseUrl),
    async ({ db, settings, now, note, enqueue }, { workspaceId, ...input }, isReady) => {
      const { agent: givenAgent, embeddings: givenEmbeddings, autofix: givenAutofix, ...fields } = input
      if (fields.timezone !== undefined) refuseTimezone(fields.timezone)
      await existing(store.findForUpdate(db, workspaceId))
      const before = await settingsOf(db, workspaceId, isReady)
      return await patched(note, before, input, async () => {
        const kept = await findSecrets(db, workspaceId)
        const of = { agent: before.agent, secrets: kept }
        const { agent, secrets: withAgent } = changedAgent(settings, workspaceId, of, givenAgent)
        const then = { embeddings: before.embeddings, secrets: withAgent }
        const { embeddings, secrets } = changedEmbeddings(settings, workspaceId, then, givenEmbeddings)
        const autofix = { ...before.autofix, ...givenAutofix }
        const { secretsSet: _, ...plain } = { ...before, ...fields, agent, autofix, embeddings }
        await store.putSettings(db, workspaceId, plain, now())
        if (secrets !== kept) await putSecrets(db, workspaceId, secrets)
        if (givenEmbeddings) {
          await clearFault(db, workspaceId)
          await enqueue('memories.embed', { workspaceId, cause: `settings ${now().toISOString()}` })
        }
        const shown = await shownEmbeddings(db, workspaceId, embeddings, isReady)
        const after = { ...plain, embeddings: shown, secretsSet: namesSet(secrets) }
        // That a key is another one is a change, and what it is nobody is told.
        const keys = { agent: { ...agent, key: givenAgent?.key }, embeddings: { ...shown, key: givenEmbeddings?.key } }
        note({ after: { ...after, ...keys } })
        return after
      })
    },
  ),

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

export default { ...own, ...exportHandlers, ...importHandlers, ...claimHandlers }

async function settingsOf(db: Db, workspaceId: string, isReady: boolean) {
  const { agent, autofix, embeddings, ...set } = await store.findSettings(db, workspaceId)
  const secretsSet = namesSet(await findSecrets(db, workspaceId))
  const shown = await shownEmbeddings(db, workspaceId, { ...defaultEmbeddings, ...embeddings }, isReady)
  const ofAgents = { agent: { ...defaultAgent, ...agent }, autofix: { ...defaultAutofix, ...autofix } }
  return { ...defaultSettings, ...set, ...ofAgents, embeddings: shown, secretsSet }
}

/** Asked only where somebody names an endpoint, so that nothing is made ready that nobody uses. */
async function hasVectors(
  { db, settings }: { db: Db; settings: Settings },
  workspaceId: string,
  baseUrl?: string | null,
): Promise<boolean> {
  if (settings.vectors === null) return false
  const named = baseUrl ?? (await store.findSettings(db, workspaceId)).embeddings?.baseUrl ?? null
  return named !== null && (await settings.vectors.ready())
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
  await owners.handOver(db, workspaceId, to, now())
  if (to !== caller.ownerId) await owners.stepDown(db, workspaceId, caller.ownerId, now())
}

function takingSlug<T>(writing: Promise<T>): Promise<T> {
  return unique(writing, 'workspaces__slug', 'That slug is taken; choose another.', { field: 'slug' })
}
