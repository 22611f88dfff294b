// What differs between two states of a node, field by field.
import { canonical } from '../../../kit/json.ts'

export type Difference = { path: string; before: unknown; after: unknown }

export type State = {
  name: string
  category: string
  properties: Record<string, unknown>
  tags: Record<string, string>
  tier: string
  status: string
}

/** A node with more than these differences is another one: what is over says nothing. */
const most = 100

export function differences(before: State, after: State): Difference[] {
  const plain = (['name', 'category', 'tier', 'status'] as const).flatMap(path =>
    before[path] === after[path] ? [] : [{ path, before: before[path], after: after[path] }],
  )
  const inside = (['properties', 'tags'] as const).flatMap(path => within(path, before[path], after[path]))
  return [...plain, ...inside].slice(0, most)
}

function within(
  path: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap(name => {
    const [one, other] = [partOf(before, name), partOf(after, name)]
    return canonical(one) === canonical(other) ? [] : [{ path: `${path}.${name}`, before: one, after: other }]
  })
}

function partOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : null
}
