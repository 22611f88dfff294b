// What was used, by month.
import { Table, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useCall } from '../../api.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { amountOf, dimensionWords } from './amounts.ts'

const shownDays = 180

export function UsagePanel() {
  const workspaceId = useWorkspaceId()
  // Once: each moment would be another question.
  const from = useMemo(() => {
    const today = new Date(new Date().toISOString().slice(0, 10))
    return new Date(today.getTime() - shownDays * 86_400_000).toISOString()
  }, [])
  const usage = useCall('billing.usage.list', { workspaceId, from, granularity: 'month' })
  return (
    <Panel title="Usage" about="Counted every hour, in UTC.">
      <Loaded query={usage}>
        {({ usage: rows, period, currency }) =>
          rows.length === 0 ? (
            <Text c="dimmed" size="sm">
              Nothing was counted yet.
            </Text>
          ) : (
            <>
              <RowTable label="Usage by month" heads={['Month', 'What', 'Quantity']} minWidth={420} hasCards>
                {[...rows].reverse().map(({ dimension, from: month, quantity }) => (
                  <Table.Tr key={`${month} ${dimension}`}>
                    <Table.Td data-label="Month">{month.slice(0, 7)}</Table.Td>
                    <Table.Td data-label="What">{dimensionWords[dimension] ?? dimension}</Table.Td>
                    <Table.Td data-label="Quantity">{quantity.toLocaleString('en')}</Table.Td>
                  </Table.Tr>
                ))}
              </RowTable>
              {period?.usage.map(({ dimension, overage, amountMinor }) =>
                amountMinor > 0 ? (
                  <Text key={dimension} size="sm" mt="sm">
                    {dimensionWords[dimension]}: {overage.toLocaleString('en')} beyond the plan in this period,{' '}
                    {amountOf(amountMinor, currency)}.
                  </Text>
                ) : null,
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
