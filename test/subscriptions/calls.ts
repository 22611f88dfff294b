// The rows of inputs of subscriptions.
import type { subscriptions } from '../../src/areas/subscriptions/contract.ts'
import { beginning } from '../../src/areas/subscriptions/money/state.ts'
import { save } from '../../src/areas/subscriptions/store.ts'
import { payingBy, unlimited } from '../billing/calls.ts'
import type { CallRow, World } from '../calls.ts'

const payingIn = (provider: 'manual' | 'stripe') => async (w: World) => {
  await payingBy(w.p, w.workspaceId, provider, unlimited)
  return { workspaceId: w.workspaceId }
}

/** Pays for a plan that limits nothing. */
async function planIn({ p, workspaceId }: World): Promise<void> {
  const { billing } = p.platform.settings
  if (!billing) throw new Error('the platform of tests bills')
  const now = p.now()
  const period = { from: now, to: new Date(now.getTime() + 30 * 86_400_000) }
  await save(
    p.database,
    workspaceId,
    'manual',
    { ...beginning(billing.file, 50), plan: 'walked', anchor: now, period },
    now,
  )
}

const urls = { successUrl: 'https://app.example.com/done', cancelUrl: 'https://app.example.com/back' }

export const calls: Record<keyof (typeof subscriptions)['operations'], CallRow> = {
  'subscriptions.plans': { input: () => ({}) },
  'subscriptions.get': { input: ({ workspaceId }) => ({ workspaceId }) },
  'subscriptions.preview': {
    input: async w => ({ ...(await payingIn('manual')(w)), plan: 'team', cycle: 'monthly', seats: 50 }),
  },
  // Of a plan that limits nothing: whoever walks over all operations goes on in the same workspace.
  'subscriptions.patch': {
    input: async w => {
      await planIn(w)
      return { workspaceId: w.workspaceId, cancel: true }
    },
  },
  'subscriptions.checkout': {
    input: async w => ({ ...(await payingIn('stripe')(w)), plan: 'team', cycle: 'monthly', seats: 50, ...urls }),
  },
}
