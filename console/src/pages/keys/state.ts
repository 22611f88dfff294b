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

/** Scopes that no call has ever needed: candidates to take away. */
export function unusedScopes(key: Key): string[] {
  return key.lastActive === null ? [] : key.scopes.filter(scope => !(scope in key.scopeUse))
}

export function ownerOf(ownerId: string, meId: string | undefined): string {
  if (ownerId === meId) return 'You'
  if (ownerId === 'system') return 'The workspace'
  return ownerId.startsWith('team_') ? 'A team' : 'Another member'
}
