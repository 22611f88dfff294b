// Turns attributes as Terraform wrote them until 0.11, `tags.Name` and `ports.0.from`, into lists and maps.
import { entriesOf, type Fields } from '../values.ts'

const mostAttributes = 5_000
const deepest = 8

type Flat = [name: string, value: unknown][]

export function expanded(flat: unknown): Fields {
  return asMap(entriesOf(flat, mostAttributes), 0)
}

function asMap(flat: Flat, depth: number): Fields {
  const groups = Map.groupBy(flat, ([name]) => name.split('.', 1)[0] ?? '')
  const entries = [...groups].map(([name, group]): [string, unknown] => {
    const below = group.map(([path, value]): Flat[number] => [path.slice(name.length + 1), value])
    return [name, valueBelow(below, depth + 1)]
  })
  return Object.fromEntries(entries.filter(([name, value]) => name !== '__proto__' && value !== undefined))
}

/** `#` counts a list or a set, of which the hashes are the names; `%` counts a map, whose names may have dots in them. */
function valueBelow(below: Flat, depth: number): unknown {
  const counted = below.find(([path]) => path === '#' || path === '%')?.[0]
  const rest = below.filter(([path]) => path !== '#' && path !== '%' && path !== '')
  if (depth > deepest) return undefined
  if (counted === '%') return Object.fromEntries(rest.filter(([name]) => name !== '__proto__'))
  if (counted === undefined && rest.length === 0) return scalar(below[0]?.[1])
  const elements = asMap(rest, depth)
  return counted === '#' ? Object.values(elements) : elements
}

/** Everything was text. Numbers stay so: a number of an account is none. */
function scalar(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value
}
