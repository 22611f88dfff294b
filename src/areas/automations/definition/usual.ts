// What holds where a definition does not say it.
import type { Definition } from '../fields/contract.ts'

/** The terms of `automations.post` where nothing is said. */
export const usual = {
  condition: null,
  concurrency: 'queue',
  timeoutSeconds: 600,
  retry: null,
  missed: 'skip',
  maxPerHour: 60,
} as const satisfies Partial<Definition>
