// Where oidc-provider keeps its things: hashed ids, payloads without the secret, sessions that hang on ours.
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { ApiError } from '../../../contract/errors.ts'
import { scopes as platformScopes, type Scope } from '../../../contract/scopes.ts'
import { isLoopbackUri, redirectUriFault } from '../../../kit/redirect_uris.ts'
import { tokenHash } from '../../../kit/tokens.ts'
import type { Platform } from '../../request/platform.ts'
import { record } from './record.ts'
import { identityScopes, nameOfResource } from './scopes.ts'
import * as store from './store.ts'
import { currentVisit } from './visit.ts'

/** A refresh token that was just used may come once more: two requests of one client often cross. */
const graceMs = 10_000

export function adapterOn(platform: Platform): (kind: string) => Adapter {
  return kind => {
    if (kind === 'Client') return clients(platform)
    if (kind === 'Grant') return grants(platform)
    return objects(platform, kind)
  }
}

/** Never asked of this kind. */
const nothing = async () => undefined

function clients(platform: Platform): Adapter {
  const { database, now } = platform
  return {
    find: async id => {
      const row = await store.findClient(database, id)
      return row && isUsable(row) ? metadataOf(row) : undefined
    },
    upsert: async (id, metadata) => {
      const client = selfRegistered(id, metadata)
      await database.transaction(async tx => {
        await store.putClient(tx, client, now())
        await record(platform, tx, {
          action: 'oauth_clients.post',
          workspaceId: null,
          actor: { type: 'anonymous', id: null, credentialId: null },
          target: { object: 'oauth_client', id },
          changes: [
            { path: 'name', after: client.name },
            { path: 'redirectUris', after: client.redirectUris },
          ],
        })
      })
    },
    findByUid: nothing,
    findByUserCode: nothing,
    consume: nothing,
    destroy: nothing,
    revokeByGrantId: nothing,
  }
}

const grantTypes = {
  code: 'authorization_code',
  refresh: 'refresh_token',
  device: 'urn:ietf:params:oauth:grant-type:device_code',
  client_credentials: 'client_credentials',
} as const

/**
 * A client that should have a secret and has none would be taken for a public one, and one that came with an archive was
 * never asked where it sends people back to.
 */
function isUsable({ type, secretHash, redirectUris }: store.ClientRow): boolean {
  if (type === 'confidential' && secretHash === null) return false
  return redirectUris.every(uri => redirectUriFault(uri, type) === null)
}

/** What runs on a person's own device: any port on loopback will do, and consent is asked each time. */
function isNative({ type, redirectUris }: store.ClientRow): boolean {
  return type === 'public' && redirectUris.some(uri => isLoopbackUri(uri) || !/^https?:/.test(uri))
}

function metadataOf(row: store.ClientRow): AdapterPayload {
  const { websiteUrl, privacyPolicyUrl, termsOfServiceUrl } = row
  const link = (name: string, url: string | null) => (url && URL.canParse(url) ? { [name]: url } : {})
  return {
    client_id: row.id,
    client_name: row.name,
    application_type: isNative(row) ? 'native' : 'web',
    redirect_uris: row.grants.includes('code') ? row.redirectUris : [],
    response_types: row.grants.includes('code') ? ['code'] : [],
    grant_types: row.grants.map(grant => grantTypes[grant]),
    token_endpoint_auth_method: row.secretHash === null ? 'none' : 'client_secret_basic',
    // The hash: what a client sends is hashed before it is compared.
    ...(row.secretHash !== null && { client_secret: row.secretHash }),
    ...(row.scopes !== null && { scope: [...identityScopes, ...row.scopes].join(' ') }),
    ...link('client_uri', websiteUrl),
    ...link('policy_uri', privacyPolicyUrl),
    ...link('tos_uri', termsOfServiceUrl),
  }
}

