// The contract as the console reads it: every operation's route and scopes at once, an area's schemas when it is opened.
import { areas, loaders } from 'virtual:contract'
import type { Operation, OperationId, Scope } from '../../src/client/catalogue.ts'

/** As much of an operation as calling it needs. */
export type Brief = {
  route: string
  access: 'public' | 'credential' | 'user' | readonly Scope[]
  self?: string
  /** What was done, in the past tense. */
  past?: string
  hasBody?: true
  query?: readonly string[]
}

export type IndexedArea = {
  name: string
  /** What the ids of the operations on its records begin with, where that is more than its name: `cloud_infra.nodes`. */
  at?: string
  /** The path field that names one record. */
  key?: string
  /** What the ids of its records begin with. */
  prefix?: string
  /** The ledger's word for one record. */
  object?: string
  /** The fields that name a record together. */
  title?: readonly string[]
  /** Its list takes words to search for. */
  isSearched?: true
  operations: Readonly<Record<string, Brief>>
}

const byName = new Map(areas.map(area => [area.name, area]))
const briefs = new Map(areas.flatMap(({ operations }) => Object.entries(operations)))
const schemas = new Map<string, Operation>()

export const indexedAreas = areas

export function indexedArea(name: string): IndexedArea | undefined {
  return byName.get(name)
}

/** The operation that does this with the records of an area: `teams.list`, `cloud_infra.nodes.list`. */
export function idIn(area: string, verb: string): string {
  return `${byName.get(area)?.at ?? area}.${verb}`
}

export function areaOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

export function brief(id: string): Brief | undefined {
  return briefs.get(id)
}

export function hasOperation(id: string): id is OperationId {
  return briefs.has(id)
}

/** The scopes that a call needs; none where any credential may. */
export function scopesOf(id: string): readonly Scope[] {
  const access = briefs.get(id)?.access
  return typeof access === 'string' || access === undefined ? [] : access
}

/** The area whose records have ids that begin like this one. */
export function areaOfPrefix(prefix: string): IndexedArea | undefined {
  return areas.find(area => area.prefix === prefix)
}

/** The area that a record of this id is of. */
export function areaOfId(id: string): IndexedArea | undefined {
  return areas.find(({ prefix }) => prefix !== undefined && id.startsWith(`${prefix}_`))
}

export function areaOfObject(object: string): IndexedArea | undefined {
  return areas.find(area => area.object === object)
}

/**
 * Called by an area's file of schemas when it is loaded.
 * @public
 */
export function register(operations: Record<string, Operation>): void {
  for (const [id, operation] of Object.entries(operations)) schemas.set(id, operation)
}

export async function loadContract(area: string): Promise<void> {
  await loaders[area]?.()
}

/** With its schemas; only of areas that are loaded. */
export function operation(id: string): Operation | undefined {
  return schemas.get(id)
}
