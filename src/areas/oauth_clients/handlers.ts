// Carries out the operations on OAuth clients.
import { badRequest, conflict, forbidden } from '../../contract/errors.ts'
import { roleScopes, scopesLacking } from '../../contract/permissions.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { newId } from '../../kit/random.ts'
import { redirectUriFault } from '../../kit/redirect_uris.ts'
import { newToken, tokenHash } from '../../kit/tokens.ts'
import { grantOf } from '../api_keys/store.ts'
import { OauthClientId, oauthClients } from './contract.ts'
import * as store from './store.ts'

type GrantType = store.ClientRow['grants'][number]

const defaultGrants: GrantType[] = ['code', 'refresh']

export default implement(oauthClients, {
  'oauth_clients.list': ({ db }, { workspaceId, ...query }) => store.pageOfClients(db, query, workspaceId),

  'oauth_clients.get': ({ db }, { workspaceId, id }) => existing(store.find(db, workspaceId, id)),

  'oauth_clients.post': async ({ db, caller, now }, { redirectUris = [], grants = defaultGrants, ...fields }) => {
    const client = {
      description: null,
      contactEmail: null,
      logoUrl: null,
      websiteUrl: null,
      privacyPolicyUrl: null,
      termsOfServiceUrl: null,
      ...fields,
      id: newId(OauthClientId),
      redirectUris: [...new Set(redirectUris)],
      grants: [...new Set<GrantType>(grants)],
      scopes: [...new Set(fields.scopes)],
    }
    refuseUnusable(client)
    await refuseLending(db, caller, client)
    const clientSecret = client.type === 'confidential' ? newToken('ocs') : null
    return { ...(await store.insert(db, client, clientSecret && tokenHash(clientSecret), now())), clientSecret }
  },

  'oauth_clients.patch': async ({ db, caller, now, note }, { workspaceId, id, ...fields }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id))
    if (fields.redirectUris) fields.redirectUris = [...new Set(fields.redirectUris)]
    if (fields.grants) fields.grants = [...new Set(fields.grants)]
    if (fields.scopes) fields.scopes = [...new Set(fields.scopes)]
    return await patched(note, before, fields, async () => {
      const after = { ...before, ...fields }
      refuseUnusable(after)
      if (widens(before, after)) await refuseLending(db, caller, after)
      return await store.update(db, id, fields, now())
    })
  },

  'oauth_clients.rotateSecret': async ({ db, caller, now, note }, { workspaceId, id }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id))
    note({ before })
    if (before.type === 'public') throw conflict('A public client has no secret; make a confidential one instead.')
    await refuseLending(db, caller, before)
    await store.removeOwnTokens(db, id)
    const clientSecret = newToken('ocs')
    return { ...(await store.update(db, id, { secretHash: tokenHash(clientSecret) }, now())), clientSecret }
  },

  'oauth_clients.del': async ({ db, now, note }, { workspaceId, id }) => {
    note({ before: await existing(store.remove(db, workspaceId, id, now())) })
    return { workspaceId, id, _object: 'oauth_client' as const }
  },

  'oauth_clients.grants.list': async ({ db, now }, { workspaceId, id, ...query }) => {
    await existing(store.find(db, workspaceId, id))
    return await store.pageOfGrants(db, query, id, now())
  },

  'oauth_clients.grants.del': async ({ db, note }, { workspaceId, id, grantId }) => {
    await existing(store.find(db, workspaceId, id))
    const { userId, scopes } = await found(store.removeGrant(db, id, grantId), 'consent')
    note({ before: { id, grantId, userId, scopes }, target: { object: 'oauth_grant', id: grantId } })
    return { workspaceId, id, grantId, _object: 'oauth_grant' as const }
  },
})

function existing(reading: Promise<store.ClientRow | undefined>): Promise<store.ClientRow> {
  return found(reading, 'OAuth client')
}

/** A client must have a way in, and only addresses that nobody else can answer at. */
function refuseUnusable({
  type,
  grants,
  redirectUris,
}: Pick<store.ClientRow, 'type' | 'grants' | 'redirectUris'>): void {
  const actsForItself = grants.includes('client_credentials')
  const actsForUsers = grants.includes('code') || grants.includes('device')
  if (!actsForUsers && (!actsForItself || grants.includes('refresh'))) {
    throw refusal('grants', '"code" or "device" among them, or "client_credentials" alone')
  }
  if (actsForItself && type !== 'confidential') {
    throw refusal('grants', 'no "client_credentials", because a public client cannot keep a secret')
  }
  if (grants.includes('code') && redirectUris.length === 0) {
    throw refusal('redirectUris', 'at least one address, because the client uses the code grant')
  }
  for (const [index, uri] of redirectUris.entries()) {
    const expected = redirectUriFault(uri, type)
    if (expected) throw refusal(`redirectUris.${index}`, expected)
  }
}

/** Whether a client that acts for itself could do more than before. */
function widens(before: store.ClientRow, after: store.ClientRow): boolean {
  const begins = !before.grants.includes('client_credentials') || (after.isActive && !before.isActive)
  return begins || after.scopes.some(scope => !before.scopes.includes(scope))
}

/**
 * Whoever sets up a client that acts for itself, or gets its secret, can do what it can: they must hold that, by a
 * credential that does not end before the client does.
 */
async function refuseLending(
  db: Db,
  caller: Caller,
  { grants, scopes }: Pick<store.ClientRow, 'grants' | 'scopes'>,
): Promise<void> {
  if (!grants.includes('client_credentials')) return
  const missing = scopesLacking(
    caller,
    scopes.filter(scope => roleScopes.member.has(scope)),
  )
  if (missing.length > 0) {
    throw forbidden(`You do not hold ${missing.join(', ')} yourself, so a client that acts for itself cannot either.`, {
      reason: 'scope',
      missing,
    })
  }
  const isBounded = caller.expires !== null || caller.allowedIps !== null
  if (caller.credential !== 'session' && (isBounded || (await grantOf(db, caller.credentialId)) !== null)) {
    throw forbidden('A client that acts for itself would outlive this credential; log in and use the session instead.')
  }
}

function refusal(path: string, expected: string) {
  return badRequest(`"${path}" is not acceptable: expected ${expected}.`, [{ path, rule: 'usable', expected }])
}