/** What a client says of itself, as far as it is kept. */
export function selfDescribed(metadata: AdapterPayload): Omit<store.NewClient, 'id' | 'origin'> {
  const redirectUris = [...(metadata.redirect_uris ?? [])]
  const asked = metadata.scope?.split(' ').filter((scope): scope is Scope => platformScopes.includes(scope as Scope))
  const kinds = Object.entries(grantTypes).filter(([, type]) => metadata.grant_types?.includes(type))
  return {
    name: (metadata.client_name ?? '').trim().slice(0, 128) || hostOf(redirectUris[0] ?? ''),
    redirectUris,
    scopes: asked ?? null,
    grants: kinds.map(([grant]) => grant as keyof typeof grantTypes),
    websiteUrl: metadata.client_uri ?? null,
  }
}

function hostOf(uri: string): string {
  return (URL.canParse(uri) && new URL(uri).host) || 'Unnamed application'
}

function selfRegistered(id: string, metadata: AdapterPayload): store.NewClient {
  if (metadata.token_endpoint_auth_method !== 'none') {
    throw new errors.InvalidClientMetadata('only public clients (token_endpoint_auth_method none) register themselves')
  }
  if (metadata.grant_types?.includes(grantTypes.client_credentials)) {
    throw new errors.InvalidClientMetadata('only clients of a workspace may use client_credentials')
  }
  const client = selfDescribed(metadata)
  const expected = client.redirectUris.map(uri => redirectUriFault(uri, 'public')).find(fault => fault !== null)
  const isPlain = client.redirectUris.every(uri => uri.startsWith('https:') || isLoopbackUri(uri))
  if (expected || !isPlain) throw new errors.InvalidRedirectUri()
  return { id, origin: 'dynamic', ...client }
}

function grants(platform: Platform): Adapter {
  const { database, now } = platform
  return {
    find: async id => {
      const payload = await store.findGrant(database, id)
      return payload && { ...payload, jti: id }
    },
    upsert: async (id, payload) => await store.updateGrant(database, id, payload, now()),
    destroy: id => endGrant(platform, id),
    findByUid: nothing,
    findByUserCode: nothing,
    consume: nothing,
    revokeByGrantId: nothing,
  }
}

/** The client gave it back, or showed a token that was already used: all tokens and keys of this consent end. */
async function endGrant(platform: Platform, id: string): Promise<void> {
  await platform.database.transaction(async tx => {
    const ended = await store.removeGrant(tx, id)
    if (!ended) return
    await record(platform, tx, {
      action: 'auth.grants.del',
      workspaceId: ended.workspaceId,
      actor: { type: 'oauth', id: ended.userId, credentialId: id },
      target: { object: 'grant', id },
    })
  })
}

/** Marks an id that is a hash already: of what is looked up by something else than its secret. */
const hashed = '#'
/** A device code by the code that its user typed, a session by its uid; no other kind is ever known by its hash. */
const foundOtherwise: ReadonlySet<string> = new Set(['DeviceCode', 'Session'])
/** At the pages where a user lets a device in, the interaction remembers the device code so. */
const devicePages: ReadonlySet<string | undefined> = new Set(['code_verification', 'device_resume'])

