// Verifies Signature Version 4 the way AWS does, from the bytes of the request: written apart from what signs.
import { createHash, createHmac } from 'node:crypto'

export type Raw = { method: string; target: string; headers: Record<string, string>; body: Buffer }

export type Holder = { secret: string; token?: string; expires?: number }

export type Signer = { accessKeyId: string; service: string; region: string }

export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, text = code) {
    super(text)
    this.status = status
    this.code = code
  }
}

const form =
  /^AWS4-HMAC-SHA256 Credential=([\w]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

const windowMs = 5 * 60_000

/** Who signed it, for which service and region; a refusal otherwise. */
export function verified(raw: Raw, holders: ReadonlyMap<string, Holder>, now: Date): Signer {
  const match = form.exec(raw.headers.authorization ?? '')
  if (!match) throw new Refusal(403, 'MissingAuthenticationToken')
  const [, accessKeyId, day, region, service, names, signature] = match as unknown as string[]
  const holder = holders.get(accessKeyId!)
  if (!holder) throw new Refusal(403, 'InvalidClientTokenId')
  const moment = raw.headers['x-amz-date'] ?? ''
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(moment) ?? []
  const at = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s))
  if (!(Math.abs(at - now.getTime()) <= windowMs) || !moment.startsWith(day!)) {
    throw new Refusal(403, 'SignatureDoesNotMatch', 'Signature expired')
  }
  if (raw.headers['x-amz-security-token'] !== holder.token) throw new Refusal(403, 'InvalidClientTokenId')
  if (holder.expires !== undefined && holder.expires <= now.getTime()) throw new Refusal(403, 'ExpiredToken')
  const hash = createHash('sha256').update(raw.body).digest('hex')
  if (service === 's3' && raw.headers['x-amz-content-sha256'] !== hash)
    throw new Refusal(400, 'XAmzContentSHA256Mismatch')
  const list = names!.split(';')
  const mustBeSigned = Object.keys(raw.headers).filter(name => /^(host|content-type|x-amz-.*)$/.test(name))
  if (mustBeSigned.some(name => !list.includes(name)) || String([...list].sort()) !== String(list)) {
    throw new Refusal(403, 'SignatureDoesNotMatch', 'headers')
  }
  const canonical = canonicalOf(raw, list, hash, service === 's3')
  const scope = `${day}/${region}/${service}/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const toSign = `AWS4-HMAC-SHA256\n${moment}\n${scope}\n${digest}`
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = mac(mac(mac(mac(`AWS4${holder.secret}`, day!), region!), service!), 'aws4_request')
  if (mac(key, toSign).toString('hex') !== signature) throw new Refusal(403, 'SignatureDoesNotMatch')
  return { accessKeyId: accessKeyId!, service: service!, region: region! }
}

function canonicalOf({ method, target, headers }: Raw, names: string[], hash: string, isS3: boolean): string {
  const cut = target.indexOf('?')
  const path = cut < 0 ? target : target.slice(0, cut)
  const query = cut < 0 ? '' : target.slice(cut + 1)
  const segments = path.split('/').map(one => (isS3 ? percent(unpercent(one)) : percent(Buffer.from(one))))
  const pairs = query
    .split('&')
    .filter(one => one !== '')
    .map(one => {
      const at = one.indexOf('=')
      const [name, value] = at < 0 ? [one, ''] : [one.slice(0, at), one.slice(at + 1)]
      return [percent(unpercent(name!)), percent(unpercent(value!))] as const
    })
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
  pairs.sort(([a, b], [c, d]) => compare(a, c) || compare(b, d))
  const lines = names.map(name => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`)
  return `${method}\n${segments.join('/')}\n${pairs.map(pair => pair.join('=')).join('&')}\n${lines.join('')}\n${names.join(';')}\n${hash}`
}

const unreserved = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~'))

function percent(bytes: Buffer): string {
  let text = ''
  for (const byte of bytes) {
    text += unreserved.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

function unpercent(text: string): Buffer {
  const bytes: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '%') {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16))
      at += 2
    } else bytes.push(text.charCodeAt(at))
  }
  return Buffer.from(bytes)
}
