// The invoices, each to print, to compute with, and to pay.
import { Badge, Button, Group, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { addressOf, download, useAct, useCall } from '../../api.ts'
import { dateOf } from '../../format.ts'
import { saveFile } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { amountOf } from './amounts.ts'

type Invoice = ItemOf<'billing.invoices.list'>

const colors: Readonly<Record<Invoice['status'], string>> = {
  draft: 'gray',
  open: 'yellow',
  paid: 'green',
  void: 'gray',
  uncollectible: 'red',
}

const types = { html: 'text/html', csv: 'text/csv' }

export function InvoicesPanel() {
  const workspaceId = useWorkspaceId()
  const invoices = useCall('billing.invoices.list', { workspaceId, perPage: 100 })
  return (
    <Panel title="Invoices">
      <Loaded query={invoices}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed" size="sm">
              There is none yet.
            </Text>
          ) : (
            <RowTable label="Invoices" heads={['Number', 'Issued', 'Total', 'State', 'Files']} minWidth={560} hasCards>
              {items.map(invoice => (
                <InvoiceRow key={invoice.id} invoice={invoice} />
              ))}
            </RowTable>
          )
        }
      </Loaded>
    </Panel>
  )
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const { id, workspaceId, number, created, totalMinor, currency, status, provider } = invoice
  const { may } = useStanding()
  const [failure, setFailure] = useState<unknown>(null)
  const act = useAct('billing.invoices.pay', {
    onDone: () => done('The invoice is paid.'),
    touches: ['subscriptions'],
  })
  const take = async (format: keyof typeof types) => {
    setFailure(null)
    try {
      const address = addressOf('billing.invoices.file', { workspaceId, id, format })
      const parts = await download(address, () => {}, new AbortController().signal)
      saveFile(`invoice_${number}.${format}`, types[format], parts)
    } catch (error) {
      setFailure(error)
    }
  }
  const isOwed = (status === 'open' || status === 'uncollectible') && may('billing.invoices.pay')
  const isByHand = provider === 'manual'
  return (
    <Table.Tr>
      <Table.Td data-label="Number">{number}</Table.Td>
      <Table.Td data-label="Issued">{dateOf(created)}</Table.Td>
      <Table.Td data-label="Total">{amountOf(totalMinor, currency)}</Table.Td>
      <Table.Td data-label="State">
        <Badge color={colors[status]} variant="light">
          {status}
        </Badge>
      </Table.Td>
      <Table.Td data-label="Files">
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`To print: ${number}`}
            onClick={() => void take('html')}
          >
            To print
          </Button>
          <Button size="compact-xs" variant="default" aria-label={`${number} as CSV`} onClick={() => void take('csv')}>
            CSV
          </Button>
          {isOwed && (
            <Button
              size="compact-xs"
              loading={act.isPending}
              aria-label={isByHand ? `Mark as paid: ${number}` : `Pay ${number}`}
              onClick={() => act.mutate({ workspaceId, id })}
            >
              {isByHand ? 'Mark as paid' : 'Pay'}
            </Button>
          )}
        </Group>
        <Failure error={failure ?? act.error} />
      </Table.Td>
    </Table.Tr>
  )
}
