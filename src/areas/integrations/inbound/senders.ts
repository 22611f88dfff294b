// Whether what came is signed as its integration demands.
import type { Target } from '../kinds.ts'
import type { Received } from './payloads.ts'
import { verify } from './signatures.ts'

/** Null where it is, or where nothing is demanded; else what is wrong, for the owner of the integration. */
export function signatureFault({ type, config, secrets }: Target, received: Received, now: Date): string | null {
  const [scheme, secret] = demanded(type, config, secrets)
  if (scheme === null) return null
  if (secret === undefined) return 'No signing secret is set, so nothing can be checked.'
  const verdict = verify(scheme, [secret], received, now)
  return verdict.ok ? null : verdict.reason
}

type Scheme = Parameters<typeof verify>[0]

function demanded(
  type: Target['type'],
  config: Target['config'],
  secrets: Target['secrets'],
): [Scheme | null, string | undefined] {
  switch (type) {
    case 'slack':
      return ['slack', secrets.signingSecret]
    case 'github':
    case 'gitlab':
    case 'gitea':
      return [secrets.webhookSecret === undefined ? null : type, secrets.webhookSecret]
    default: {
      const scheme = (config.signature ?? 'none') as Scheme | 'none'
      return [scheme === 'none' ? null : scheme, secrets.signingSecret]
    }
  }
}
