// The authorization server: oidc-provider with every default of its own replaced by ours.
import type { EventEmitter } from 'node:events'
import Provider, {
  type Client,
  type ClientAuthMethod,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { id } from '../../../contract/ids.ts'
import { scopes as platformScopes } from '../../../contract/scopes.ts'
import { sourceOf } from '../../../kit/addresses.ts'
import { newId } from '../../../kit/random.ts'
import { redirectUriFault } from '../../../kit/redirect_uris.ts'
import { countTry } from '../../../kit/tries.ts'
import type { Platform } from '../../request/platform.ts'
import { type Page, pageHeaders, pageHtml } from '../pages.ts'
import { adapterOn } from './adapter.ts'
import { signingKey } from './keys.ts'
import { routes } from './routes.ts'
import { claimScopes, identityScopes, isPlatformScope, nameOfResource, resourceUri } from './scopes.ts'
import { isForItself, settleScopes } from './settle_scopes.ts'
import * as store from './store.ts'
import { nameTokens } from './token_names.ts'
import { openUserinfo } from './userinfo.ts'
import { deviceCodePage, deviceConfirmPage, deviceDonePage, messagePage } from './views.ts'
import { currentVisit } from './visit.ts'

const hour = 3600
const day = 24 * hour
/** A consent is asked for again after this long, however much it is used. */
export const grantDays = 365
/** What a client says of itself is short, and somebody waits for it. */
const documentBounds = { timeoutMs: 2_500, maxBytes: 64 * 1024 }
const fetchLimit = { limit: 30, seconds: 60 }

export function authorizationServer(platform: Platform): Provider {
  const { config, settings, log } = platform
  const provider = new Provider(config.PUBLIC_URL, {
    adapter: adapterOn(platform),
    routes,
    features: featuresOf(platform),
    scopes: [...identityScopes, ...platformScopes],
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'] satisfies ClientAuthMethod[],
    // Those who describe themselves are treated as what most of them are: programs on a person's own machine.
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'], clientAuthSigningAlgValues: ['ES256'] },
    jwks: { keys: [signingKey(settings)] },
    cookies: {
      names: { session: 'oauth_session', interaction: 'oauth_interaction', resume: 'oauth_resume' },
      keys: [settings.sign('oauth cookies', '1')],
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: '/oauth' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: 60,
      ClientCredentials: hour,
      DeviceCode: 10 * 60,
      Grant: grantDays * day,
      IdToken: hour,
      Interaction: 30 * 60,
      RefreshToken: 30 * day,
      Session: 30 * day,
    },
    interactions: { url: (_, interaction) => `/oauth/interaction/${interaction.uid}` },
    findAccount: (_, sub) => accountOf(platform, sub),
    expiresWithSession: () => false,
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: (_, origin, client) => mayCall(origin, client, config.CORS_ORIGINS),
    renderError,
    fetch: (url, options) => readDocument(platform, new URL(String(url)), options as RequestInit),
  } satisfies Configuration)
  // Whether cookies are secure, and where links lead, follows PUBLIC_URL, which mount.ts puts into the headers.
  provider.proxy = true
  nameTokens(provider)
  openUserinfo(provider)
  provider.on('grant.error', explainGrant)
  provider.use(answerFaults)
  provider.on('server_error', (_, error) => log.error({ err: error }, 'an OAuth request failed'))
  ;(provider as EventEmitter).on('error', (error: unknown) => log.error({ err: error }, 'an OAuth request failed'))
  return provider
}

type Features = NonNullable<Configuration['features']>

function featuresOf(platform: Platform): Features {
  const { config, database, settings, now } = platform
  const uris = { v1: resourceUri(config.PUBLIC_URL, 'v1'), mcp: resourceUri(config.PUBLIC_URL, 'mcp') }
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: true },
    introspection: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
    revocation: {
      enabled: true,
      allowedPolicy(_, client, token) {
        if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token belongs to another client')
        return true
      },
    },
    registration: {
      enabled: config.OAUTH_DYNAMIC_REGISTRATION === 'true',
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory: () => newId(id('oauth_client', 24)),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx, _, oneOf) => {
        const scopes = settleScopes(ctx)
        if (oneOf) return oneOf.includes(uris.v1) ? uris.v1 : [...oneOf]
        // Someone who only asks who the user is gets a token for that alone.
        return scopes.some(isPlatformScope) || isForItself(ctx) ? uris.v1 : []
      },
      useGrantedResource: () => true,
      getResourceServerInfo(ctx, indicator) {
        settleScopes(ctx)
        if (!nameOfResource(config.PUBLIC_URL, indicator)) {
          throw new errors.InvalidTarget(`resource must be ${uris.v1} or ${uris.mcp}`)
        }
        return {
          scope: [...claimScopes, ...platformScopes].join(' '),
          accessTokenFormat: 'opaque',
          accessTokenTTL: hour,
        }
      },
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: () => {
        const source = sourceOf(currentVisit()?.address ?? '')
        return countTry({ db: database, now, settings }, ['oauth_metadata', source], fetchLimit)
      },
      allowClient: (_, client) =>
        (client.redirectUris ?? []).every(uri => redirectUriFault(uri, 'public') === null) &&
        client.clientAuthMethod === 'none' &&
        !client.grantTypeAllowed('client_credentials'),
    },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: () => ({}),
      userCodeInputSource: (ctx, _, __, error) => {
        const code = (error as { userCode?: string } | undefined)?.userCode ?? currentVisit()?.userCode ?? ''
        show(ctx, deviceCodePage(routes.code_verification, xsrfOf(ctx), code, problemOf(error)))
      },
      userCodeConfirmSource: (ctx, _, client, __, code) => {
        show(ctx, deviceConfirmPage(client, routes.code_verification, xsrfOf(ctx), code))
      },
      successSource: ctx => show(ctx, deviceDonePage(ctx.oidc.client as Client)),
    },
  }
}

