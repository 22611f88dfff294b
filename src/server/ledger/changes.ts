// What a ledger entry says was changed: declared fields only, secrets masked, personal fields apart.
import type { TSchema } from 'typebox'

export type Change = { path: string; before?: unknown; after?: unknown }

type Marks = { 'x-secret'?: boolean; 'x-personal'?: boolean; properties?: Record<string, TSchema>; anyOf?: TSchema[] }

type Kind = 'plain' | 'secret' | 'personal'

const masked = '[secret]'
const personalInstead = '[personal]'

/** Fields that every record carries and that say nothing about a change. */
const dull = new Set(['_object', 'updated', 'created'])

/** Path → how it may be written down, for every declared field of the schemas. */
export function fieldKinds(schemas: readonly (TSchema | undefined)[]): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const schema of schemas) if (schema) mark(schema, '', 'plain', kinds)
  return kinds
}

function mark(schema: TSchema, path: string, inherited: Kind, kinds: Map<string, Kind>): void {
  const marks = schema as Marks
  const own = marks['x-secret'] ? 'secret' : marks['x-personal'] ? 'personal' : inherited
  const properties = Object.entries(marks.properties ?? {})
  // A field that one schema calls secret stays so, whatever another says of the same path.
  if (path && properties.length === 0 && kinds.get(path) !== 'secret') kinds.set(path, own)
  for (const [name, part] of properties) mark(part, path ? `${path}.${name}` : name, own, kinds)
}

/** The differences, with the personal ones a second time for the part that can be erased. */
export function changesBetween(
  kinds: ReadonlyMap<string, Kind>,
  before: object | undefined,
  after: object | undefined,
): { changes: Change[]; personal: Change[] } {
  const changes: Change[] = []
  const personal: Change[] = []
  for (const [path, kind] of kinds) {
    if (dull.has(path)) continue
    const change = difference(path, at(before, path), at(after, path))
    if (!change) continue
    if (kind === 'personal') personal.push(change)
    changes.push(kind === 'plain' ? change : hide(change, kind === 'secret' ? masked : personalInstead))
  }
  return { changes, personal }
}

function difference(path: string, before: unknown, after: unknown): Change | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

function hide(change: Change, text: string): Change {
  const { path } = change
  return { path, ...('before' in change && { before: text }), ...('after' in change && { after: text }) }
}

function at(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}
