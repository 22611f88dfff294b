// Carries out the operations on cloud accounts.
import type { Static } from 'typebox'
import { badRequest, conflict } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { implement, staged } from '../../kit/implement.ts'
import { parseJson } from '../../kit/json.ts'
import { found, unique } from '../../kit/outcomes.ts'
import { pack } from '../../kit/packing.ts'
import { newId, randomText } from '../../kit/random.ts'
import { sealValues } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { keepAlive } from '../workspaces/store.ts'
import {
  accountIn,
  hold,
  isElsewhere,
  isSent,
  refuseAddresses,
  refuseFields,
  refuseMode,
  refuseUnknownRecords,
} from './accepting.ts'
import { catalog } from './catalog.ts'
import { cloudAccounts } from './contract.ts'
import { CloudAccountId, type Credentials, SyncId, secretsColumn } from './fields/contract.ts'
import { policyOf, setupOf } from './setup.ts'
import { readTerraformState } from './sources/terraform/reading.ts'
import { UnreadableSource } from './sources/unreadable.ts'
import * as store from './store.ts'
import { checkAccount } from './syncing/checking.ts'
import { findLeased } from './syncing/store.ts'
import { lacking, refuseSync, sourceOf } from './syncing/syncing.ts'
import * as syncs from './syncs/store.ts'

const usualInterval = 60
const usualRegions = ['us-east-1']
/** Each is read every few minutes. */
const mostAccounts = 50
/** Work on it may go on for a moment after it was deleted. */
const forgetAgainSeconds = 60

export default implement(cloudAccounts, {
  'cloud_accounts.catalog': async () => catalog(),

  'cloud_accounts.list': ({ db }, { workspaceId, ...query }) => store.pageOfAccounts(db, query, workspaceId),

  'cloud_accounts.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'cloud_accounts.setup': async ({ db, settings }, { workspaceId, id }) =>
    setupOf(await existing(db, workspaceId, id), settings),

  'cloud_accounts.syncs.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await syncs.pageOfSyncs(db, query, { workspaceId, id })
  },

  'cloud_accounts.post': staged(
    async (ctx, input) => {
      const config = input.config ?? {}
      refuseMode(ctx.access, input.mode)
      refuseFields({ ...input, config })
      await refuseUnknownRecords(ctx.db, ctx.caller, input.workspaceId, config)
      await refuseAddresses(ctx, config)
      return config
    },
    async ({ db, caller, now, settings, enqueue }, input, config) => {
      const { workspaceId, name, provider, mode = 'read_only', credentials = {}, labels: labelIds = [] } = input
      await enter(db, caller, workspaceId)
      await hold(db, workspaceId, config)
      await refuseMore(db, workspaceId)
      const isAws = provider === 'aws'
      const id = newId(CloudAccountId)
      const externalId = input.externalId ?? (config.roleArn === undefined ? null : accountIn(config.roleArn))
      const regions = input.regions && input.regions.length > 0 ? input.regions : isAws ? usualRegions : []
      const interval = input.syncIntervalMinutes === undefined ? usualInterval : input.syncIntervalMinutes
      const fields = {
        ...{ id, ownerId: caller.ownerId, name, provider, externalId, regions, mode, config },
        trustExternalId: isAws ? `atrium-${randomText(alphabet, 32)}` : null,
        syncIntervalMinutes: isSent(provider, config) ? null : interval,
        secrets: sealedOf(settings, id, credentials),
      }
      await once(externalId, store.insert(db, workspaceId, fields, now()))
      await labels.changeLabels(db, workspaceId, [{ object: 'cloud_account', id, add: labelIds }])
      const made = await existing(db, workspaceId, id)
      if (lacking(made) === null) await enqueue('cloud_accounts.sync', { workspaceId, id })
      return made
    },
  ),

  'cloud_accounts.patch': staged(
    async (ctx, { workspaceId, id, config, credentials, mode, ...input }) => {
      refuseMode(ctx.access, mode)
      const before = await existing(ctx.db, workspaceId, id)
      const { provider } = before
      refuseFields({ ...input, provider, config: config ?? before.config, credentials, ...wholeId(before, input) })
      if (config === undefined) return null
      await refuseUnknownRecords(ctx.db, ctx.caller, workspaceId, config)
      await refuseAddresses(ctx, config)
      return config
    },
    async ({ db, now, note, origin, settings, enqueue }, input, config) => {
      const { workspaceId, id, labels: labelIds, credentials, status, config: _, ...fields } = input
      await keepAlive(db, workspaceId)
      await hold(db, workspaceId, config ?? {})
      await store.lock(db, workspaceId, id)
      const before = await existing(db, workspaceId, id)
      if (!isUnchanged(origin.ifMatch, before)) {
        throw conflict('The account has changed since you read it; read it again.', { updated: before.updated })
      }
      const given = [...Object.values(fields), labelIds, credentials, status, config ?? undefined]
      note({ before })
      if (given.every(value => value === undefined)) {
        note({ unchanged: true })
        return before
      }
      const isMoved = config !== null && JSON.stringify(sorted(config)) !== JSON.stringify(sorted(before.config))
      // Whoever may change the address must not be sent the credentials that somebody else has put in.
      const drops = status === 'disconnected' || (config !== null && isElsewhere(before.config, config))
      const kept = credentials ?? (drops ? {} : undefined)
      const secrets = kept && sealedOf(settings, id, kept)
      const state = status ?? (before.status === 'disconnected' && credentials ? ('pending' as const) : undefined)
      const isStopped = isMoved || status === 'disconnected'
      if (isStopped) await syncs.giveUp(db, id, 'The account was changed before it was read.')
      const changes = { ...fields, ...intervalOf(before, config), updated: now() }
      const beside = { ...(config && { config }), secrets, isMoved, state }
      await once(fields.externalId ?? null, store.update(db, id, changes, beside))
      if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'cloud_account', id, only: labelIds }])
      const after = await existing(db, workspaceId, id)
      const isWanted = isMoved || credentials !== undefined || fields.regions !== undefined || status === 'pending'
      const canBe = lacking(after) === null && after.status !== 'disconnected'
      if (isWanted && canBe) await enqueue('cloud_accounts.sync', { workspaceId, id })
      return after
    },
  ),

  'cloud_accounts.validate': staged(
    async (ctx, { workspaceId, id }) => {
      const account = await found(findLeased(ctx.db, workspaceId, id), 'cloud account')
      const signal = AbortSignal.timeout(longestCheckMs)
      return await checkAccount({ ...ctx, id: ctx.origin.requestId, signal }, account)
    },
    async ({ db, now, note }, { workspaceId, id }, checked) => {
      await keepAlive(db, workspaceId)
      await store.lock(db, workspaceId, id)
      note({ before: await existing(db, workspaceId, id) })
      await once(checked.externalId, store.writeCheck(db, id, checked, now()))
      const after = await existing(db, workspaceId, id)
      return { ...after, policy: policyOf(after) }
    },
  ),

  'cloud_accounts.sync': async ({ db, now, note, enqueue }, { workspaceId, id }) => {
    await keepAlive(db, workspaceId)
    await store.lock(db, workspaceId, id)
    const account = await existing(db, workspaceId, id)
    refuseSync(account)
    note({ target: { object: 'cloud_account', id } })
    const sync = await syncs.insertWanted(db, account, sourceOf(account), now())
    await enqueue('cloud_accounts.sync', { workspaceId, id })
    return sync
  },

  'cloud_accounts.state.put': staged(
    async ({ db }, { workspaceId, id, content }) => {
      refuseUpload(await existing(db, workspaceId, id))
      const state = stateIn(content.bytes)
      return { externalId: state.externalId, unseen: state.unseen, packed: await pack(state) }
    },
    async ({ db, now, note, enqueue }, { workspaceId, id }, { unseen, packed }) => {
      await keepAlive(db, workspaceId)
      await store.lock(db, workspaceId, id)
      const account = await existing(db, workspaceId, id)
      refuseUpload(account)
      const change = { before: { status: account.status }, after: { status: 'syncing' } }
      note({ target: { object: 'cloud_account', id }, ...change })
      const told = { complete: true, source: 'sync' as const, found: packed, errors: unseen }
      const sync = await syncs.insertSync(db, account, told, now())
      await enqueue('cloud_infra.apply', { workspaceId, accountId: id })
      return sync
    },
  ),

  'cloud_accounts.del': async ({ db, now, note, enqueue }, { workspaceId, id }) => {
    await keepAlive(db, workspaceId)
    await store.lock(db, workspaceId, id)
    const before = await existing(db, workspaceId, id)
    note({ before })
    const at = await syncs.nextMoment(db, id, now())
    await store.remove(db, workspaceId, id)
    const { ownerId, provider } = before
    const told = { workspaceId, accountId: id, ownerId, provider, syncId: newId(SyncId), at: at.toISOString() }
    await enqueue('cloud_infra.forget', told)
    await enqueue('cloud_infra.forget', told, { startAfterSeconds: forgetAgainSeconds })
    return { workspaceId, id, _object: 'cloud_account' as const }
  },
})

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Nobody waits longer for an answer. */
const longestCheckMs = 50_000

