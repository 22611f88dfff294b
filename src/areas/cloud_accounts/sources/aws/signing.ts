// Signature Version 4: proves with each request who sends it and that nobody has changed it, without sending the secret.
import { createHash, createHmac } from 'node:crypto'

export type Keys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }

export type Unsigned = { method: string; url: URL; headers: Readonly<Record<string, string>>; body: string }

export type Scope = { service: string; region: string; at: Date }

/** The headers to send, with those of the signature among them; the host is signed, but set by whoever sends. */
export function signed(request: Unsigned, scope: Scope, keys: Keys): Record<string, string> {
  const moment = scope.at.toISOString().replace(/[-:]|\.\d+/g, '')
  const scopeText = `${moment.slice(0, 8)}/${scope.region}/${scope.service}/aws4_request`
  const hash = sha256(request.body)
  const headers: Record<string, string> = {
    ...lowerCased(request.headers),
    'x-amz-date': moment,
    ...(scope.service === 's3' && { 'x-amz-content-sha256': hash }),
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  }
  const signedOnes = { ...headers, host: request.url.host }
  const names = Object.keys(signedOnes).sort().join(';')
  const text = canonicalRequest(request, signedOnes, names, hash, scope.service)
  const toSign = ['AWS4-HMAC-SHA256', moment, scopeText, sha256(text)].join('\n')
  const signature = hmac(signingKey(keys.secretAccessKey, scopeText), toSign).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scopeText}, SignedHeaders=${names}, Signature=${signature}`
  return { ...headers, authorization }
}

function canonicalRequest(
  { method, url }: Unsigned,
  headers: Record<string, string>,
  names: string,
  hash: string,
  service: string,
): string {
  const lines = names.split(';').map(name => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [method, canonicalPath(url, service), canonicalQuery(url), lines.join(''), names, hash].join('\n')
}

/** Every service but S3 encodes the path that was sent, which is encoded already, once more. */
function canonicalPath({ pathname }: URL, service: string): string {
  return service === 's3' ? pathname : pathname.split('/').map(encoded).join('/')
}

/** By name and then by value, each in the order of bytes. */
function canonicalQuery({ search }: URL): string {
  const parts = search.slice(1).split('&').filter(Boolean)
  const pairs = parts.map(part => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part) ?? []
    return [encoded(decodeURIComponent(name)), encoded(decodeURIComponent(value))] as const
  })
  pairs.sort((one, other) => inOrder(one[0], other[0]) || inOrder(one[1], other[1]))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

function inOrder(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

/** What `encodeURIComponent` leaves as it is, and the signature does not. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function signingKey(secret: string, scopeText: string): Buffer {
  return scopeText.split('/').reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`))
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