function show(ctx: KoaContextWithOIDC, page: Page): void {
  ctx.set(pageHeaders(page))
  ctx.body = pageHtml(page)
}

function xsrfOf(ctx: KoaContextWithOIDC): string {
  return String((ctx.oidc.session?.state as { secret?: string } | undefined)?.secret ?? '')
}

function problemOf(error: Error | undefined): string | undefined {
  if (!error) return undefined
  if (error.name === 'AbortedError') return 'You refused the device. Nothing was connected.'
  if ('userCode' in error || error.name === 'NoCodeError') {
    return 'There is no such code, or it was used or has expired. Look at the device again.'
  }
  return 'That did not work. Start again on the device.'
}

const advice: Readonly<Record<string, string>> = {
  invalid_client: 'This application is not known here, or has been switched off.',
  invalid_redirect_uri: 'The application asked for its answer to be sent to an address that is not its own.',
  invalid_request: 'The application sent a request that cannot be understood.',
  server_error: 'Something went wrong on our side. Try again in a moment.',
}

/** Shown where nothing may be sent back to the application. */
async function renderError(ctx: KoaContextWithOIDC, out: ErrorBody, error: Error): Promise<void> {
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = out
    return
  }
  const text =
    error instanceof errors.SessionNotFound
      ? 'This page has expired. Go back to the application and start again.'
      : (advice[out.error] ?? 'The application sent a request that cannot be granted.')
  show(ctx, messagePage('This did not work', text, [out.error, out.error_description].filter(Boolean).join(': ')))
}

/** Left to itself the library's framework would answer with bare text, and take every header of ours away. */
async function answerFaults(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (error) {
    // The refusal stands where only the library's session could not be kept, as on a page whose session is gone.
    if (ctx.status >= 400 && ctx.body) return
    ctx.app.emit('error', error, ctx)
    ctx.status = 500
    await renderError(ctx, { error: 'server_error' }, error as Error)
  }
}

/** Only what the rightful client could know anyway: who lacks the code or the secret learns nothing from it. */
const grantFaults: readonly (readonly [detail: RegExp, told: string])[] = [
  [/code is expired/, 'the authorization code has expired; start again'],
  [/redirect_uri mismatch/, 'redirect_uri is not the one of the authorization request'],
  [/code_verifier/, 'code_verifier does not match the code_challenge of the authorization request'],
  [/code already consumed/, 'the authorization code was used before; start again'],
  [/refresh token already used/, 'the refresh token was used before, so the consent has ended; ask the user again'],
  [/refresh token is expired/, 'the refresh token has expired; ask the user again'],
  [/grant (is expired|not found)/, 'the user’s consent has ended; ask the user again'],
]

/** The library keeps the reason to itself. */
function explainGrant(ctx: KoaContextWithOIDC, error: Error): void {
  const { error_detail: detail = '', cause } = error as Error & { error_detail?: string }
  const body = ctx.body as ErrorBody | undefined
  const text = `${detail} ${(cause as Error | undefined)?.message ?? ''}`
  const told = grantFaults.find(([pattern]) => pattern.test(text))?.[1]
  if (body?.error === 'invalid_grant' && told) body.error_description = told
}

type ErrorBody = { error: string; error_description?: string | undefined }

async function accountOf({ database }: Platform, sub: string) {
  const person = await store.findPerson(database, sub)
  if (!person) return undefined
  const { forename, surname, username, provenEmail } = person
  return {
    accountId: sub,
    claims: async () => ({
      sub,
      name: [forename, surname].filter(Boolean).join(' '),
      given_name: forename,
      ...(surname && { family_name: surname }),
      ...(username && { preferred_username: username }),
      ...(provenEmail && { email: provenEmail, email_verified: true }),
    }),
  }
}

/** Pages of a public client may fetch its tokens, and those of origins that the operator names. */
function mayCall(origin: string, client: Client, corsOrigins: readonly string[]): boolean {
  if (corsOrigins.includes(origin)) return true
  const isOwn = (client.redirectUris ?? []).some(uri => URL.canParse(uri) && new URL(uri).origin === origin)
  return origin !== 'null' && client.clientAuthMethod === 'none' && isOwn
}

async function readDocument({ outbound }: Platform, url: URL, { method, headers, signal }: RequestInit) {
  if (url.protocol !== 'https:' || (method ?? 'GET') !== 'GET') throw new Error('documents are read over https')
  return await outbound(url, { ...documentBounds, headers: new Headers(headers), ...(signal && { signal }) })
}
