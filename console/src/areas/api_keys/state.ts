// What there is to say about a key at a glance.
import type { ItemOf } from '../../../../src/client/catalogue.ts'

export type Key = ItemOf<'api_keys.list'>

const soonMs = 7 * 86_400_000

export function stateOf(key: Key, now = Date.now()): { text: string; color: string } | null {
  if (!key.enabled) return { text: 'Disabled', color: 'gray' }
  if (key.expires === null) return null
  const left = new Date(key.expires).getTime() - now
  if (left <= 0) return { text: 'Expired', color: 'red' }
  return left < soonMs ? { text: 'Expires soon', color: 'yellow' } : null
}

/** Long enough that what runs once a month has run. */
const patienceMs = 30 * 86_400_000

type Scoped = Readonly<{ created: string; scopes: readonly string[]; scopeUse: object }>

/** Scopes that no call has needed, of a key or consent that is old enough to say so: candidates to take away. */
export function unusedScopes({ created, scopes, scopeUse }: Scoped, now = Date.now()): string[] {
  if (now - new Date(created).getTime() < patienceMs) return []
  return scopes.filter(scope => !(scope in scopeUse))
}

/** Of a rotated key whose old secret still works. */
export function oldSecretUntil(key: Key, now = Date.now()): string | null {
  const { oldSecretUntil: until } = key
  return until !== null && new Date(until).getTime() > now ? until : null
}
