// What the workspace uses; and where somebody is paid, its plan, its invoices and who pays.
import { Stack } from '@mantine/core'
import { useCall } from '../../api.ts'
import { NotAllowed } from '../../pages/states.tsx'
import { Loaded, Page } from '../../parts/page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { PlanPanel } from '../subscriptions/plan_panel.tsx'
import { AccountPanel } from './account_panel.tsx'
import { InvoicesPanel } from './invoices_panel.tsx'
import { UsagePanel } from './usage_panel.tsx'

export function BillingPage() {
  const workspaceId = useWorkspaceId()
  const { may, isKnown } = useStanding()
  const isOpen = may('billing.get')
  const account = useCall('billing.get', { workspaceId }, { enabled: isOpen })
  if (isKnown && !isOpen) return <NotAllowed title="Usage" id="billing.get" />
  const isPaid = account.data !== undefined && account.data.provider !== 'none'
  return (
    <Page
      title={isPaid ? 'Plan and billing' : 'Usage'}
      about={isPaid ? 'What the workspace has, uses and pays.' : 'What the workspace uses. Nothing is limited.'}
    >
      <Loaded query={account}>
        {shown => (
          <Stack>
            {isPaid && may('subscriptions.get') && <PlanPanel />}
            <UsagePanel />
            {isPaid && <InvoicesPanel />}
            {(isPaid || shown.providers.length > 1) && <AccountPanel account={shown} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
