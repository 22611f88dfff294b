// A cluster for each test of a file, read as a sync reads it; `waits` are the pauses that the reader made.
import { afterEach, beforeEach } from 'vitest'
import type { Found, FoundNode } from '../../src/areas/cloud_accounts/found/contract.ts'
import { readKubernetes } from '../../src/areas/cloud_accounts/sources/kubernetes/reading.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { shop } from './cluster_objects.ts'
import { expectWellFormed } from './found_lines.ts'
import { type Cluster, ca, cluster, token } from './kubernetes_server.ts'

export const fetch = outbound({ allow: ['127.0.0.1'] })
export let there: Cluster
export const waits: number[] = []
export const wait = async (ms: number) => void waits.push(ms)

beforeEach(async () => {
  there = await cluster(shop())
  waits.length = 0
})
afterEach(() => there.close())

export async function read(options: Partial<Parameters<typeof readKubernetes>[1]> = {}): Promise<Found> {
  const found = await readKubernetes({ server: there.url, ca, token }, { fetch, wait, timeoutMs: 20_000, ...options })
  expectWellFormed(found)
  return found
}

export const nodeOf = ({ nodes }: Found, type: string, externalId: string) =>
  nodes.find(node => node.type === `k8s.${type}` && node.externalId === externalId) as FoundNode
