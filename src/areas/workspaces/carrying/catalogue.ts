// The carried tables as the database has them: columns, keys, and which rows cannot be without which.
import { createHash } from 'node:crypto'
import type { CarriedTable } from '../../../contract/carrying.ts'
import type { Db } from '../../../kit/db.ts'
import { carried, directory } from '../../../operations.ts'
import { type ColumnRow, type KeyRow, readColumns, readKeys } from './store.ts'

export type Column = { name: string; type: string; isNullable: boolean; hasDefault: boolean }

/** The rows of `table` that a column names by their id; where it holds ids of several kinds, by those that begin so. */
export type Parent = { column: string; table: string; begin: string }

/** Of ids of several kinds, only those of the table count: a key of the platform is of no team. */
export function namesRowOf({ begin }: Pick<Parent, 'begin'>, id: unknown): id is string {
  return typeof id === 'string' && id.startsWith(begin)
}

export type Shape = CarriedTable & {
  /** What a line of the archive has, in this order. */
  columns: readonly Column[]
  /** Columns that stay behind and cannot be empty: objects of secrets, of which there are none yet. */
  blanks: readonly string[]
  /** By which its rows are read, page by page: counted ones in the order in which they came. */
  order: readonly { name: string; type: string }[]
  /** The column of its own ids; null where its rows have none. */
  id: string | null
  /** The columns that tell a row from every other of the archive. */
  key: readonly string[]
  hasWorkspace: boolean
  parents: readonly Parent[]
  /** Columns that no two rows have alike. */
  uniques: readonly (readonly string[])[]
  /** Columns that name another row of the same table, by a foreign key. */
  selves: readonly string[]
  /** These, and others that do: followed from row to row, they must come to an end. */
  chains: readonly string[]
  /** Its rows hang on records of any kind, by `object` and `record_id`. */
  isAttached: boolean
  /** Columns that hold people, as the server wrote them. */
  people: readonly string[]
  /** Its rows are private, a team's or the workspace's. */
  isVisible: boolean
}

/** Parents before their children. */
export async function shapesOf(db: Db): Promise<Shape[]> {
  const tables = carried.map(({ table }) => table)
  const [columns, keys] = [await readColumns(db, tables), await readKeys(db, tables)]
  const shapes = carried.map(one =>
    shapeOf(
      one,
      columns.filter(({ tableName }) => tableName === one.table),
      keys.filter(({ tableName }) => tableName === one.table),
    ),
  )
  return inOrder(shapes)
}

function shapeOf(declared: CarriedTable, columns: readonly ColumnRow[], keys: readonly KeyRow[]): Shape {
  const { table, without = [], secrets = [], within = {} } = declared
  const primary = keys.find(({ kind }) => kind === 'p')?.columns ?? []
  const counted = columns.find(({ isIdentity }) => isIdentity)
  const left = new Set([...without, ...secrets, 'workspace_id'])
  const isCarried = (column: ColumnRow) => !column.isGenerated && !column.isIdentity && !left.has(column.name)
  const typeOf = (name: string) => columns.find(column => column.name === name)?.type ?? 'text'
  const own = primary.filter(name => name !== 'workspace_id')
  const parents = [...foreignKeys(keys, columns), ...Object.entries(within).map(([column, of]) => told(column, of))]
  const id = own.length === 1 && own[0] === 'id' && typeOf('id') === 'text' ? 'id' : null
  const kind = [...directory.kinds.values()].find(one => one.table === table)
  const selves = parents.filter(parent => parent.table === table).map(({ column }) => column)
  const refers = directory.refers.filter(one => one.table === table && one.object === kind?.object && !one.isList)
  return {
    ...declared,
    columns: columns.filter(isCarried),
    blanks: columns
      .filter(one => secrets.includes(one.name) && !one.isNullable && !one.hasDefault)
      .map(one => one.name),
    order: counted ? [counted] : primary.map(name => ({ name, type: typeOf(name) })),
    id,
    // A number that is counted anew here tells nothing apart.
    key: own.filter(name => name !== counted?.name),
    hasWorkspace: columns.some(({ name }) => name === 'workspace_id'),
    parents: parents.filter(parent => parent.table !== table),
    selves,
    chains: [...new Set([...selves, ...refers.map(({ column }) => column)])],
    isAttached: directory.attaches.some(one => one.table === table),
    people: peopleIn(table, parents, columns),
    isVisible: kind?.visibility === true,
    uniques: keys.filter(one => one.kind === 'u').map(one => one.columns),
  }
}

function peopleIn(table: string, parents: readonly Parent[], columns: readonly ColumnRow[]): string[] {
  const ofPeople = parents.filter(one => one.table === 'users' || one.table === 'workspace_members')
  const refers = directory.refers.filter(one => one.table === table && one.object === 'workspace_member')
  const owner = columns.filter(({ name }) => name === 'owner_id')
  return [...new Set([...ofPeople, ...refers].map(({ column }) => column).concat(owner.map(({ name }) => name)))]
}

const told = (column: string, table: string): Parent => ({ column, table, begin: '' })

/** Each by the one column that is no `workspace_id`; a generated column repeats the one that it is made of. */
function foreignKeys(keys: readonly KeyRow[], columns: readonly ColumnRow[]): Parent[] {
  return keys.flatMap(({ kind, columns: names, parent }) => {
    const [name, more] = names.filter(column => column !== 'workspace_id')
    if (kind !== 'f' || parent === null || name === undefined || more !== undefined) return []
    const { madeOf = null } = columns.find(column => column.name === name) ?? {}
    return [{ column: name, begin: '', table: parent, ...madeOf }]
  })
}

function inOrder(shapes: readonly Shape[]): Shape[] {
  const sorted: Shape[] = []
  const rest = new Set(shapes)
  while (rest.size > 0) {
    const waits = ({ parents }: Shape) => [...rest].some(one => parents.some(({ table }) => table === one.table))
    const ready = [...rest].filter(shape => !waits(shape))
    if (ready.length === 0) throw new Error('tables of an archive hang on each other in a circle')
    for (const shape of ready) {
      sorted.push(shape)
      rest.delete(shape)
    }
  }
  // What hangs on records of any kind comes when all of those are there.
  return [...sorted.filter(({ isAttached }) => !isAttached), ...sorted.filter(({ isAttached }) => isAttached)]
}

/** Of each area: what its rows look like. Two installations with the same one keep them in the same form. */
export function schemasOf(shapes: readonly Shape[]): Record<string, string> {
  const lines = new Map<string, string[]>()
  for (const { area, table, columns } of [...shapes].sort((one, other) => (one.table < other.table ? -1 : 1))) {
    const form = columns.map(({ name, type }) => `${table}.${name} ${type}`)
    lines.set(area, [...(lines.get(area) ?? []), ...form])
  }
  const short = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)
  return Object.fromEntries([...lines].map(([area, form]) => [area, short(form.join('\n'))]))
}
