// Whether a request comes from whom it says: the ways in which senders sign, each with what it makes of the bytes.
import { createHmac } from 'node:crypto'
import { isSameSecret, tokenHash } from '../../../kit/tokens.ts'
import type { Received } from './payloads.ts'

export const schemes = [
  'github',
  'gitea',
  'gitlab',
  'sentry',
  'pagerduty',
  'grafana',
  'slack',
  'standard',
  'hmac',
] as const
export type Scheme = (typeof schemes)[number]

export type Verdict = { ok: true } | { ok: false; reason: string }

/** Any of the secrets may have made it, so that one can be replaced without losing what is under way. */
export function verify(scheme: Scheme, secrets: readonly string[], received: Received, now: Date): Verdict {
  // An empty secret is one that everybody knows.
  const known = secrets.filter(secret => secret !== '')
  if (known.length === 0) return refusal('This integration has no secret to check signatures with.')
  return ways[scheme](known, received, now)
}

type Way = (secrets: readonly string[], received: Received, now: Date) => Verdict

const ways: Readonly<Record<Scheme, Way>> = {
  github: prefixed('X-Hub-Signature-256', 'sha256='),
  gitea: (secrets, received, now) =>
    received.headers['x-gitea-signature'] === undefined && received.headers['x-hub-signature-256'] !== undefined
      ? ways.github(secrets, received, now)
      : prefixed('X-Gitea-Signature', '')(secrets, received, now),
  gitlab: ofGitlab,
  sentry: prefixed('Sentry-Hook-Signature', ''),
  pagerduty: ofPagerduty,
  grafana: ofGrafana,
  slack: ofSlack,
  standard: ofStandard,
  hmac: prefixed('X-Signature', 'sha256='),
}

const longestAgoMs = 5 * 60_000
/** Senders put two into a header while they change their secret. */
const mostSignatures = 10

function refusal(reason: string): Verdict {
  return { ok: false, reason }
}

function missing(header: string): Verdict {
  return refusal(`The header ${header} is missing.`)
}

function judged(isRight: boolean): Verdict {
  return isRight ? { ok: true } : refusal('The signature does not fit the body and the secret.')
}

function hmac(key: string | Buffer, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const made = createHmac('sha256', key)
  for (const part of parts) made.update(part)
  return made.digest()
}

/** One header with the signature of the body in hexadecimal digits, after a prefix. */
function prefixed(header: string, prefix: string): Way {
  return (secrets, { headers, bytes }) => {
    const given = headers[header.toLowerCase()]
    if (given === undefined || given.trim() === '') return missing(header)
    return judged(isSigned(secrets, [given.trim()], prefix, bytes))
  }
}

function isSigned(
  secrets: readonly string[],
  given: readonly string[],
  prefix: string,
  ...parts: readonly (string | Uint8Array)[]
): boolean {
  const expected = secrets.map(secret => prefix + hmac(secret, ...parts).toString('hex'))
  return given.some(one => expected.some(other => isSameSecret(one.toLowerCase(), other)))
}

/** The secret itself; since version 19, GitLab can sign as the standard has it instead. */
function ofGitlab(secrets: readonly string[], received: Received, now: Date): Verdict {
  const given = received.headers['x-gitlab-token']
  if (given === undefined || given === '') {
    if (received.headers['webhook-signature'] !== undefined) return ofStandard(secrets, received, now)
    return missing('X-Gitlab-Token')
  }
  // Of their hashes, since the comparison itself tells how long a secret is.
  const isRight = secrets.some(secret => isSameSecret(tokenHash(given), tokenHash(secret)))
  return isRight ? { ok: true } : refusal('The token in X-Gitlab-Token is not the secret.')
}

function ofPagerduty(secrets: readonly string[], { headers, bytes }: Received): Verdict {
  const given = headers['x-pagerduty-signature']
  if (given === undefined || given.trim() === '') return missing('X-PagerDuty-Signature')
  const list = given.split(',', mostSignatures).map(one => one.trim())
  return judged(isSigned(secrets, list, 'v1=', bytes))
}

/** Grafana has no name of its own for this header: whoever sets it up chooses one, and these are what it is called. */
const grafanaTimes = ['X-Grafana-Alerting-Timestamp', 'X-Grafana-Alerting-Signature-Timestamp']

function ofGrafana(secrets: readonly string[], { headers, bytes }: Received, now: Date): Verdict {
  const given = headers['x-grafana-alerting-signature']
  if (given === undefined || given.trim() === '') return missing('X-Grafana-Alerting-Signature')
  const header = grafanaTimes.find(name => headers[name.toLowerCase()] !== undefined)
  if (header === undefined) return judged(isSigned(secrets, [given.trim()], '', bytes))
  const time = headers[header.toLowerCase()] ?? ''
  return late(header, time, now) ?? judged(isSigned(secrets, [given.trim()], '', `${time}:`, bytes))
}

function ofSlack(secrets: readonly string[], { headers, bytes }: Received, now: Date): Verdict {
  const [given, time] = [headers['x-slack-signature'], headers['x-slack-request-timestamp']]
  if (given === undefined || given.trim() === '') return missing('X-Slack-Signature')
  if (time === undefined) return missing('X-Slack-Request-Timestamp')
  const wrong = late('X-Slack-Request-Timestamp', time, now)
  return wrong ?? judged(isSigned(secrets, [given.trim()], 'v0=', `v0:${time}:`, bytes))
}

/** https://www.standardwebhooks.com: `v1,<base64>` of `<id>.<time>.<body>`, several of them between spaces. */
function ofStandard(secrets: readonly string[], { headers, bytes }: Received, now: Date): Verdict {
  const id = headers['webhook-id']
  const time = headers['webhook-timestamp']
  const given = headers['webhook-signature']
  if (id === undefined || id === '') return missing('webhook-id')
  if (time === undefined) return missing('webhook-timestamp')
  if (given === undefined || given.trim() === '') return missing('webhook-signature')
  const wrong = late('webhook-timestamp', time, now)
  if (wrong) return wrong
  const keys = secrets.flatMap(keysOf)
  const expected = keys.map(key => `v1,${hmac(key, `${id}.${time}.`, bytes).toString('base64')}`)
  const list = given.trim().split(/\s+/, mostSignatures)
  return judged(list.some(one => expected.some(other => isSameSecret(one, other))))
}

const base64Form = /^[A-Za-z0-9+/_-]+={0,2}$/
/** As many bytes as the standard asks for: a password in letters is not taken for a short key by accident. */
const leastKeyBytes = 24

/** After `whsec_` comes the key in base64. Without it, senders mean either that or the text itself. */
function keysOf(secret: string): Buffer[] {
  const isMarked = secret.startsWith('whsec_')
  const text = isMarked ? secret.slice('whsec_'.length) : secret
  const key = base64Form.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  // Some senders keep any text behind the mark; an empty key is one that everybody knows.
  if (isMarked) return key.length > 0 ? [key] : [Buffer.from(secret)]
  return key.length >= leastKeyBytes ? [key, Buffer.from(secret)] : [Buffer.from(secret)]
}

/** A request that somebody has kept and sends again. Undefined where it is new. */
function late(header: string, time: string, now: Date): Verdict | undefined {
  if (!/^\d{1,12}$/.test(time)) return refusal(`The header ${header} is not a time in seconds.`)
  if (Math.abs(now.getTime() - Number(time) * 1_000) <= longestAgoMs) return undefined
  return refusal(`The time in ${header} is more than 5 minutes off: the request is old, or a clock is wrong.`)
}
