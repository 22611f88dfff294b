// The instance's cryptography: one secret, a key of its own for each purpose.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

export type Secrets = {
  /** HMAC-SHA-256 under the purpose's key. */
  sign(purpose: string, text: string): string
  /** AES-256-GCM; what is sealed for one purpose and about one thing opens for no other. */
  seal(purpose: string, text: string, about: string): string
  open(purpose: string, sealed: string, about: string): string
}

/** Tells one key from another without saying what it is. */
export function fingerprintOf(secretKey: string): string {
  return secretsFrom(secretKey).sign('instance', 'fingerprint')
}

/** `1.<key id>.<nonce, tag and text>`; before this form there was only the last part, which nothing tied to a record. */
const form = '1'

export function secretsFrom(secretKey: string): Secrets {
  // As key objects: made of bytes anew for each text, an HMAC takes 27 µs instead of 4.
  const keys = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    let key = keys.get(purpose)
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'atrium', purpose, 32)))
      keys.set(purpose, key)
    }
    return key
  }
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', keyFor(`sign ${purpose}`))
      .update(text)
      .digest('base64url')
  const keyId = sign('instance', 'key id').slice(0, 8)
  return {
    sign,
    seal(purpose, text, about) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keyFor(`seal ${purpose}`), nonce).setAAD(Buffer.from(about))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), sealed])
      return `${form}.${keyId}.${bytes.toString('base64url')}`
    },
    open(purpose, sealed, about) {
      const parts = sealed.split('.')
      if (parts.length > 1 && (parts.length !== 3 || parts[0] !== form)) throw new Error('it is not a sealed value')
      if (parts.length > 1 && parts[1] !== keyId) throw new Error('it was sealed with another key')
      const bytes = Buffer.from(parts.at(-1) ?? '', 'base64url')
      const key = keyFor(`seal ${purpose}`)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      if (parts.length > 1) decipher.setAAD(Buffer.from(about))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
