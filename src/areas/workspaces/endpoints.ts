// What the settings of every endpoint outside have in common: a plain address, and a key that is sent to no other host.
import { refused } from '../../contract/errors.ts'
import { type SealedValues, sealValues } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import { secretsColumn } from './agent/store.ts'

export function originOf(path: string, baseUrl: string | null): string | null {
  if (baseUrl === null) return null
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const isPlain = url !== null && !url.username && !url.password && !url.search && !url.hash
  if (url && isPlain && ['http:', 'https:'].includes(url.protocol)) return url.origin
  throw refused(path, 'url', 'an address such as https://models.example.com/v1, without a user or a query')
}

type Keyed = { name: string; key: string | undefined; isMoved: boolean }

/** The secrets as they are with this key; an empty one removes it. */
export function secretsWith(
  settings: Pick<Settings, 'seal'>,
  workspaceId: string,
  before: SealedValues,
  { name, key, isMoved }: Keyed,
): SealedValues {
  const { [name]: old, ...others } = before
  if (key !== undefined) {
    const sealed = key === '' ? {} : sealValues(settings, secretsColumn, workspaceId, { [name]: key })
    return { ...others, ...sealed }
  }
  // Whoever may change the address must not be sent the key that somebody else has put in.
  return old !== undefined && isMoved ? others : before
}
