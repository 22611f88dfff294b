// An account that is pushed to, and the small shop that runs there.
import { expect } from 'vitest'
import type { Person } from './browser.ts'

type Someone = Pick<Person, 'client' | 'workspaceId'>
type Node = { type: string; externalId: string; [field: string]: unknown }
type Edge = { from: string; to: string; relation: 'contains' | 'connects_to' | 'reads' | 'writes' | 'invokes' }

const node = (type: string, name: string, category: string, more: object = {}): Node => ({
  ...{ type, externalId: name, name, category, region: 'eu-central-1' },
  ...more,
})

/** A shop of two regions: a gateway, three services, their stores, and what is between them. */
export const shop = {
  nodes: [
    node('gateway', 'front-door', 'network', { region: '' }),
    node('service', 'checkout', 'compute', {
      properties: { image: 'checkout:1.4', replicas: 3 },
      tags: { env: 'production' },
    }),
    node('service', 'catalogue', 'compute', { tags: { env: 'production' } }),
    node('service', 'mailer', 'compute', { region: 'eu-west-1' }),
    node('database', 'orders', 'database', { properties: { engine: 'postgres 16' }, tags: { env: 'production' } }),
    node('database', 'products', 'database'),
    node('queue', 'receipts', 'messaging', { region: 'eu-west-1' }),
    node('bucket', 'pictures', 'storage'),
  ],
  edges: [
    { from: 'gateway front-door', to: 'service checkout', relation: 'connects_to' },
    { from: 'gateway front-door', to: 'service catalogue', relation: 'connects_to' },
    { from: 'service checkout', to: 'database orders', relation: 'writes' },
    { from: 'service checkout', to: 'queue receipts', relation: 'writes' },
    { from: 'service checkout', to: 'service catalogue', relation: 'invokes' },
    { from: 'service catalogue', to: 'database products', relation: 'reads' },
    { from: 'service catalogue', to: 'bucket pictures', relation: 'reads' },
    { from: 'service mailer', to: 'queue receipts', relation: 'reads' },
  ] as Edge[],
}

/** Sends it, and waits until the graph has it. */
export async function push(
  { client, workspaceId }: Someone,
  accountId: string,
  { nodes, edges } = shop,
): Promise<void> {
  const regions = new Map(nodes.map(one => [`${one.type} ${one.externalId}`, String(one.region ?? '')]))
  const nameOf = (words: string) => {
    const [type = '', externalId = ''] = words.split(' ')
    return { type, externalId, region: regions.get(words) ?? '' }
  }
  const sent = edges.map(({ from, to, relation }) => ({ from: nameOf(from), to: nameOf(to), relation }))
  const { id } = await client.call('cloud_infra.snapshots.post', {
    ...{ workspaceId, accountId, complete: true },
    nodes: nodes as never,
    edges: sent,
  })
  await expect
    .poll(
      async () => {
        const { items } = await client.call('cloud_accounts.syncs.list', { workspaceId, id: accountId })
        return items.find(sync => sync.id === id)?.status
      },
      { timeout: 60_000 },
    )
    .toBe('succeeded')
}

export async function pushed(someone: Someone): Promise<string> {
  const { client, workspaceId } = someone
  const account = await client.call('cloud_accounts.post', { workspaceId, name: 'Shop', provider: 'push' })
  await push(someone, account.id)
  return account.id
}

export async function nodeCalled({ client, workspaceId }: Someone, name: string): Promise<string> {
  const { items } = await client.call('cloud_infra.nodes.list', { workspaceId, name })
  return items[0]?.id ?? ''
}
