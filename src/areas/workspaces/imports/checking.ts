// The whole archive, looked at before anything is written: every file, every line, and everything that a line names.
import { createHash } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { mostFileBytes } from '../../../contract/content.ts'
import { UserId, WorkspaceId } from '../../../contract/ids.ts'
import { checkExport, type FileCheck } from '../../../contract/ledger_verifier.ts'
import { type CarriedIds, type Carrier, filesOf, rowFault } from '../../../kit/carrying.ts'
import type { Db } from '../../../kit/db.ts'
import { refuseUnstorable } from '../../../kit/json.ts'
import { directory } from '../../../operations.ts'
import { CarriedWorkspace, idsIn, isMoment, Person, paths } from '../carrying/archive.ts'
import { namesRowOf, type Parent, type Shape, shapesOf } from '../carrying/catalogue.ts'
import { type ArchiveFile, jsonOf, tampered, valueIn } from './archive_file.ts'
import { idOfTable } from './ids.ts'
import { type Line, lineReader, slowly } from './lines.ts'
import type { Tell } from './progress/progress.ts'
import { settingsFrom } from './settings.ts'

export type CheckedTable = { shape: Shape; path: string; columns: readonly string[]; rows: number }

export type Checked = {
  archive: ArchiveFile
  workspace: CarriedWorkspace
  people: ReadonlyMap<string, Person>
  tables: readonly CheckedTable[]
  ids: ReadonlyMap<string, ReadonlySet<string>>
  /** Ids that lines name and that no record of the archive has. */
  strangers: ReadonlySet<string>
  files: ReadonlySet<string>
  ledgers: readonly { path: string; check: FileCheck }[]
  warnings: string[]
}

const mostIds = 2_000_000
/** After so many rows it is said again that they are looked at. */
const rowsBetween = 1_000
/** Of one archive; and of all that somebody sends in a minute. */
export const mostPeople = 20_000

const [isUser, isWorkspace] = [Compile(UserId), Compile(WorkspaceId)]

type CheckContext = { db: Db; carriers: readonly Carrier[]; now: () => Date }

export async function checkArchive(ctx: CheckContext, archive: ArchiveFile, tell: Tell): Promise<Checked> {
  const { db, carriers, now } = ctx
  const warnings: string[] = []
  const told = await valueIn(archive, paths.workspace, CarriedWorkspace)
  if (!isWorkspace.Check(told.id) || told.id !== archive.manifest.workspaceId) {
    throw tampered('it does not say which workspace it is of')
  }
  if (![told.created, told.updated, archive.manifest.made].every(isMoment)) {
    throw tampered('it says of no time when it was made')
  }
  refuseUnstorable(told)
  const workspace = { ...told, settings: settingsFrom(told.settings, warnings) }
  const people = await peopleIn(archive, warnings)
  const seen: Seen = { people, ids: new Map(), named: new Set(), files: new Set(), count: 0 }
  const tables: CheckedTable[] = []
  const read = new Set<string>([paths.workspace, paths.people])
  const shapes = await shapesOf(db)
  // Behind the tables: files, what carriers have, ledgers.
  const total = shapes.length + 3
  const telling = (part: string, done: number) => tell({ phase: 'checking', part, done, total })
  for (const [done, shape] of shapes.entries()) {
    await telling(shape.table, done)
    const table = tableOf(archive, shape, warnings)
    if (!table) continue
    read.add(table.path)
    const fault = rowFault(carriers, shape.table)
    const ofArea = (row: Line) => fault(row, now())
    tables.push({ ...table, rows: await checkTable(archive, table, seen, { ofArea, tell, warnings }) })
  }
  await telling('files', total - 3)
  await checkFiles(archive, seen.files, read)
  await telling('rows', total - 2)
  const known: CarriedIds = {
    has: (table, id) => seen.ids.get(table)?.has(id) ?? false,
    of: table => seen.ids.get(table) ?? [],
  }
  for (const carrier of filesOf(carriers)) {
    for (const path of archive.paths.filter(one => one.startsWith(`${carrier.folder}/`))) {
      read.add(path)
      await carrier.check(path, archive.chunks(path), known)
    }
  }
  await telling('ledger', total - 1)
  const ledgers = await checkLedgers(archive, workspace.id, read)
  for (const path of archive.paths.filter(one => !read.has(one))) {
    warnings.push(`"${path}" is left out: this version does not know it.`)
    for await (const _ of archive.chunks(path));
  }
  const own = new Set([workspace.id, ...people.keys(), ...[...seen.ids.values()].flatMap(ids => [...ids])])
  const strangers = new Set([...seen.named].filter(id => !own.has(id)))
  return { archive, workspace, people, tables, ids: seen.ids, strangers, files: seen.files, ledgers, warnings }
}

