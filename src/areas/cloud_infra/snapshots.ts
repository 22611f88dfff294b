// Snapshots that are sent to us: each node once, each edge between nodes that are known.
import type { Static } from 'typebox'
import { badRequest } from '../../contract/errors.ts'
import type { Input } from '../../contract/operation.ts'
import type { Db } from '../../kit/db.ts'
import type { FoundNode } from '../cloud_accounts/found/contract.ts'
import { refuseLarge } from './accepting.ts'
import * as edgeStore from './applying/edge_store.ts'
import { keyOf, type Told, type ToldEdge } from './applying/telling.ts'
import type { ownInfra } from './contract.ts'
import type { NodeName } from './fields/contract.ts'

type Snapshot = Input<(typeof ownInfra)['operations']['cloud_infra.snapshots.post']>

/** 400 or 413 with the place of what is wrong; nothing is written then. */
export async function toldIn(db: Db, { workspaceId, accountId, nodes: given, edges = [] }: Snapshot): Promise<Told> {
  const nodes = given.map(node => found(node))
  const places = new Map<string, number>()
  for (const [index, node] of nodes.entries()) {
    refuseLarge(`nodes.${index}.properties`, node.properties)
    const before = places.get(keyOf(node))
    if (before !== undefined) {
      const expected = `another node than nodes.${before}: type, external id and region together name one`
      throw badRequest(`"nodes.${index}" must be ${expected}.`, [{ path: `nodes.${index}`, rule: 'unique', expected }])
    }
    places.set(keyOf(node), index)
  }
  const told = edges.map(({ from, to, relation, confidence = 1 }) => ({
    ...{ from: endOf(from), to: endOf(to), relation, confidence },
  }))
  await refuseUnknownEnds(db, { workspaceId, accountId }, told, places)
  return { externalId: null, nodes, edges: told, unseen: [] }
}

function found({
  type,
  externalId,
  region = '',
  name = externalId.slice(0, 256),
  ...facts
}: Snapshot['nodes'][number]): FoundNode {
  const { category = 'other', properties = {}, tags = {} } = facts
  return { type, externalId, region, name, category, properties, tags }
}

function endOf(end: Static<typeof NodeName>): ToldEdge['from'] {
  return typeof end === 'string'
    ? { id: end }
    : { type: end.type, externalId: end.externalId, region: end.region ?? '' }
}

/** In this snapshot, or known of before. */
async function refuseUnknownEnds(
  db: Db,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  edges: readonly ToldEdge[],
  places: ReadonlyMap<string, number>,
): Promise<void> {
  const ends = edges.flatMap(({ from, to }, index) => [
    { path: `edges.${index}.from`, end: from },
    { path: `edges.${index}.to`, end: to },
  ])
  const open = ends.filter(({ end }) => 'id' in end || !places.has(keyOf(end)))
  if (open.length > 0) {
    const keys = open.some(({ end }) => !('id' in end)) ? await edgeStore.activeKeys(db, accountId) : []
    const ids = open.flatMap(({ end }) => ('id' in end ? [end.id] : []))
    const known = new Set([
      ...keys.map(keyOf),
      ...(ids.length > 0 ? await edgeStore.activeIds(db, workspaceId, ids) : []),
    ])
    const lost = open.find(({ end }) => !known.has('id' in end ? end.id : keyOf(end)))
    if (lost)
      throw unknownEnd(lost.path, 'a node of this snapshot, of this account, or the id of one of this workspace')
  }
  const self = edges.findIndex(({ from, to }) => nameOf(from) === nameOf(to))
  if (self !== -1) throw unknownEnd(`edges.${self}.to`, 'another node than from')
}

function nameOf(end: ToldEdge['from']): string {
  return 'id' in end ? end.id : keyOf(end)
}

function unknownEnd(path: string, expected: string) {
  return badRequest(`"${path}" must be ${expected}.`, [{ path, rule: 'reference', expected }])
}
