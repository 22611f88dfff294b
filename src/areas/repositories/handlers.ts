// Carries out the operations on repositories themselves; reading and finding are spread in.
import type { Static } from 'typebox'
import { conflict } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found, unique } from '../../kit/outcomes.ts'
import { type Reach, reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { lockExisting } from '../../kit/references.ts'
import { sealValues } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import { directory } from '../../operations.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { hostGiven, placeOf, refuseAddress, refuseCredentials, refuseHost, unknownHost } from './accepting.ts'
import { ownRepositories } from './contract.ts'
import { type Credentials, RepositoryId } from './fields/contract.ts'
import findingHandlers from './finding/handlers.ts'
import readingHandlers from './reading/handlers.ts'
import * as store from './store.ts'

const usualInterval = 60
/** Each is a mirror on the disk of the service, and a question to its host every few minutes. */
const mostRepositories = 200

const own = implement(ownRepositories, {
  'repositories.list': ({ db }, { workspaceId, ...query }) => store.pageOfRepositories(db, query, workspaceId),

  'repositories.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'repositories.post': staged(
    async (ctx, { workspaceId, url, provider, credentials = {}, integrationId = null }) => {
      const host = integrationId && (await hostGiven(ctx.db, ctx.caller, workspaceId, integrationId))
      const place = placeOf(url, provider ?? (host ? host.type : undefined))
      refuseCredentials(place, credentials)
      if (host) refuseHost(host, place, credentials)
      await ctx.git.ready()
      await refuseAddress(ctx, place)
      return place
    },
    async (ctx, input, place) => {
      const { db, caller, now, settings, enqueue } = ctx
      const { workspaceId, labels: labelIds = [], description = null, enabled = true, credentials = {} } = input
      const { syncIntervalMinutes = usualInterval, autofixEnabled = true, name = place.name } = input
      const { integrationId = null } = input
      await enter(db, caller, workspaceId)
      await hold(db, workspaceId, integrationId)
      await refuseMore(db, workspaceId)
      const id = newId(RepositoryId)
      const fields = { id, ownerId: caller.ownerId, name, description, enabled, autofixEnabled, syncIntervalMinutes }
      const { url, provider } = place
      const secrets = sealedOf(settings, id, credentials)
      await once(url, store.insert(db, workspaceId, { ...fields, url, provider, secrets, integrationId }, now()))
      await labels.changeLabels(db, workspaceId, [{ object: 'repository', id, add: labelIds }])
      if (enabled) await enqueue('repositories.sync', { workspaceId, id })
      return await existing(db, workspaceId, id)
    },
  ),

  'repositories.patch': staged(
    async (ctx, { workspaceId, id, url, credentials, integrationId }) => {
      if (url === undefined && credentials === undefined && !integrationId) return null
      const before = await existing(ctx.db, workspaceId, id)
      const place = placeOf(url ?? before.url, before.provider === 'local' ? 'local' : undefined)
      refuseCredentials(place, credentials ?? {})
      const host = integrationId && (await hostGiven(ctx.db, ctx.caller, workspaceId, integrationId))
      if (host) refuseHost(host, place, credentials ?? {})
      if (url === undefined) return null
      await ctx.git.ready()
      await refuseAddress(ctx, place)
      return place
    },
    async (ctx, input, place) => {
      const { db, now, note, origin, settings, enqueue } = ctx
      const { workspaceId, id, labels: labelIds, credentials, integrationId, hostKey, url: _, ...fields } = input
      await hold(db, workspaceId, integrationId ?? null)
      await store.lock(db, workspaceId, id)
      const before = await existing(db, workspaceId, id)
      if (!isUnchanged(origin.ifMatch, before)) {
        throw conflict('The repository has changed since you read it; read it again.', { updated: before.updated })
      }
      const given = [...Object.values(fields), labelIds, credentials, integrationId, hostKey, place ?? undefined]
      note({ before })
      if (given.every(value => value === undefined)) {
        note({ unchanged: true })
        return before
      }
      const isMoved = place !== null && place.url !== before.url
      // Whoever may change the address must not be sent the credentials that somebody else has put in.
      const kept = credentials ?? (isMoved || integrationId ? {} : undefined)
      const secrets = kept && sealedOf(settings, id, kept)
      const isReplaced = isMoved || Object.keys(credentials ?? {}).length > 0
      const host = integrationId !== undefined ? integrationId : isReplaced ? null : undefined
      const changes = { ...fields, ...(place && { url: place.url }), integrationId: host, updated: now() }
      const forgetsKey = hostKey === null
      await once(place?.url ?? before.url, store.update(db, id, changes, { secrets, isMoved, forgetsKey }))
      if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'repository', id, only: labelIds }])
      const after = await existing(db, workspaceId, id)
      const isOther = after.integrationId !== before.integrationId
      const isWanted =
        isMoved || credentials !== undefined || isOther || forgetsKey || (after.enabled && !before.enabled)
      if (isWanted && after.enabled) await enqueue('repositories.sync', { workspaceId, id })
      return after
    },
  ),

  'repositories.sync': staged(
    ({ git }) => git.ready(),
    async ({ db, enqueue }, { workspaceId, id }) => {
      await store.lock(db, workspaceId, id)
      const before = await existing(db, workspaceId, id)
      const { status } = before
      if (status === 'disabled') throw conflict('The repository is disabled; enable it first.', { state: status })
      if (status === 'syncing') throw conflict('The repository is being synced already.', { state: status })
      await enqueue('repositories.sync', { workspaceId, id })
      return before
    },
  ),

  'repositories.del': async ({ db, caller, access, note, enqueue }, { workspaceId, id }) => {
    const reach = reachOf(access, caller)
    await store.lock(db, workspaceId, id, reach)
    const before = await existing(db, workspaceId, id, reach)
    await store.remove(db, workspaceId, id, reach)
    note({ before })
    await enqueue('repositories.forget', { id })
    return { workspaceId, id, _object: 'repository' as const }
  },
})

function existing(db: Db, workspaceId: string, id: string, reach: Reach = null) {
  return found(store.find(db, workspaceId, id, reach), 'repository')
}

/** Before the repository is locked: whoever deletes the integration locks it first, too. */
async function hold(db: Db, workspaceId: string, integrationId: string | null): Promise<void> {
  if (integrationId === null) return
  const found = await lockExisting(db, directory, workspaceId, 'integration', [integrationId])
  if (!found.has(integrationId)) throw unknownHost()
}

async function refuseMore(db: Db, workspaceId: string): Promise<void> {
  await store.lockCount(db, workspaceId)
  if ((await store.count(db, workspaceId)) < mostRepositories) return
  throw conflict(`A workspace has at most ${mostRepositories} repositories; delete one that is not needed.`)
}

function once(url: string, writing: Promise<void>): Promise<void> {
  return unique(writing, 'repositories__url', 'The workspace has a repository with this address already.', { url })
}

function sealedOf(settings: Settings, id: string, given: Static<typeof Credentials>) {
  const values = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return sealValues(settings, 'repositories.secrets', id, Object.fromEntries(values))
}

export default { ...own, ...readingHandlers, ...findingHandlers }
