// Who pays, and what stands on the invoices.
import '../../form/rich_input.tsx'
import 'virtual:contract/billing'
import { Button } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useMemo } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import type { FieldHint } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

type Account = ResultOf<'billing.get'>

const paid: (string | FieldHint)[] = [
  'email',
  'legalName',
  'address',
  { name: 'taxId', label: 'Tax number' },
  'currency',
  { name: 'spendCapMinor', label: 'Spend cap' },
]

export function AccountPanel({ account }: { account: Account }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const { provider, providers } = account
  const hasChoice = providers.length > 1
  const fields = useMemo(
    () => [...(hasChoice ? ['provider'] : []), ...(provider === 'none' ? [] : paid)],
    [hasChoice, provider],
  )
  return (
    <Panel
      title="Who pays"
      aside={(provider === 'stripe' || provider === 'custom') && may('billing.portal') && <PortalButton />}
    >
      <Form
        guard={UnsentGuard}
        id="billing.patch"
        fixed={{ workspaceId }}
        record={account}
        fields={fields}
        label="Save"
        isLocked={!may('billing.patch')}
        touches={['subscriptions']}
        onDone={() => done('The account is saved.')}
      />
    </Panel>
  )
}

function PortalButton() {
  const workspaceId = useWorkspaceId()
  const act = useAct('billing.portal', { onDone: ({ url }) => window.location.assign(url) })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={act.isPending}
        rightSection={<ExternalLink size={14} aria-hidden />}
        onClick={() => act.mutate({ workspaceId, returnUrl: window.location.href })}
      >
        Cards and receipts
      </Button>
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}
