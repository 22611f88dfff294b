// The token that a person's consent gives for an MCP server: renewed before it ends, by one caller at a time.
import { conflict } from '../../../contract/errors.ts'
import type { Fetch } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { openValues, sealValues } from '../../../kit/sealed.ts'
import type { Settings } from '../../../kit/settings.ts'
import type { Target } from '../kinds.ts'
import { McpFailure } from '../mcp/failures.ts'
import { refresh, type Tokens } from '../mcp/oauth.ts'
import { grantSecrets } from './contract.ts'
import * as store from './store.ts'

export type Asking = { db: Db; settings: Settings; fetch: Fetch; now: () => Date }

/** A call that begins now should end before its token does. */
const renewedBeforeMs = 5 * 60_000
/** Longer than a request to the authorization server may take. */
const claimMs = 30_000
/** A server that refuses every token must not have one made for each call. */
const youngMs = 60_000

const connectAgain = 'The authorization server renews this connection no more; connect it again.'
const inAMoment = 'The token of this connection is being renewed; try again in a moment.'

/** Its tokens go to the address that they were given for, and its client is the one that is set now. */
export function isFor({ url, isRegistered, clientId }: store.Grant, { config }: Pick<Target, 'config'>): boolean {
  return url === config.url && (isRegistered || clientId === config.clientId)
}

/** Null where nobody has connected it as it is now. */
export async function grantedToken(asking: Asking, target: Target): Promise<string | null> {
  const grant = await store.grantOf(asking.db, target.workspaceId, target.id)
  if (!grant || !isFor(grant, target)) return null
  if (grant.needsConsent) throw conflict(connectAgain, { fault: 'consent' })
  if (!endsBy(grant, asking.now().getTime() + renewedBeforeMs)) return opened(asking, grant).accessToken
  const isGood = !endsBy(grant, asking.now().getTime())
  if (opened(asking, grant).refreshToken === undefined) {
    if (isGood) return opened(asking, grant).accessToken
    await store.endGrant(asking.db, grant, asking.now())
    throw conflict(connectAgain, { fault: 'consent' })
  }
  try {
    return await renewedToken(asking, target, grant)
  } catch (error) {
    // The server of tokens may be down while the token is still good.
    const isPassing = error instanceof McpFailure && ['unreachable', 'timeout'].includes(error.fault)
    if (isGood && isPassing) return opened(asking, grant).accessToken
    throw error
  }
}

/** In place of one that the MCP server refuses before its time; null where there is no other to be had. */
export async function tokenInPlaceOf(asking: Asking, target: Target, refused: string | null): Promise<string | null> {
  const grant = await store.grantOf(asking.db, target.workspaceId, target.id)
  if (!grant || !isFor(grant, target) || grant.needsConsent) return null
  const { accessToken, refreshToken } = opened(asking, grant)
  if (accessToken !== refused) return accessToken
  const isYoung = asking.now().getTime() - Date.parse(grant.updated) < youngMs
  return isYoung || refreshToken === undefined ? null : await renewedToken(asking, target, grant)
}

function endsBy({ expiresAt }: store.Grant, time: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= time
}

type Secrets = { accessToken: string; refreshToken?: string; clientSecret?: string }

function opened({ settings }: Asking, { id, secrets }: store.Grant): Secrets {
  return openValues(settings, grantSecrets, id, secrets) as Secrets
}

export function sealedTokens(
  settings: Settings,
  id: string,
  { accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>,
  clientSecret: string | undefined,
) {
  const values = { accessToken, ...(refreshToken !== null && { refreshToken }), ...(clientSecret && { clientSecret }) }
  return sealValues(settings, grantSecrets, id, values)
}

async function renewedToken(asking: Asking, target: Target, grant: store.Grant): Promise<string> {
  const { db, settings, now } = asking
  const claimedUntil = new Date(now().getTime() + claimMs)
  if (!(await store.claim(db, grant, claimedUntil, now()))) return await tokenOfOther(asking, grant)
  const { refreshToken = '', clientSecret } = opened(asking, grant)
  const tokens = await refresh(asking.fetch, grant.discovered, {
    clientId: grant.clientId,
    clientSecret: (grant.isRegistered ? clientSecret : target.secrets.clientSecret) ?? null,
    refreshToken,
    now: now(),
  }).catch(async error => {
    const code = error instanceof McpFailure ? error.code : null
    // Who was registered there can be so again; a client that people have set is theirs to put right.
    const isClientOver = grant.isRegistered && (code === 'invalid_client' || code === 'unauthorized_client')
    const isOver = isClientOver || code === 'invalid_grant'
    await store.letGo(db, grant, claimedUntil, { isOver, isClientOver }, now())
    throw isOver ? conflict(connectAgain, { fault: 'consent' }) : error
  })
  const secrets = sealedTokens(settings, grant.id, tokens, clientSecret)
  const given = { secrets, scope: tokens.scope ?? grant.scope, expiresAt: tokens.expiresAt }
  if (!(await store.renewed(db, grant, claimedUntil, given, now()))) throw conflict(inAMoment)
  return tokens.accessToken
}

/** Somebody else renews it: the old token as long as it is good, the new one where that is there already. */
async function tokenOfOther(asking: Asking, { workspaceId, id }: store.Grant): Promise<string> {
  const grant = await store.grantOf(asking.db, workspaceId, id)
  if (grant?.needsConsent) throw conflict(connectAgain, { fault: 'consent' })
  if (!grant || endsBy(grant, asking.now().getTime())) throw conflict(inAMoment)
  return opened(asking, grant).accessToken
}
