// Tokens for MCP servers: for the platform itself, or for a person who was sent to the authorization server.
import { createHash } from 'node:crypto'
import type { Fetch } from '../../../kit/context.ts'
import { withRandom } from '../../../kit/random.ts'
import { hiding } from '../hiding.ts'
import { McpFailure, shown, withReason } from './failures.ts'
import { type Discovered, type Exchanged, exchange } from './oauth_discovery.ts'

export { type Discovered, discover } from './oauth_discovery.ts'

/** `clientSecret` is null for clients that have none. */
export type OAuthClient = { clientId: string; clientSecret: string | null }

export type Tokens = {
  accessToken: string
  /** Null where the authorization server does not say. */
  expiresAt: Date | null
  refreshToken: string | null
  /** What was granted, which may be less than was asked for; null: all of it. */
  scope: string | null
}

const longestToken = 16 * 1024
/** Longer lives are not believed. */
const longestLifeSeconds = 10 * 365 * 24 * 3600

/** For the platform itself, without anybody's consent. */
export async function clientCredentials(
  fetch: Fetch,
  discovered: Discovered,
  { scope, now, ...client }: OAuthClient & { scope?: string; now: Date },
): Promise<Pick<Tokens, 'accessToken' | 'expiresAt' | 'scope'>> {
  const fields = { grant_type: 'client_credentials', ...(scope && { scope }) }
  const { accessToken, expiresAt, scope: granted } = await tokensBy(fetch, discovered, client, fields, now)
  return { accessToken, expiresAt, scope: granted }
}

/** Where the person is sent. `scope` is what the server asks for, where nothing is said. */
export function authorizationUrl(
  discovered: Discovered,
  asked: { clientId: string; redirectUri: string; scope?: string; state: string; codeChallenge: string },
): string {
  const { authorizationEndpoint, hasPkce, hasOfflineAccess, scopes, resource } = discovered
  if (authorizationEndpoint === null) {
    throw new McpFailure('auth', 'The authorization server has no page for people; use a client with a secret.')
  }
  // Without it, whoever gets hold of a code could use it.
  if (!hasPkce) throw new McpFailure('auth', 'The authorization server does not offer PKCE with S256, which is needed.')
  const all = hasOfflineAccess ? [...new Set([...scopes, 'offline_access'])] : scopes
  const scope = asked.scope ?? all.join(' ')
  const url = new URL(authorizationEndpoint)
  const fields = {
    response_type: 'code',
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    code_challenge: asked.codeChallenge,
    code_challenge_method: 'S256',
    resource,
    ...(scope && { scope }),
  }
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url.href
}

/** `iss` as it came back beside the code, or null: an answer of another authorization server is refused. */
export async function exchangeCode(
  fetch: Fetch,
  discovered: Discovered,
  {
    code,
    codeVerifier,
    redirectUri,
    iss,
    now,
    ...client
  }: OAuthClient & { code: string; codeVerifier: string; redirectUri: string; iss: string | null; now: Date },
): Promise<Tokens> {
  if (iss === null ? discovered.namesItself : iss !== discovered.issuer) {
    throw new McpFailure('auth', 'The answer is not of the authorization server that was asked.')
  }
  const fields = { grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: redirectUri }
  return await tokensBy(fetch, discovered, client, fields, now)
}

