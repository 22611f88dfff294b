// Which tools an address and its headers ask for; the same everywhere and for everybody.
import { areas as allAreas } from '../operations.ts'

export type Toolset = {
  /** `everyday`: a few tools and a search over the rest. Else one tool per operation, of all areas or of these. */
  areas: 'everyday' | 'all' | readonly string[]
  isReadonly: boolean
}

/** The addresses under `/mcp`: `/mcp`, `/mcp/all`, `/mcp/x/{area,…}`, each also with `/readonly` behind it. */
export function toolsetOf(path: string, headers: Readonly<Record<string, unknown>>): Toolset | null {
  const parts = path.split('/').slice(2)
  const isReadonly = parts.at(-1) === 'readonly' && parts.pop() !== undefined
  const areas = areasOf(parts, headers['x-mcp-toolsets'])
  return areas && { areas, isReadonly: isReadonly || headers['x-mcp-readonly'] === 'true' }
}

/** The header counts only where the address names no toolset. */
function areasOf(parts: readonly string[], header: unknown): Toolset['areas'] | null {
  const [kind, names, more] = parts
  if (more !== undefined) return null
  if (kind === 'x' && names !== undefined) return listed(names)
  if (kind === 'all' && names === undefined) return 'all'
  if (kind !== undefined) return null
  if (typeof header !== 'string' || header === '') return 'everyday'
  return header === 'all' ? 'all' : listed(header)
}

const longestName = 64
const mostUnknown = 3

/** The areas that are there, in one order; of names that are not, a few, so that the refusal can name them. */
function listed(names: string): string[] {
  const words = new Set(names.split(/,|%2c/i).map(name => name.trim()))
  const known = allAreas.map(({ name }) => name)
  const unknown = [...words]
    .filter(name => name !== '' && !known.includes(name))
    .map(name => name.slice(0, longestName))
  return [...known.filter(name => words.has(name)).sort(), ...unknown.slice(0, mostUnknown)]
}