function existing(db: Db, workspaceId: string, id: string): Promise<store.AccountRow> {
  return found(store.find(db, workspaceId, id), 'cloud account')
}

async function refuseMore(db: Db, workspaceId: string): Promise<void> {
  await store.lockCount(db, workspaceId)
  if ((await store.count(db, workspaceId)) < mostAccounts) return
  throw conflict(`A workspace has at most ${mostAccounts} cloud accounts; delete one that is not needed.`)
}

function once(externalId: string | null, writing: Promise<void>): Promise<void> {
  const detail = 'The workspace has an account of this provider with this external id already.'
  return unique(writing, 'cloud_accounts__external_id', detail, { externalId })
}

/** The id that it has, unless another is sent. */
function wholeId(before: store.AccountRow, { externalId }: { externalId?: string | null }) {
  return { externalId: externalId === undefined ? before.externalId : externalId }
}

/** What is no longer read, because its repository was taken away, has no interval either. */
function intervalOf({ provider }: store.AccountRow, config: store.Config | null) {
  return config && isSent(provider, config) ? { syncIntervalMinutes: null } : {}
}

function sorted(config: store.Config): [string, unknown][] {
  return Object.entries(config).sort(([one], [other]) => (one < other ? -1 : 1))
}

function sealedOf(settings: Settings, id: string, given: Static<typeof Credentials>) {
  const values = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return sealValues(settings, secretsColumn, id, Object.fromEntries(values))
}

function refuseUpload({ provider, config, status }: store.AccountRow): void {
  if (provider !== 'terraform_state') {
    throw conflict(`Only accounts of the provider terraform_state take a state; this one is of ${provider}.`)
  }
  if (config.repositoryId !== undefined) throw conflict('The state of this account is read from a repository.')
  if (status === 'disconnected') {
    throw conflict('The account is disconnected; set its status to pending first.', { state: status })
  }
}

/** The text is ours, and quotes nothing of the state. */
function stateIn(bytes: Uint8Array) {
  try {
    return readTerraformState(parseJson(Buffer.from(bytes)))
  } catch (error) {
    if (error instanceof UnreadableSource) throw badRequest(error.message)
    throw error
  }
}