type Seen = {
  people: ReadonlyMap<string, Person>
  ids: Map<string, Set<string>>
  named: Set<string>
  files: Set<string>
  /** What is remembered of rows until all are seen, of all tables together. */
  count: number
}

const isPerson = Compile(Person)

async function peopleIn(archive: ArchiveFile, warnings: string[]): Promise<Map<string, Person>> {
  const people = new Map<string, Person>()
  const addresses = new Set<string>()
  for await (const line of archive.lines(paths.people)) {
    const person = jsonOf(line)
    if (!isPerson.Check(person) || !isUser.Check(person.id)) throw tampered('somebody among its people cannot be read')
    refuseUnstorable(person)
    if (people.has(person.id)) throw tampered('it names a person twice')
    const address = person.address?.toLowerCase()
    const isTaken = address !== undefined && addresses.has(address)
    if (isTaken)
      warnings.push(`Two people have the same address; ${person.id} comes without it, and cannot be claimed.`)
    people.set(person.id, isTaken ? { ...person, address: null } : person)
    if (address !== undefined) addresses.add(address)
    if (people.size > mostPeople) throw tampered('it has more people than a workspace can have')
  }
  return people
}

/** What both know of a table; nothing where the archive does not have it. */
function tableOf({ manifest }: ArchiveFile, shape: Shape, warnings: string[]): Omit<CheckedTable, 'rows'> | null {
  const told = manifest.tables.find(({ table }) => table === shape.table)
  if (!told) return null
  const columns = [...new Set(told.columns)]
  const known = new Set(shape.columns.map(({ name }) => name))
  const strange = columns.filter(name => !known.has(name))
  if (strange.length > 0)
    warnings.push(`${shape.table}: ${strange.join(', ')} left out: this version does not know it.`)
  const missing = shape.columns.find(one => !columns.includes(one.name) && !one.isNullable && !one.hasDefault)
  if (missing) throw tampered(`its ${shape.table} have no "${missing.name}"`)
  return { shape, columns, path: paths.table(told.area, told.table) }
}

async function checkTable(
  archive: ArchiveFile,
  table: Omit<CheckedTable, 'rows'>,
  seen: Seen,
  { ofArea, tell, warnings }: { ofArea: (row: Line) => string | null; tell: Tell; warnings: string[] },
): Promise<number> {
  const { shape, columns, path } = table
  const readLine = lineReader(shape, columns)
  const isOwnId = idOfTable(shape.table)
  const ids = new Set<string>()
  seen.ids.set(shape.table, ids)
  const keys = shape.id === null && shape.key.length > 0 ? new Set<string>() : null
  const chains = shape.chains.map(column => ({ column, next: new Map<string, string>() }))
  let rows = 0
  for await (const line of archive.lines(path)) {
    const row = await readLine(line, ++rows)
    if (rows % rowsBetween === 0) await tell()
    const fault = faultOf(shape, row, seen, { ids, keys, isOwnId }) ?? fileFault(archive, shape, row) ?? ofArea(row)
    if (fault) throw tampered(`line ${rows} of ${shape.table} ${fault}`)
    for (const { column, next } of chains) {
      const value = row[column]
      if (typeof value !== 'string') continue
      next.set(String(row.id), value)
      seen.count++
    }
    if (shape.hasFiles) seen.files.add(String(row.sha256))
    for await (const piece of slowly(line))
      for (const id of idsIn(piece)) if (!seen.named.has(id)) seen.named.add(apart(id))
    if (seen.count > mostIds || seen.named.size > mostIds)
      throw tampered('it has more records than can be taken at once')
  }
  for (const { column, next } of chains) {
    if (hasCircle(next)) throw tampered(`records of ${shape.table} hang on each other in a circle`)
    if (!shape.selves.includes(column)) continue
    // What it stood below was private, or came while the archive was made.
    const alone = [...next.values()].filter(id => !ids.has(id)).length
    if (alone > 0)
      warnings.push(`${shape.table}: "${column}" of ${alone} left empty: what it names is not in the archive.`)
  }
  const told = archive.manifest.tables.find(one => one.table === shape.table)?.rows
  if (rows !== told) throw tampered(`${shape.table} has ${rows} lines instead of ${told}`)
  return rows
}

