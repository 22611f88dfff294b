// What would suffer if a node failed: dependents, their tiers, owners, open issues and health.
import type { Static } from 'typebox'
import { ApiError } from '../../../contract/errors.ts'
import type { BeforeContext } from '../../../kit/context.ts'
import { tiers } from '../fields/contract.ts'
import type { NodeRow } from '../nodes/store.ts'
import type { graph } from './contract.ts'
import { allowed } from './telemetry.ts'

type Impact = Static<(typeof graph.operations)['cloud_infra.nodes.impact']['result']>
type Call = BeforeContext['call']

/** Values of a filter are at most a thousand, and a node has three names. */
const mostNamed = 300
const mostPaths = 20

export function tiersOf(nodes: readonly NodeRow[]): Impact['tiers'] {
  return tiers.flatMap(tier => {
    const count = nodes.filter(node => node.tier === tier).length
    return count > 0 ? [{ tier, count }] : []
  })
}

/** Issues name what they are about by the id of a node, or by what people and sources call it. */
export async function issuesOf(call: Call, workspaceId: string, nodes: readonly NodeRow[]): Promise<Impact['issues']> {
  const namesOf = ({ id, name, externalId }: NodeRow) => [id, name, externalId].filter(text => text.length <= 256)
  const named = nodes.slice(0, mostNamed)
  const resources = [...new Set(named.flatMap(namesOf))].filter(text => !text.startsWith('!'))
  const asked = { workspaceId, resources, status: ['!resolved', '!dismissed'], perPage: 100, orderBy: 'updated' }
  const none = { items: [] }
  const { items } = (await allowed(call('issues.list', asked), none)) as {
    items: { id: string; title: string; severity: string; status: string; resources: string[] }[]
  }
  return items.map(({ id, title, severity, status, resources: about }) => ({
    ...{ id, title, severity, status },
    nodeIds: named.filter(node => namesOf(node).some(text => about.includes(text))).map(node => node.id),
  }))
}

/** Teams that nodes were given to, and whom the CODEOWNERS file names for the path that a node was found at. */
export async function ownersOf(call: Call, workspaceId: string, nodes: readonly NodeRow[]): Promise<Impact['owners']> {
  const owners = new Map<string, Impact['owners'][number]>()
  const add = (owner: Omit<Impact['owners'][number], 'nodeIds'>, id: string) => {
    const key = JSON.stringify(owner)
    const known = owners.get(key) ?? { ...owner, nodeIds: [] }
    known.nodeIds.push(id)
    owners.set(key, known)
  }
  const places = new Map<string, { repositoryId: string; path: string; ids: string[] }>()
  for (const { id, teamId, properties } of nodes) {
    if (teamId) add({ teamId, codeowner: null, repositoryId: null }, id)
    const { repositoryId, path } = properties
    if (typeof repositoryId !== 'string' || typeof path !== 'string') continue
    const key = `${repositoryId} ${path}`
    const place = places.get(key) ?? { repositoryId, path, ids: [] }
    place.ids.push(id)
    places.set(key, place)
  }
  for (const { repositoryId, path, ids } of [...places.values()].slice(0, mostPaths)) {
    for (const { name, teamId } of await codeownersOf(call, { workspaceId, id: repositoryId, path })) {
      for (const id of ids) add({ teamId, codeowner: name, repositoryId }, id)
    }
  }
  return [...owners.values()]
}

type Named = { name: string; teamId: string | null }

/** A repository that is gone, or that the caller may not read, names nobody. */
async function codeownersOf(call: Call, asked: object): Promise<Named[]> {
  try {
    return ((await call('repositories.owners', asked)) as { owners: Named[] }).owners
  } catch (error) {
    if (error instanceof ApiError && error.kind !== 'internal' && error.kind !== 'unavailable') return []
    throw error
  }
}
