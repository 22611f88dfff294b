// A keyring that lives as long as the test.
import type { Keyring } from '../../src/cli/keyring.ts'

export function memoryKeyring(): { keyring: Keyring; entries: Map<string, string> } {
  const entries = new Map<string, string>()
  const keyring: Keyring = {
    get: async profile => entries.get(profile) ?? null,
    set: async (profile, secret) => void entries.set(profile, secret),
    remove: async profile => void entries.delete(profile),
  }
  return { keyring, entries }
}
