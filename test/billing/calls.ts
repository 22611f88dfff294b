// The rows of inputs of billing.
import type { billing } from '../../src/areas/billing/contract.ts'
import { writeInvoice } from '../../src/areas/billing/invoicing.ts'
import { withAmount } from '../../src/areas/billing/lines.ts'
import * as store from '../../src/areas/billing/store.ts'
import { putPlan } from '../../src/areas/workspaces/limits/store.ts'
import { id } from '../../src/contract/ids.ts'
import type { BillingProvider } from '../../src/contract/plans.ts'
import { newId } from '../../src/kit/random.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestPlatform } from '../helpers/platform.ts'
import { signed } from './stripe_server.ts'

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

/** By its store: nobody may say that a workspace pays somebody else while it pays. */
export async function payingBy(
  p: TestPlatform,
  workspaceId: string,
  provider: BillingProvider,
  plan = 'free',
): Promise<void> {
  await putPlan(p.database, workspaceId, { provider, plan, seats: 5 }, null)
}

/** For who walks over all operations in one workspace: nothing is limited there. */
export const unlimited = 'self_hosted'

/** An invoice of 24.00 and its tax. */
export async function invoiceIn({ p, workspaceId }: Pick<World, 'p' | 'workspaceId'>) {
  const { billing } = p.platform.settings
  if (!billing) throw new Error('the platform of tests bills')
  const now = p.now()
  const period = { from: now, to: new Date(now.getTime() + 30 * 86_400_000) }
  const line = withAmount({
    kind: 'recurring',
    dimension: 'seats',
    description: 'Team, 2 seats, monthly',
    quantity: 2,
    included: 0,
    per: 1,
    unitMinor: 1_200,
    secondsLeft: 0,
    secondsTotal: 0,
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    usageFromSeq: null,
    usageToSeq: null,
  })
  const invoice = await p.database.transaction(async tx => {
    const account = await store.lockAccount(tx, billing, workspaceId, now)
    return await writeInvoice(tx, billing, { provider: 'manual', account, lines: [line], period, now })
  })
  return { workspaceId, id: invoice?.id ?? '' }
}

export const calls: Record<keyof (typeof billing)['operations'], CallRow> = {
  'billing.get': { input: inWorkspace },
  'billing.patch': { input: w => ({ ...inWorkspace(w), legalName: 'Call Ltd' }) },
  'billing.usage.list': { input: inWorkspace },
  'billing.invoices.list': { input: inWorkspace },
  'billing.invoices.get': { input: invoiceIn },
  'billing.invoices.file': { input: invoiceIn },
  'billing.invoices.pay': { input: async w => ({ ...(await invoiceIn(w)), reference: 'Transfer' }) },
  'billing.portal': {
    input: async w => {
      await payingBy(w.p, w.workspaceId, 'stripe', unlimited)
      return { ...inWorkspace(w), returnUrl: 'https://app.example.com/billing' }
    },
  },
  'billing.provider_webhook.post': {
    input: ({ p }) => {
      const body = JSON.stringify({ id: newId(id('evt', 24)), type: 'customer.updated', data: { object: {} } })
      const headers = { 'stripe-signature': signed(body, p.now()) }
      return { provider: 'stripe', content: { kind: 'any', bytes: Buffer.from(body), headers } }
    },
  },
}
