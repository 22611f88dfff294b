// Logging in through the service's own OAuth server: browser with a loopback redirect and PKCE, or a device code.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'openid-client'
import { openBrowser } from './browser.ts'
import { CliError } from './failures.ts'
import { configFolder } from './files.ts'
import { underLock } from './lock.ts'
import { openLogin, saveRenewed } from './logins.ts'
import { type OAuthCredential, readCredentials } from './profiles.ts'
import { clientId, type Session } from './session.ts'

const browserMinutes = 3
const resources = ['/v1', '/mcp'] as const

type Resource = (typeof resources)[number]

async function discover({ settings, terminal }: Session): Promise<oauth.Configuration> {
  const issuer = new URL(settings.baseUrl)
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(issuer.hostname)
  try {
    return await oauth.discovery(issuer, clientId, { token_endpoint_auth_method: 'none' }, oauth.None(), {
      algorithm: 'oauth2',
      // Plain http stays on this machine.
      execute: isLoopback ? [oauth.allowInsecureRequests] : [],
      [oauth.customFetch]: (url, init) => fetch(url, { ...init, signal: terminal.signal } as RequestInit),
    })
  } catch (error) {
    if (terminal.signal.aborted) throw error
    const { cause, message } = error as Error
    const isAway = (cause as Error | undefined)?.message === 'fetch failed' || message === 'fetch failed'
    if (isAway) throw new CliError('network', `${issuer.origin} does not answer.`, 'Is the service running?')
    throw new CliError(
      'failed',
      `${issuer.origin} offers no login through a browser (${message}).`,
      'Use an API key: atrium login --api-key -',
    )
  }
}

/** Everything the platform can be asked for; the person at the browser decides what of it is given. */
function scopeOf(session: Session): string {
  return [...new Set(session.digest.entries.flatMap(entry => entry.scopes))].sort().join(' ')
}

function resourceUrl(session: Session, resource: Resource): string {
  return session.settings.baseUrl + resource
}

export async function byBrowser(session: Session, opens: boolean): Promise<OAuthCredential> {
  const { stderr, env, signal } = session.terminal
  const config = await discover(session)
  const verifier = oauth.randomPKCECodeVerifier()
  const state = oauth.randomState()
  const listener = await listen(AbortSignal.any([signal, AbortSignal.timeout(browserMinutes * 60_000)]))
  try {
    const parameters = new URLSearchParams({
      redirect_uri: listener.redirectUri,
      scope: scopeOf(session),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    for (const resource of resources) parameters.append('resource', resourceUrl(session, resource))
    const address = oauth.buildAuthorizationUrl(config, parameters).href
    stderr.write(`Log in with your browser; if none opens, go to:\n  ${address}\n`)
    if (opens) openBrowser(address, env)
    const answer = await listener.answer
    const tokens = await oauth
      .authorizationCodeGrant(
        config,
        answer,
        { pkceCodeVerifier: verifier, expectedState: state },
        { resource: resourceUrl(session, '/v1') },
      )
      .catch(refusedLogin)
    return credentialFrom(session, tokens)
  } finally {
    listener.close()
  }
}

export async function byDevice(session: Session): Promise<OAuthCredential> {
  const { stderr, signal } = session.terminal
  const config = await discover(session)
  const parameters = new URLSearchParams({ scope: scopeOf(session) })
  for (const resource of resources) parameters.append('resource', resourceUrl(session, resource))
  const device = await oauth.initiateDeviceAuthorization(config, parameters).catch(refusedLogin)
  stderr.write(`On any device, open ${device.verification_uri} and type the code ${device.user_code}\n`)
  const wanted = { resource: resourceUrl(session, '/v1') }
  const tokens = await oauth.pollDeviceAuthorizationGrant(config, device, wanted, { signal }).catch(refusedLogin)
  return credentialFrom(session, tokens)
}

function refusedLogin(error: unknown): never {
  const { error: code, error_description: text } = error as { error?: string; error_description?: string }
  if (code === 'access_denied') throw new CliError('refused', 'The login was refused in the browser.')
  if (code === 'expired_token')
    throw new CliError('refused', 'The code was not typed in time.', 'Run: atrium login --device')
  if (code) throw new CliError('refused', `The login failed: ${text ?? code}.`, 'Run: atrium login')
  throw error
}

type Tokens = { access_token: string; refresh_token?: string; expires_in?: number }

function credentialFrom({ settings }: Session, tokens: Tokens): OAuthCredential {
  return {
    kind: 'oauth',
    baseUrl: settings.baseUrl,
    clientId,
    refreshToken: tokens.refresh_token,
    accessTokens: { '/v1': kept(tokens) },
  }
}

function kept({ access_token: token, expires_in: seconds = 3600 }: Tokens): { token: string; expires: string } {
  return { token, expires: new Date(Date.now() + seconds * 1000).toISOString() }
}

/** One process renews at a time: a refresh token is good once, and the others find what the first one stored. */
export async function renew(session: Session, resource: Resource): Promise<string> {
  const { terminal, settings } = session
  return await underLock(configFolder(terminal.env), terminal.signal, async () => {
    const login = readCredentials(terminal)[settings.profile]
    const stored = login && (await openLogin(terminal, settings.profile, login))
    if (stored?.kind !== 'oauth') throw loginEnded()
    const found = stored.accessTokens[resource]
    if (found && Date.parse(found.expires) - Date.now() > 30_000) return found.token
    if (!stored.refreshToken) throw loginEnded()
    const config = await discover(session)
    const wanted = { resource: resourceUrl(session, resource) }
    const tokens = await oauth.refreshTokenGrant(config, stored.refreshToken, wanted).catch(error => {
      if ((error as { error?: string }).error === 'invalid_grant') throw loginEnded()
      return refusedLogin(error)
    })
    await saveRenewed(terminal, settings.profile, {
      ...stored,
      refreshToken: tokens.refresh_token ?? stored.refreshToken,
      accessTokens: { ...stored.accessTokens, [resource]: kept(tokens) },
    })
    return tokens.access_token
  })
}

function loginEnded(): CliError {
  return new CliError('refused', 'Your login has ended.', 'Run: atrium login')
}

/** Ends the whole login; one that the service has ended already is no failure. */
export async function revoke(session: Session, credential: OAuthCredential): Promise<void> {
  const token = credential.refreshToken ?? credential.accessTokens['/v1']?.token
  if (token) await oauth.tokenRevocation(await discover(session), token)
}

type Listener = { redirectUri: string; answer: Promise<URL>; close(): void }

/** Waits on this machine for the browser to come back with the code. */
async function listen(signal: AbortSignal): Promise<Listener> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', redirectUri)
    if (url.pathname !== '/callback') return void response.writeHead(404).end()
    const isRefused = url.searchParams.has('error')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
    response.end(closingPage(isRefused ? 'The login was refused.' : 'You are logged in.'), () => resolve(url))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  signal.addEventListener('abort', () =>
    reject(
      new CliError(
        'refused',
        `Nobody logged in for ${browserMinutes} minutes.`,
        'Run: atrium login, or: atrium login --device',
      ),
    ),
  )
  promise.catch(() => {})
  return {
    redirectUri,
    answer: promise,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function closingPage(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Atrium</title>
<body style="font: 16px system-ui; margin: 4rem auto; max-width: 30rem"><h1>${text}</h1>
<p>You can close this page and go back to the terminal.</p></body></html>`
}
