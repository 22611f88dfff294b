// Carries out the operations on API keys: a key never opens more than whoever makes or changes it.
import { badRequest, forbidden } from '../../contract/errors.ts'
import { roleScopes, scopesHeld, scopesLacking } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import { isAddressRange } from '../../kit/addresses.ts'
import type { Access, Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { violates } from '../../kit/db_errors.ts'
import { implement } from '../../kit/implement.ts'
import { notify } from '../../kit/notify.ts'
import { found } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { lockExisting } from '../../kit/references.ts'
import { hintOf, newKeySecret, tokenHash } from '../../kit/tokens.ts'
import { directory } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { ApiKeyId, apiKeys } from './contract.ts'
import * as store from './store.ts'

export default implement(apiKeys, {
  'api_keys.list': ({ db, caller, access }, { workspaceId, ...query }) =>
    store.pageOfKeys(db, query, workspaceId, reachOf(access, caller)),

  'api_keys.get': ({ db, caller, access }, { workspaceId, id }) =>
    existing(store.find(db, workspaceId, id, reachOf(access, caller))),

  'api_keys.post': async ({ db, caller, now }, { workspaceId, name, scopes }) => {
    const wanted = [...new Set(scopes)]
    refuseMissing(caller, wanted)
    const token = newKeySecret()
    const at = now()
    const key = {
      id: newId(ApiKeyId),
      workspaceId,
      ownerId: caller.ownerId,
      name,
      scopes: wanted,
      hint: hintOf(token),
      createdBy: caller.credentialId,
      createdByUserId: caller.userId,
      // What a key or run makes ends no later, opens from no further and stays of its kind.
      callerKind: caller.callerKind,
      allowedIps: caller.allowedIps === null ? null : [...caller.allowedIps],
      expires: caller.credential === 'session' ? null : caller.expires,
    }
    return { ...(await whileMember(store.insert(db, key, tokenHash(token), at))), token }
  },

  'api_keys.patch': async (ctx, { workspaceId, id, ...fields }) => {
    const { db, caller, access, now, note } = ctx
    const before = await existing(store.findForUpdate(db, workspaceId, id, reachOf(access, caller)))
    note({ before })
    if (Object.keys(fields).length === 0) {
      note({ unchanged: true })
      return before
    }
    if (fields.scopes) fields.scopes = [...new Set(fields.scopes)]
    if (fields.expires) fields.expires = momentAhead(fields.expires, now())
    const wrongRange = fields.allowedIps?.find(range => !isAddressRange(range))
    if (wrongRange !== undefined) throw badRequest('"allowedIps" takes addresses and ranges such as 203.0.113.0/24.')
    if (widens(before, fields)) {
      if (caller.credential !== 'session') throw forbidden('Widening a key needs a signed-in person.')
      refuseOthersKey(caller, access, before)
      // Whatever is widened, the whole key opens more then: all that it will hold must be held.
      refuseMissing(caller, fields.scopes ?? (await rightsOf(db, caller, before)))
    }
    const limit = fields.expires === undefined ? undefined : await oldestAge(db, workspaceId, new Date(before.created))
    const expires = limit === undefined ? {} : { expires: earliest(fields.expires ?? null, limit) }
    const did = before.enabled && fields.enabled === false ? 'disabled' : 'changed'
    await notify(ctx, { type: 'api_keys.patch', to: personOf(before), workspaceId, target: keyed(id), facts: { did } })
    return await store.update(db, id, { ...fields, ...expires }, now())
  },

  'api_keys.rotate': async ({ db, caller, access, now, note }, { workspaceId, id, overlapHours = 0 }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id, reachOf(access, caller)))
    note({ before })
    refuseOthersKey(caller, access, before)
    refuseMissing(caller, await rightsOf(db, caller, before))
    await refuseNarrower(db, caller, before)
    const token = newKeySecret()
    // What came with an import has no old secret that could go on.
    const oldUntil =
      overlapHours > 0 && before.hint !== null ? new Date(now().getTime() + overlapHours * 3_600_000) : null
    await store.replaceSecret(db, id, tokenHash(token), oldUntil, now())
    const oldSecretUntil = oldUntil?.toISOString() ?? null
    return { ...(await store.update(db, id, { hint: hintOf(token), oldSecretUntil }, now())), token }
  },

  'api_keys.endOldSecret': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id, reachOf(access, caller)))
    note({ before })
    if (before.oldSecretUntil === null) {
      note({ unchanged: true })
      return before
    }
    await store.endOldSecrets(db, id)
    return await store.update(db, id, { oldSecretUntil: null }, now())
  },

  'api_keys.transfer': async (ctx, { workspaceId, id, ownerId }) => {
    const { db, caller, access, now, note } = ctx
    // Workspace and team before the key, as everywhere.
    await workspaces.keepAlive(db, workspaceId)
    const isTeam = (await lockExisting(db, directory, workspaceId, 'team', [ownerId])).has(ownerId)
    const before = await existing(store.findForUpdate(db, workspaceId, id, reachOf(access, caller)))
    note({ before })
    if (access.role !== 'owner' && access.role !== 'admin') throw forbidden('Only admins hand keys over.')
    await refuseNarrower(db, caller, before)
    if (ownerId.startsWith('usr_'))
      throw badRequest('"ownerId" must be a team or "system"; a person makes their own key.')
    if (ownerId !== 'system' && !isTeam) throw badRequest('"ownerId" is not a team of this workspace.')
    const held = new Set(scopesHeld(caller))
    const ofOldOwner = new Set(await scopesOfOwner(db, workspaceId, before.ownerId))
    const scopes = before.scopes.filter(scope => held.has(scope) && ofOldOwner.has(scope))
    const token = newKeySecret()
    await store.replaceSecret(db, id, tokenHash(token), null, now())
    const { name } = before
    await notify(ctx, { type: 'api_keys.transfer', to: personOf(before), workspaceId, facts: { name } })
    return {
      ...(await store.update(db, id, { ownerId, scopes, hint: hintOf(token), oldSecretUntil: null }, now())),
      token,
    }
  },

  'api_keys.del': async (ctx, { workspaceId, id }) => {
    const { db, caller, access, note } = ctx
    const before = await existing(store.remove(db, workspaceId, id, reachOf(access, caller)))
    note({ before })
    const { name } = before
    await notify(ctx, { type: 'api_keys.del', to: personOf(before), workspaceId, facts: { name } })
    return { workspaceId, id, _object: 'api_key' as const }
  },
})

