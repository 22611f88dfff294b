// Puts the contract into the build: one short index of all operations, and the schemas of each area in a file of its own.
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { type Area, areas, type Operation } from '../src/client/catalogue.ts'

const index = 'virtual:contract'
const store = fileURLToPath(new URL('./src/contract.ts', import.meta.url))

export function contract(): Plugin {
  return {
    name: 'atrium-contract',
    resolveId: id => (id === index || id.startsWith(`${index}/`) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${index}`) return indexModule()
      const area = id.startsWith(`\0${index}/`) ? areas.find(({ name }) => id.endsWith(`/${name}`)) : undefined
      return area && areaModule(area.operations)
    },
  }
}

function indexModule(): string {
  const indexed = areas.map(({ name, operations, records }) => {
    const at = atOf(name, operations, records)
    const list = operations[`${at}.list`]
    const key = keyOf(operations[`${at}.get`] ?? operations[`${at}.patch`] ?? operations[`${at}.del`])
    return {
      name,
      ...(at !== name && { at }),
      ...key,
      ...objectOf(list),
      ...titleOf(records),
      ...('q' in (list?.query?.properties ?? {}) && { isSearched: true }),
      operations: Object.fromEntries(Object.entries(operations).map(([id, operation]) => [id, briefOf(operation)])),
    }
  })
  const loaders = areas.map(({ name }) => `${JSON.stringify(name)}: () => import('${index}/${name}')`)
  return `export const areas = ${JSON.stringify(indexed)}\nexport const loaders = {${loaders.join(', ')}}`
}

/** What the ids of the operations on its records begin with: its name, unless its first kind of record says otherwise. */
function atOf(name: string, operations: Area['operations'], records: Area['records']): string {
  const [kind] = Object.values(records)
  return operations[`${name}.list`] ? name : (kind?.at ?? name)
}

/** What calling it needs: where the input goes is told by the method, unless it goes to both places. */
function briefOf({ route, access, self, past, body, query }: Operation) {
  return {
    route,
    access,
    ...(past && { past }),
    ...(self && { self }),
    ...(body && { hasBody: true }),
    ...(body && query && { query: Object.keys(query.properties) }),
  }
}

/** The path field that names one record, and what its ids begin with. */
function keyOf(operation: Operation | undefined): { key?: string; prefix?: string } {
  const fields = Object.entries(operation?.path?.properties ?? {}).filter(([name]) => name !== 'workspaceId')
  const [key, schema] = fields.at(-1) ?? []
  const prefix = (schema as { 'x-id'?: { prefix: string } } | undefined)?.['x-id']?.prefix
  return { ...(key && { key }), ...(prefix && { prefix }) }
}

/** The word by which the ledger speaks of a record of the area. */
function objectOf(list: Operation | undefined): { object?: string } {
  const item = (list?.result as { properties?: { items?: { items?: { properties?: Record<string, unknown> } } } })
    ?.properties?.items?.items?.properties
  const { enum: values } = (item?._object ?? {}) as { enum?: string[] }
  return values?.[0] ? { object: values[0] } : {}
}

/** The fields that together name a record, as the directory knows them. */
function titleOf(records: Area['records']): { title?: string[] } {
  const [kind] = Object.values(records)
  if (!kind) return {}
  const names = [kind.title].flat().map(column => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
  return { title: names }
}

function areaModule(operations: object): string {
  // Examples and the schema library's own marks say nothing to a page.
  const printed = JSON.stringify(operations, (key, value) =>
    key === 'examples' || key.startsWith('~') ? undefined : value,
  )
  return `import { register } from ${JSON.stringify(store)}\nregister(${printed})`
}