function objects(platform: Platform, kind: string): Adapter {
  const { database, now, config } = platform
  const idOf = (value: string) =>
    foundOtherwise.has(kind) && value.startsWith(hashed) ? value.slice(hashed.length) : tokenHash(value)
  const graceFrom = () => (kind === 'RefreshToken' ? new Date(now().getTime() - graceMs) : null)

  const readable = (found: store.FoundObject | undefined, jti: string): AdapterPayload | undefined => {
    if (!found || (kind === 'Session' && !isOurs(found))) return undefined
    const since = graceFrom()?.getTime() ?? Number.POSITIVE_INFINITY
    const isConsumed = found.consumedAt !== null && Date.parse(found.consumedAt) <= since
    return { ...found.payload, jti, ...(isConsumed && { consumed: true }) }
  }

  return {
    async upsert(id, payload, expiresIn) {
      const { grantId } = payload
      const isToken = kind !== 'Interaction' && kind !== 'Session'
      const resource = nameOfResource(config.PUBLIC_URL, payload.aud)
      const object = {
        id: idOf(id),
        kind,
        payload: withoutSecrets(payload),
        grantId: (isToken && grantId) || null,
        ...(kind === 'ClientCredentials' ? ownSecret(payload) : { clientId: null, secretHash: null }),
        sessionId: kind === 'Session' ? sessionOf(payload) : null,
        uid: kind === 'Session' ? (payload.uid ?? null) : null,
        userCode: payload.userCode ? tokenHash(payload.userCode) : null,
        resource,
        scopes: resource && payload.scope ? payload.scope.split(' ') : null,
        expires: new Date(now().getTime() + lifeOf(kind, payload, expiresIn) * 1000),
      }
      await store.putObject(database, object, now()).catch(error => {
        // The consent ended while the token was being made.
        if (error instanceof ApiError && error.kind === 'not_found') throw new errors.InvalidGrant('grant not found')
        throw error
      })
      if (kind === 'AccessToken' && grantId) await store.markUse(database, grantId, now())
      if (object.clientId !== null) await store.markClientUse(database, object.clientId, now())
    },
    async find(id) {
      // What somebody sent us is never taken for a hash: one from a copy of the database opens nothing.
      const isRemembered = kind === 'DeviceCode' && devicePages.has(Provider.ctx?.oidc.route)
      if (id.startsWith(hashed) && !isRemembered) return undefined
      return readable(await store.findObject(database, kind, idOf(id)), id)
    },
    async findByUid(uid) {
      const found = await store.findByUid(database, kind, uid)
      return readable(found, `${hashed}${found?.id}`)
    },
    async findByUserCode(userCode) {
      const found = await store.findByUserCode(database, kind, tokenHash(userCode))
      const payload = readable(found, `${hashed}${found?.id}`)
      return payload && { ...payload, userCode }
    },
    async consume(id) {
      if (await store.consumeObject(database, kind, idOf(id), graceFrom(), now())) return
      // Another request was quicker with the same secret.
      const found = await store.findObject(database, kind, idOf(id))
      const { grantId } = (found?.payload ?? {}) as AdapterPayload
      if (grantId) await endGrant(platform, grantId)
      throw new errors.InvalidGrant('already used')
    },
    destroy: id => store.removeObject(database, kind, idOf(id)),
    // The consent ends with them (revokeGrantPolicy), and they go along with it.
    revokeByGrantId: nothing,
  }
}

/** The client that asks for a token to act for itself, and the hash of the secret that it showed. */
function ownSecret({ clientId }: AdapterPayload) {
  return { clientId: clientId ?? null, secretHash: Provider.ctx?.oidc.client?.clientSecret ?? null }
}

const hourSeconds = 3600

/** Somebody who only looked at a page is remembered for an hour, whoever logs in for as long as the library says. */
function lifeOf(kind: string, { accountId }: AdapterPayload, expiresIn = hourSeconds): number {
  return kind === 'Session' && accountId === undefined ? Math.min(expiresIn, hourSeconds) : expiresIn
}

/** A session of the library counts only beside the session of ours that it began with. */
function isOurs({ payload, sessionId }: store.FoundObject): boolean {
  const { accountId } = payload as AdapterPayload
  return accountId === undefined || (sessionId !== null && sessionId === currentVisit()?.session?.id)
}

function sessionOf({ accountId }: AdapterPayload): string | null {
  if (accountId === undefined) return null
  const session = currentVisit()?.session
  if (session?.userId !== accountId) throw new errors.SessionNotFound('the session has ended')
  return session.id
}

function withoutSecrets(payload: AdapterPayload): object {
  const { jti: _, userCode: __, session, ...rest } = payload
  if (!session) return rest
  const { cookie: ___, ...known } = session
  return { ...rest, session: known }
}