/** Whose key it is; members of a team cannot read the team's keys, so they are not told of them either. */
function personOf({ ownerId }: store.ApiKeyRow): string | null {
  return ownerId.startsWith('usr_') ? ownerId : null
}

function keyed(id: string) {
  return { object: 'api_key', id }
}

/** Whoever is removed while the key is being made gets none. */
async function whileMember<T>(inserting: Promise<T>): Promise<T> {
  try {
    return await inserting
  } catch (error) {
    if (violates(error, 'api_keys__member')) throw forbidden('You are no longer a member of this workspace.')
    throw error
  }
}

function existing(reading: Promise<store.ApiKeyRow | undefined>): Promise<store.ApiKeyRow> {
  return found(reading, 'API key')
}

function refuseMissing(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopesLacking(caller, scopes)
  if (missing.length > 0) {
    throw forbidden(`You do not hold ${missing.join(', ')} yourself, so the key cannot either.`, {
      reason: 'scope',
      missing,
    })
  }
}

/** A user's key belongs to that user alone; a team's and the platform's belong to those who run the workspace. */
function refuseOthersKey(caller: Caller, access: Access, key: store.ApiKeyRow): void {
  if (key.ownerId.startsWith('usr_')) {
    if (key.ownerId === caller.ownerId) return
    throw forbidden('Only its owner can do this to a personal key; you can disable or delete it.')
  }
  if (access.role !== 'owner' && access.role !== 'admin')
    throw forbidden('Only admins can do this to a key of a team or of the platform.')
}

/** A key that ends sooner, or may be used from fewer places, must not get itself a freer one: not even its own next secret. */
async function refuseNarrower(db: Db, caller: Caller, key: store.ApiKeyRow): Promise<void> {
  if (caller.credential === 'session') return
  const outlives = caller.expires !== null && (key.expires === null || key.expires > caller.expires)
  const wanders = caller.allowedIps !== null && !key.allowedIps?.every(range => caller.allowedIps?.includes(range))
  // What an application holds ends with its consent; a secret of a key that does not would stay behind.
  const grant = await store.grantOf(db, caller.credentialId)
  const escapes = grant !== null && (await store.grantOf(db, key.id)) !== grant
  if (outlives || wanders || escapes) {
    throw forbidden('This key may do less than that one; use a session, or a key without those bounds.')
  }
}

type Fields = Partial<Pick<store.ApiKeyRow, 'scopes' | 'enabled' | 'expires' | 'allowedIps'>>

function widens(before: store.ApiKeyRow, fields: Fields): boolean {
  const moreScopes = fields.scopes?.some(scope => !before.scopes.includes(scope)) ?? false
  const enables = fields.enabled === true && !before.enabled
  const lives =
    fields.expires !== undefined &&
    before.expires !== null &&
    (fields.expires === null || fields.expires > before.expires)
  const range = fields.allowedIps
  const roams =
    range !== undefined &&
    before.allowedIps !== null &&
    (range === null || !range.every(one => before.allowedIps?.includes(one)))
  return moreScopes || enables || lives || roams
}

/** A workspace may say how old its keys may grow. */
async function oldestAge(db: Db, workspaceId: string, from: Date): Promise<string | null> {
  const { maxKeyAgeDays } = await workspaces.findSettings(db, workspaceId)
  return maxKeyAgeDays ? new Date(from.getTime() + maxKeyAgeDays * 86_400_000).toISOString() : null
}

function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

async function scopesOfOwner(db: Db, workspaceId: string, ownerId: string): Promise<Iterable<Scope>> {
  if (ownerId === 'system') return roleScopes.admin
  if (ownerId.startsWith('team_')) return roleScopes.member
  const standing = await workspaces.standingOf(db, workspaceId, ownerId)
  return standing ? scopesHeld(standing) : []
}

/**
 * What a key opens, to compare with what the caller holds. For a person that is what it opens now: somebody who was
 * demoted can still rotate a key from before. For a key it is all that is written in it, should its owner rise again.
 */
async function rightsOf(db: Db, caller: Caller, key: store.ApiKeyRow): Promise<Scope[]> {
  if (caller.credential !== 'session') return key.scopes
  const ofOwner = new Set(await scopesOfOwner(db, key.workspaceId, key.ownerId))
  return key.scopes.filter(scope => ofOwner.has(scope))
}

/** In the one form in which moments can be compared as text; offsets and spellings differ on the way in. */
function momentAhead(text: string, now: Date): string {
  const moment = new Date(text)
  if (moment <= now) throw badRequest('"expires" lies in the past; to end the key now, disable or delete it.')
  return moment.toISOString()
}