/** A part of a line would keep the whole of it in memory. */
function apart(id: string): string {
  return Buffer.from(id, 'latin1').toString('latin1')
}

type Own = { ids: Set<string>; keys: Set<string> | null; isOwnId: (id: string) => boolean }

function faultOf(shape: Shape, row: Line, seen: Seen, { ids, keys, isOwnId }: Own): string | null {
  const { table, id, key, parents, isAttached } = shape
  const own = table === 'workspace_members' ? row.user_id : id && row[id]
  if (typeof own === 'string') {
    if (!isOwnId(own)) return 'has an id of another form'
    if (ids.has(own)) return 'has the id of another record'
    ids.add(own)
    seen.count++
  }
  if (keys) {
    const text = createHash('sha256')
      .update(JSON.stringify(key.map(name => row[name])))
      .digest('base64')
    if (keys.has(text)) return 'is there twice'
    keys.add(text)
    seen.count++
  }
  const lost = parents.find(parent => !isThere(parent, row[parent.column], seen))
  if (lost) return `hangs on a record that is not there, by "${lost.column}"`
  if (isAttached) {
    const kind = directory.kinds.get(String(row.object))
    const isCarried = kind && seen.ids.has(kind.table)
    if (isCarried && !seen.ids.get(kind.table)?.has(String(row.record_id))) return 'hangs on a record that is not there'
  }
  return null
}

/** Read whole when it is written: none is larger than one that can be sent. */
function fileFault(archive: ArchiveFile, { hasFiles }: Shape, { sha256, size }: Line): string | null {
  if (!hasFiles) return null
  const bytes = archive.sizeOf(paths.file(String(sha256)))
  if (bytes === undefined) return 'has a file that is not there'
  if (bytes > mostFileBytes) return 'has a file that is too large'
  return bytes === size ? null : 'says another size than its file has'
}

function isThere(parent: Parent, id: unknown, { ids, people }: Seen): boolean {
  const { table } = parent
  if (table === 'workspaces' || !namesRowOf(parent, id)) return true
  if (table === 'users') return people.has(id)
  return ids.get(table)?.has(id) ?? false
}

function hasCircle(next: ReadonlyMap<string, string>): boolean {
  const done = new Set<string>()
  for (const start of next.keys()) {
    const path = new Set<string>()
    for (let id: string | undefined = start; id !== undefined && !done.has(id); id = next.get(id)) {
      if (path.has(id)) return true
      path.add(id)
    }
    for (const id of path) done.add(id)
  }
  return false
}

/** Exactly the files that rows have, each under the hash of its bytes. */
async function checkFiles(archive: ArchiveFile, wanted: ReadonlySet<string>, read: Set<string>): Promise<void> {
  for (const sha256 of wanted) {
    const path = paths.file(sha256)
    const digest = createHash('sha256')
    for await (const chunk of archive.chunks(path)) digest.update(chunk)
    if (digest.digest('hex') !== sha256) throw tampered(`"${path}" is another file`)
    read.add(path)
  }
}

/** Those of earlier homes in their order, then its own. */
async function checkLedgers(archive: ArchiveFile, workspaceId: string, read: Set<string>) {
  const histories = archive.paths.filter(path => /^history\/\d{1,4}\.ndjson$/.test(path))
  const inOrder = histories.sort((one, other) => Number(one.slice(8, -7)) - Number(other.slice(8, -7)))
  const ledgers: { path: string; check: FileCheck }[] = []
  for (const path of [...inOrder, paths.ledger]) {
    read.add(path)
    const check = await checkExport(plainLines(archive, path)).catch(() => null)
    // A check that ends early leaves the rest unread: whatever is wrong with it, it is refused.
    if (!check?.ok) throw tampered(`the ledger in "${path}" does not hold: ${check?.problem ?? 'it cannot be read'}`)
    if (path === paths.ledger && check.chain !== workspaceId) throw tampered('its ledger is of another workspace')
    for await (const _ of archive.chunks(path));
    ledgers.push({ path, check })
  }
  return ledgers
}

/** What was known of people beside the entries never leaves with a workspace. */
async function* plainLines(archive: ArchiveFile, path: string): AsyncGenerator<string> {
  for await (const line of archive.lines(path)) {
    const { personal = null } = (jsonOf(line) ?? {}) as { personal?: unknown }
    if (personal !== null) throw tampered(`"${path}" holds what an export leaves out`)
    yield line
  }
}
