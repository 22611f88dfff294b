// Carries out the operations on OAuth clients.
import { badRequest, conflict, notFound } from '../../contract/errors.ts'
import { implement } from '../../kit/implement.ts'
import { newId } from '../../kit/random.ts'
import { redirectUriFault } from '../../kit/redirect_uris.ts'
import { newToken, tokenHash } from '../../kit/tokens.ts'
import { OauthClientId, oauthClients } from './contract.ts'
import * as store from './store.ts'

type GrantType = store.ClientRow['grants'][number]

const defaultGrants: GrantType[] = ['code', 'refresh']

export default implement(oauthClients, {
  'oauth_clients.list': ({ db }, { workspaceId, ...query }) => store.pageOfClients(db, query, workspaceId),

  'oauth_clients.get': ({ db }, { workspaceId, id }) => existing(store.find(db, workspaceId, id)),

  'oauth_clients.post': async ({ db, now }, { redirectUris = [], grants = defaultGrants, ...fields }) => {
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
    const clientSecret = client.type === 'confidential' ? newToken('ocs') : null
    return { ...(await store.insert(db, client, clientSecret && tokenHash(clientSecret), now())), clientSecret }
  },

  'oauth_clients.patch': async ({ db, now, note }, { workspaceId, id, ...fields }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id))
    note({ before })
    if (fields.redirectUris) fields.redirectUris = [...new Set(fields.redirectUris)]
    if (fields.grants) fields.grants = [...new Set(fields.grants)]
    if (fields.scopes) fields.scopes = [...new Set(fields.scopes)]
    refuseUnusable({ ...before, ...fields })
    return await store.update(db, id, fields, now())
  },

  'oauth_clients.rotateSecret': async ({ db, now, note }, { workspaceId, id }) => {
    const before = await existing(store.findForUpdate(db, workspaceId, id))
    note({ before })
    if (before.type === 'public') throw conflict('A public client has no secret; make a confidential one instead.')
    const clientSecret = newToken('ocs')
    return { ...(await store.update(db, id, { secretHash: tokenHash(clientSecret) }, now())), clientSecret }
  },

  'oauth_clients.del': async ({ db, note }, { workspaceId, id }) => {
    note({ before: await existing(store.remove(db, workspaceId, id)) })
    return { workspaceId, id, _object: 'oauth_client' as const }
  },

  'oauth_clients.grants.list': async ({ db, now }, { workspaceId, id, ...query }) => {
    await existing(store.find(db, workspaceId, id))
    return await store.pageOfGrants(db, query, id, now())
  },

  'oauth_clients.grants.del': async ({ db, note }, { workspaceId, id, grantId }) => {
    await existing(store.find(db, workspaceId, id))
    const before = await store.removeGrant(db, id, grantId)
    if (!before) throw notFound('consent')
    const { userId, scopes } = before
    note({ before: { id, grantId, userId, scopes }, target: { object: 'oauth_grant', id: grantId } })
    return { workspaceId, id, grantId, _object: 'oauth_grant' as const }
  },
})

async function existing(found: Promise<store.ClientRow | undefined>): Promise<store.ClientRow> {
  const client = await found
  if (!client) throw notFound('OAuth client')
  return client
}

/** A client must have a way in, and only addresses that nobody else can answer at. */
function refuseUnusable({
  type,
  grants,
  redirectUris,
}: Pick<store.ClientRow, 'type' | 'grants' | 'redirectUris'>): void {
  if (!grants.includes('code') && !grants.includes('device')) throw refusal('grants', '"code" or "device" among them')
  if (grants.includes('code') && redirectUris.length === 0) {
    throw refusal('redirectUris', 'at least one address, because the client uses the code grant')
  }
  for (const [index, uri] of redirectUris.entries()) {
    const expected = redirectUriFault(uri, type)
    if (expected) throw refusal(`redirectUris.${index}`, expected)
  }
}

function refusal(path: string, expected: string) {
  return badRequest(`"${path}" is not acceptable: expected ${expected}.`, [{ path, rule: 'usable', expected }])
}
