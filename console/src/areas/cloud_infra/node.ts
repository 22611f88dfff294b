// What nodes and edges are to their pages: how they are coloured, and where they are shown.
import type { ItemOf, ResultOf } from '../../../../src/client/catalogue.ts'
import { placeOfArea } from '../define.ts'

export type InfraNode = ItemOf<'cloud_infra.nodes.list'>
export type InfraEdge = ItemOf<'cloud_infra.edges.list'>
export type Change = ItemOf<'cloud_infra.changes.list'>
export type Impact = ResultOf<'cloud_infra.nodes.impact'>
export type Telemetry = ResultOf<'cloud_infra.telemetry'>

export const tierColours: Readonly<Record<InfraNode['tier'], string>> = {
  critical: 'red',
  high: 'orange',
  normal: 'blue',
  low: 'gray',
}

export const kindColours: Readonly<Record<Change['kind'], string>> = {
  added: 'green',
  changed: 'orange',
  removed: 'red',
}

const path = () => placeOfArea('cloud_infra')?.path ?? 'cloud_infra'

export function nodeHref(workspaceId: string, id: string): string {
  return `/w/${workspaceId}/${path()}/${id}`
}

/** The picture stands beside the list; this is what its address says. */
export function pictureOf(workspaceId: string, ids: readonly string[]) {
  return { to: `/w/${workspaceId}/${path()}` as '/', search: { layout: 'picture', nodes: ids.join(',') } as never }
}

/** "reads from" cannot be told from the word alone; "points at" can. */
export const relationWords: Readonly<Record<InfraEdge['relation'], readonly [out: string, into: string]>> = {
  contains: ['contains', 'is in'],
  connects_to: ['connects to', 'is connected to by'],
  invokes: ['invokes', 'is invoked by'],
  deploys_to: ['deploys to', 'is deployed from'],
  reads: ['reads', 'is read by'],
  writes: ['writes', 'is written by'],
  depends_on: ['depends on', 'is needed by'],
}
