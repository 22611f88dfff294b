// The signing key of ID tokens, made from the instance's secret: the same in every process, with nothing to keep.
import { createECDH } from 'node:crypto'
import type { JWK } from 'oidc-provider'
import type { Settings } from '../../../kit/settings.ts'

export function signingKey({ sign }: Pick<Settings, 'sign'>): JWK {
  for (let number = 1; ; number++) {
    const d = sign('oauth signing key', String(number))
    const curve = createECDH('prime256v1')
    try {
      curve.setPrivateKey(Buffer.from(d, 'base64url'))
    } catch {
      // One draw in four thousand million lies outside the curve's order.
      continue
    }
    const point = curve.getPublicKey()
    const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url')
    return { kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256', d, x: coordinate(1), y: coordinate(33) }
  }
}
