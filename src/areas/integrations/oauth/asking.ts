// The way of a person to the authorization server of an MCP server, and what is made of the code that they bring back.
import { conflict } from '../../../contract/errors.ts'
import { openValues } from '../../../kit/sealed.ts'
import { newToken } from '../../../kit/tokens.ts'
import type { Target } from '../kinds.ts'
import { authorizationUrl, type Discovered, discover, exchangeCode, pkce, register, type Tokens } from '../mcp/oauth.ts'
import { grantSecrets, startSecrets } from './contract.ts'
import * as store from './store.ts'
import type { Asking } from './tokens.ts'

/** The page of the console that people are sent back to: one for all, since clients are registered with it. */
const page = '/connected'
const clientName = 'Atrium'

export const moved = 'The address of the integration has changed meanwhile; connect it again.'

type Client = Pick<store.Start, 'clientId' | 'isRegistered' | 'clientUntil'> & { clientSecret: string | undefined }

export type Begun = Client & {
  /** Where the person goes. */
  goTo: string
  state: string
  codeVerifier: string
  url: string
  redirectUri: string
  discovered: Discovered
}

export async function begin(asking: Asking, target: Target): Promise<Begun> {
  const url = String(target.config.url)
  const redirectUri = `${asking.settings.publicUrl}${page}`
  const discovered = await discover(asking.fetch, url)
  const client = await clientFor(asking, target, discovered, redirectUri)
  const { codeVerifier, codeChallenge } = pkce()
  // The page must know which workspace it is about before anybody has told it.
  const state = `${target.workspaceId}.${newToken('state')}`
  const { scope } = target.config
  const asked = { clientId: client.clientId, redirectUri, state, codeChallenge }
  const goTo = authorizationUrl(discovered, { ...asked, ...(typeof scope === 'string' && { scope }) })
  return { ...client, goTo, state, codeVerifier, url, redirectUri, discovered }
}

/** The one that people have set, else the one that was registered before, else a new one. */
async function clientFor(
  { db, settings, fetch, now }: Asking,
  { workspaceId, id, config }: Target,
  discovered: Discovered,
  redirectUri: string,
): Promise<Client> {
  if (typeof config.clientId === 'string') {
    return { clientId: config.clientId, isRegistered: false, clientUntil: null, clientSecret: undefined }
  }
  const place = { workspaceId, id, issuer: discovered.issuer, redirectUri }
  const known = await store.registeredFor(db, place, now())
  if (known) {
    const column = known.of === 'grant' ? grantSecrets : startSecrets
    const { clientSecret } = openValues(settings, column, known.id, known.secrets)
    return { clientId: known.clientId, isRegistered: true, clientUntil: known.clientUntil, clientSecret }
  }
  const { clientId, clientSecret, secretExpiresAt } = await register(fetch, discovered, { redirectUri, clientName })
  return { clientId, isRegistered: true, clientUntil: secretExpiresAt, clientSecret: clientSecret ?? undefined }
}

type Brought = { code: string; iss: string | undefined }

/** `clientSecret` is to be kept beside the tokens. */
export async function exchanged(
  { settings, fetch, now }: Asking,
  target: Target,
  start: store.Start,
  { code, iss }: Brought,
): Promise<{ tokens: Tokens; clientSecret: string | undefined }> {
  const { codeVerifier = '', clientSecret } = openValues(settings, startSecrets, start.id, start.secrets)
  const { clientId, isRegistered, url, redirectUri, discovered } = start
  if (url !== target.config.url || !(isRegistered || clientId === target.config.clientId)) throw conflict(moved)
  const tokens = await exchangeCode(fetch, discovered, {
    ...{ code, codeVerifier, redirectUri, clientId, iss: iss ?? null, now: now() },
    clientSecret: (isRegistered ? clientSecret : target.secrets.clientSecret) ?? null,
  })
  return { tokens, clientSecret }
}
