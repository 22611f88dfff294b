// A workspace with a few issues that analytics has counted.
import { expect } from 'vitest'
import { type Person, person } from './browser.ts'

/** Until so much is counted of a metric; what follows the ledger is a moment behind. */
export async function counted(
  client: Person['client'],
  workspaceId: string,
  metric: string,
  count: number,
  filters: Record<string, string> = {},
): Promise<void> {
  const from = new Date(Date.now() - 7_200_000).toISOString()
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const asked = { workspaceId, metrics: [metric], filters, from, to, whole: true }
  await expect
    .poll(async () => (await client.call('analytics.query', asked)).series[0]?.groups[0]?.points[0]?.value, {
      timeout: 60_000,
      interval: 500,
    })
    .toBe(count)
}

/** Four issues of one label, the low one resolved. */
export async function furnished(options: { width?: number } = {}) {
  const someone = await person(options)
  const { client, workspaceId } = someone
  const { id: labelId } = await client.call('labels.post', { workspaceId, name: 'payments' })
  for (const severity of ['critical', 'high', 'high', 'low'] as const) {
    const title = `Checkout answers 502 (${severity})`
    await client.call('issues.post', { workspaceId, title, severity, labels: [labelId] })
  }
  const { items } = await client.call('issues.list', { workspaceId, severity: 'low' })
  await client.call('issues.patch', { workspaceId, id: items[0]?.id ?? '', status: 'resolved' })
  await counted(client, workspaceId, 'issues.resolved', 1)
  return { ...someone, labelId }
}
