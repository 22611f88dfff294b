// Writes what a source tells as lines to compare, and checks that it is of the form that is promised.
import { expect } from 'vitest'
import type { Found, FoundEdge, FoundNode } from '../../src/areas/cloud_accounts/found/contract.ts'
import { categories, relations } from '../../src/areas/cloud_accounts/found/contract.ts'
import { keyText } from '../../src/areas/cloud_accounts/sources/gathered.ts'

export function nodeLines({ nodes }: Found): string[] {
  return nodes.map(
    ({ externalId, category, name, region }) =>
      `${externalId} is ${category} ${JSON.stringify(name)}${region && ` in ${region}`}`,
  )
}

export function edgeLines({ edges }: Found): string[] {
  return edges.map(
    ({ from, relation, to, confidence }) =>
      `${from.externalId} ${relation} ${to.externalId}${confidence < 1 ? ' perhaps' : ''}`,
  )
}

/** The same with types, where things of several types have one name. */
export function typedEdgeLines({ edges }: Found): string[] {
  const end = ({ type, externalId }: Found['edges'][number]['from']) => `${type}:${externalId}`
  return edges.map(({ from, relation, to }) => `${end(from)} ${relation} ${end(to)}`)
}

const isLine = (text: string) => /^[^\u0000-\u001f]{1,1024}$/.test(text) && text.isWellFormed()

function faultOfNode({ type, externalId, region, name, category, properties, tags }: FoundNode): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/.test(type)) return 'type'
  if (!isLine(externalId)) return 'externalId'
  if (!isLine(name) || name.length > 256) return 'name'
  if (!/^[a-z0-9-]{0,64}$/.test(region)) return 'region'
  if (!categories.includes(category)) return 'category'
  if (JSON.stringify(properties).length > 64 * 1024 || Object.hasOwn(properties, '__proto__')) return 'properties'
  const areTags = Object.values(tags).every(value => typeof value === 'string' && value.length <= 256)
  return areTags && Object.keys(tags).length <= 100 && !Object.hasOwn(tags, '__proto__') ? undefined : 'tags'
}

function faultOfEdge({ from, to, relation, confidence }: FoundEdge): string | undefined {
  if (keyText(from) === keyText(to)) return 'leads to itself'
  return relations.includes(relation) && confidence > 0 && confidence <= 1 ? undefined : 'relation'
}

/** Whatever the source was. One expectation, since there are thousands of nodes. */
export function expectWellFormed({ nodes, edges, unseen }: Found): void {
  const faults = [
    ...nodes.flatMap(node => faultOfNode(node) ?? []),
    ...edges.flatMap(edge => faultOfEdge(edge) ?? []),
    ...unseen.filter(({ text }) => !/^[^\u0000-\u001f]{10,600}$/.test(text)).map(() => 'unseen'),
    ...(new Set(nodes.map(keyText)).size < nodes.length ? ['a node twice'] : []),
    ...(nodes.length > 5_000 || edges.length > 20_000 ? ['too much'] : []),
    ...('polluted' in {} ? ['polluted'] : []),
  ]
  expect(faults).toEqual([])
}
