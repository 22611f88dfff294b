// Standard Webhooks: secrets, and the headers that say who sent a message and when.
import { createHmac, randomBytes } from 'node:crypto'

export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** As many bytes as the standard asks for. */
export function isSigningSecret(secret: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)
}

/** One signature for each secret: while one is being replaced there are two. */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