/** Gives the old refresh token where there is no new one. A failure with the code `invalid_grant` means: ask again. */
export async function refresh(
  fetch: Fetch,
  discovered: Discovered,
  { refreshToken, scope, now, ...client }: OAuthClient & { refreshToken: string; scope?: string; now: Date },
): Promise<Tokens> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, ...(scope && { scope }) }
  const tokens = await tokensBy(fetch, discovered, client, fields, now)
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/** Makes the platform known to the authorization server, where that lets anybody do so. */
export async function register(
  fetch: Fetch,
  { registrationEndpoint, tokenAuthMethods }: Discovered,
  { redirectUri, clientName }: { redirectUri: string; clientName: string },
): Promise<OAuthClient & { secretExpiresAt: Date | null }> {
  if (registrationEndpoint === null) {
    throw new McpFailure(
      'auth',
      'The authorization server does not register clients; enter the client that you made there.',
    )
  }
  // Many let only clients without a secret register themselves; PKCE binds their codes.
  const preferred = ['none', 'client_secret_basic', 'client_secret_post']
  const body = JSON.stringify({
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: preferred.find(method => tokenAuthMethods.includes(method)) ?? 'none',
  })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const answer = await exchange(fetch, registrationEndpoint, { method: 'POST', headers, body }, [])
  const { client_id: id, client_secret: secret, client_secret_expires_at: expires } = answer.body ?? {}
  if (answer.status !== 200 && answer.status !== 201)
    throw refused('The authorization server does not register it', answer, [])
  if (!isToken(id) || (secret !== undefined && !isToken(secret))) {
    throw new McpFailure('protocol', 'The authorization server gives no usable client.')
  }
  const isTimed = typeof expires === 'number' && expires > 0 && expires < 1e11
  return { clientId: id, clientSecret: secret ?? null, secretExpiresAt: isTimed ? new Date(expires * 1000) : null }
}

/** What a code is bound to: the verifier is kept, the challenge goes with the person. */
export function pkce(): { codeVerifier: string; codeChallenge: string } {
  const codeVerifier = withRandom(32, bytes => bytes.toString('base64url'))
  return { codeVerifier, codeChallenge: codeChallengeOf(codeVerifier) }
}

export function codeChallengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url')
}

async function tokensBy(
  fetch: Fetch,
  { tokenEndpoint, tokenAuthMethods, resource }: Discovered,
  { clientId, clientSecret }: OAuthClient,
  fields: Record<string, string>,
  now: Date,
): Promise<Tokens> {
  const form = new URLSearchParams({ ...fields, resource })
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  }
  if (clientSecret !== null && tokenAuthMethods.includes('client_secret_basic')) {
    headers.authorization = `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`
  } else {
    form.set('client_id', clientId)
    if (clientSecret !== null) form.set('client_secret', clientSecret)
  }
  const secrets = [clientSecret, fields.code, fields.code_verifier, fields.refresh_token]
  const answer = await exchange(fetch, tokenEndpoint, { method: 'POST', headers, body: form.toString() }, secrets)
  if (answer.status !== 200) throw refused('The authorization server gives no token', answer, secrets)
  return tokensFrom(answer.body ?? {}, now)
}

/** As forms are: RFC 6749, section 2.3.1. */
function encoded(text: string): string {
  return new URLSearchParams({ a: text }).toString().slice(2)
}

function refused(
  sentence: string,
  { status, body }: Exchanged,
  secrets: readonly (string | null | undefined)[],
): McpFailure {
  const hide = hiding(secrets)
  const { error, error_description: description } = body ?? {}
  const reason = [shown(error, hide), shown(description, hide)].filter(Boolean).join(', ')
  const code = typeof error === 'string' && /^[\w-]{1,60}$/.test(error) ? error : null
  return new McpFailure('auth', withReason(`${sentence} (${status})`, reason), code)
}

function tokensFrom(body: Record<string, unknown>, now: Date): Tokens {
  const { access_token, refresh_token, token_type = 'bearer', expires_in, scope } = body
  if (!isToken(access_token)) throw new McpFailure('protocol', 'The authorization server gives no usable token.')
  if (String(token_type).toLowerCase() !== 'bearer') {
    throw new McpFailure('protocol', 'The authorization server gives another kind of token than a bearer token.')
  }
  // Some say it as text.
  const seconds = typeof expires_in === 'number' || typeof expires_in === 'string' ? Number(expires_in) : -1
  const isTimed = seconds >= 0 && seconds <= longestLifeSeconds
  return {
    accessToken: access_token,
    expiresAt: isTimed ? new Date(now.getTime() + seconds * 1000) : null,
    refreshToken: isToken(refresh_token) ? refresh_token : null,
    scope: typeof scope === 'string' && /^[\x20-\x7e]{0,10000}$/.test(scope) ? scope : null,
  }
}

/** As far as a header can carry it. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestToken && /^[\x21-\x7e]+$/.test(value)
}
