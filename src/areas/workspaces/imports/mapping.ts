// Which id everything of an archive has here: its own where that is free, else a new one, wherever it stands.
import { UserId, WorkspaceId } from '../../../contract/ids.ts'
import type { Db } from '../../../kit/db.ts'
import { newId, randomText } from '../../../kit/random.ts'
import * as auditLogs from '../../audit_logs/store.ts'
import { type Person, renamed } from '../carrying/archive.ts'
import { takenIds } from '../carrying/store.ts'
import type { Checked } from './checking.ts'
import { homes, prefixOf } from './ids.ts'
import { provenAddress } from './store.ts'

export type Mapping = {
  workspaceId: string
  kept: number
  renewed: number
  /** Everybody but who imports, under the id that they get: whether they have an account here is not asked. */
  placeholders: readonly Person[]
  here: (id: string) => string
  /** The same in a line of JSON. */
  line: (text: string) => string
}

const atOnce = 1_000

export async function mapIds(db: Db, checked: Checked, importer: string): Promise<Mapping> {
  const map = new Map<string, string>()
  const placeholders = await mapPeople(db, checked, importer, map)
  const { workspace, ids } = checked
  const isFree = (await freeOf(db, 'workspaces', 'id', [workspace.id])) && !(await auditLogs.findHead(db, workspace.id))
  if (!isFree) map.set(workspace.id, newId(WorkspaceId))
  let [kept, renewed] = [0, 0]
  for (const { shape } of checked.tables) {
    const own = shape.id === null ? undefined : ids.get(shape.table)
    if (!own || shape.id === null) continue
    const taken = await takenAmong(db, shape.table, shape.id, [...own])
    for (const id of taken) map.set(id, another(id))
    renewed += taken.length
    kept += own.size - taken.length
  }
  await renameStrangers(db, checked, map)
  const here = (id: string) => map.get(id) ?? id
  return {
    workspaceId: here(workspace.id),
    kept,
    renewed,
    placeholders,
    here,
    line: text => renamed(text, here),
  }
}

/** Who imports is known by the address that both installations have seen proven. */
async function mapPeople(db: Db, { people }: Checked, importer: string, map: Map<string, string>): Promise<Person[]> {
  const own = await provenAddress(db, importer)
  const taken = new Set(await takenAmong(db, 'users', 'id', [...people.keys()]))
  const placeholders: Person[] = []
  for (const person of people.values()) {
    const isImporter = own !== undefined && person.address?.toLowerCase() === own
    const id = isImporter ? importer : taken.has(person.id) ? newId(UserId) : person.id
    if (id !== person.id) map.set(person.id, id)
    if (!isImporter) placeholders.push({ ...person, id })
  }
  return placeholders
}

/** An id that the archive only names must not come to mean a record of somebody else here. */
async function renameStrangers(db: Db, { strangers, tables }: Checked, map: Map<string, string>): Promise<void> {
  const take = async (table: string, key: string, named: readonly string[]) => {
    for (const id of await takenAmong(db, table, key, named)) map.set(id, another(id))
  }
  const all = [...strangers]
  for (const [prefix, { table, key }] of homes) {
    await take(
      table,
      key,
      all.filter(id => prefixOf(id) === prefix),
    )
  }
  // Ids of what is no record by itself: steps, files, versions.
  const others = all.filter(id => !homes.has(prefixOf(id)))
  const homed = new Set([...homes.values()].map(({ table }) => table))
  for (const { shape } of tables) {
    if (shape.id !== null && !homed.has(shape.table)) await take(shape.table, shape.id, others)
  }
}

async function takenAmong(db: Db, table: string, column: string, ids: readonly string[]): Promise<string[]> {
  const taken: string[] = []
  for (let place = 0; place < ids.length; place += atOnce) {
    taken.push(...(await takenIds(db, table, column, ids.slice(place, place + atOnce))))
  }
  return taken
}

async function freeOf(db: Db, table: string, column: string, ids: readonly string[]): Promise<boolean> {
  return (await takenIds(db, table, column, ids)).length === 0
}

/** Of the same form. */
function another(id: string): string {
  const end = id.lastIndexOf('_') + 1
  return `${id.slice(0, end)}${randomText('0123456789abcdefghijklmnopqrstuvwxyz', id.length - end)}`
}
