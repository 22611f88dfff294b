// An app of GitHub: it proves itself by its private key, and is given a token for its installation that lasts an hour.
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import type { Fetch } from '../../../kit/context.ts'
import type { Target } from '../kinds.ts'
import { HostFault } from './faults.ts'

type Asking = { fetch: Fetch; now: () => Date }

export function isApp({ type, secrets }: Pick<Target, 'type' | 'secrets'>): boolean {
  return type === 'github' && secrets.privateKey !== undefined
}

/** Null where it is no key that GitHub gives to apps. */
export function appKeyOf(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'rsa' ? key : null
  } catch {
    return null
  }
}

const minuteMs = 60_000
/** A sync may begin with it just before. */
const leastLeftMs = 5 * minuteMs

type Given = { token: string; endsMs: number }

/** In memory only, by everything that it was given for: with another key or another installation it is another token. */
const given = new Map<string, Given>()
const mostGiven = 1_000

export async function installationTokenOf(asking: Asking, target: Target, api: string): Promise<string> {
  const { id, config, secrets } = target
  const place = hash('sha256', JSON.stringify([id, api, config.appId, config.installationId, secrets.privateKey]))
  const nowMs = asking.now().getTime()
  const known = given.get(place)
  if (known && known.endsMs - leastLeftMs > nowMs) return known.token
  given.delete(place)
  const fresh = await asked(asking, target, api)
  for (const [one, { endsMs }] of given) if (endsMs - leastLeftMs <= nowMs) given.delete(one)
  if (given.size >= mostGiven) given.delete(given.keys().next().value ?? '')
  given.set(place, fresh)
  return fresh.token
}

async function asked({ fetch: ask, now }: Asking, { config, secrets }: Target, api: string): Promise<Given> {
  const url = `${api}/app/installations/${encodeURIComponent(String(config.installationId))}/access_tokens`
  const headers = {
    authorization: `Bearer ${proofOf(String(config.appId), secrets.privateKey ?? '', now())}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }
  let answer: { status: number; said: unknown }
  try {
    const response = await ask(url, { method: 'POST', headers })
    answer = { status: response.status, said: await response.json().catch(() => null) }
  } catch {
    throw new HostFault('unreachable', 'GitHub could not be asked for a token of the app; try again later.')
  }
  const { status, said } = answer
  if (status >= 500 || status === 429) {
    throw new HostFault('unreachable', `GitHub gives no token to the app now (${status}); try again later.`)
  }
  if (status !== 201) {
    const what = 'check appId, installationId and the private key'
    throw new HostFault('auth', `GitHub gives no token to the app of the integration (${status}); ${what}.`)
  }
  return readGiven(said)
}

/** What a header and git can be given; anything else is no answer of GitHub. */
const tokenForm = /^[!-~]{1,4096}$/

function readGiven(said: unknown): Given {
  const { token, expires_at: expires } = (said ?? {}) as { token?: unknown; expires_at?: unknown }
  const endsMs = typeof expires === 'string' ? Date.parse(expires) : Number.NaN
  if (typeof token !== 'string' || !tokenForm.test(token) || Number.isNaN(endsMs)) {
    throw new HostFault('unreachable', 'GitHub answered something else than a token of the app; check apiUrl.')
  }
  return { token, endsMs }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Begins a minute ago, since clocks differ, and lasts less than the ten minutes that GitHub allows. */
function proofOf(appId: string, pem: string, now: Date): string {
  const key = appKeyOf(pem)
  if (!key) throw new HostFault('auth', 'The private key of the app cannot be read: it must be the RSA key of GitHub.')
  const seconds = Math.floor(now.getTime() / 1_000)
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - 60, exp: seconds + 480, iss: appId })}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}
