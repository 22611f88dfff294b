// The instance's cryptography: one secret, a key of its own for each purpose.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

export type Secrets = {
  /** HMAC-SHA-256 under the purpose's key. */
  sign(purpose: string, text: string): string
  /** AES-256-GCM; what is sealed for one purpose opens for no other. */
  seal(purpose: string, text: string): string
  open(purpose: string, sealed: string): string
}

/** Tells one key from another without saying what it is. */
export function fingerprintOf(secretKey: string): string {
  return secretsFrom(secretKey).sign('instance', 'fingerprint')
}

export function secretsFrom(secretKey: string): Secrets {
  const keys = new Map<string, Buffer>()
  const keyFor = (purpose: string): Buffer => {
    let key = keys.get(purpose)
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', secretKey, 'atrium', purpose, 32))
      keys.set(purpose, key)
    }
    return key
  }
  return {
    sign: (purpose, text) =>
      createHmac('sha256', keyFor(`sign ${purpose}`))
        .update(text)
        .digest('base64url'),
    seal(purpose, text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyFor(`seal ${purpose}`), nonce)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', keyFor(`seal ${purpose}`), bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
