// A workspace → the files of its archive, page by page: no transaction, and nothing whole in memory but ids.
import { readWhole } from '../../../kit/blobs.ts'
import { type CarriedIds, type Carrier, filesOf, type PackContext } from '../../../kit/carrying.ts'
import { chainFile } from '../../../kit/ledger_file.ts'
import type { Chunks, StreamedFile, WrittenFile } from '../../../kit/zip_stream.ts'
import { directory, leftBehind } from '../../../operations.ts'
import * as auditLogs from '../../audit_logs/store.ts'
import { archiveType, archiveVersion, idsIn, type Manifest, manifestFile, paths } from '../carrying/archive.ts'
import { namesRowOf, type Shape, schemasOf, shapesOf } from '../carrying/catalogue.ts'
import { type CarriedLine, readPage } from '../carrying/store.ts'
import { readHistories, readPieces } from '../files/store.ts'
import { findCarried, findPeople } from './store.ts'

const rowsAtOnce = 500
const parentsAtOnce = 200

export type Packing = {
  workspaceId: string
  /** What is private and not theirs stays behind. */
  exporter: string
  carriers: readonly Carrier[]
  /** Told before each part. */
  progress: (part: string, done: number, total: number) => Promise<void>
}

type Counted = { area: string; table: string; columns: string[]; rows: number }

/** What has been packed so far. */
type Packed = {
  ids: Map<string, Set<string>>
  /** Whoever a row names; true where a column is for people, and no text that somebody wrote. */
  people: Map<string, boolean>
  files: Set<string>
  tables: Counted[]
  secrets: Manifest['secrets']
}

/** `written` grows as files are; the manifest, which is last, lists them. */
export async function* packed(
  ctx: PackContext,
  packing: Packing,
  written: readonly WrittenFile[],
  now: Date,
): AsyncGenerator<StreamedFile> {
  const { workspaceId, progress } = packing
  const carriers = filesOf(packing.carriers)
  const shapes = await shapesOf(ctx.db)
  const so: Packed = { ids: new Map(), people: new Map(), files: new Set(), tables: [], secrets: [] }
  const total = shapes.length + carriers.length + 3
  let done = 0
  for (const shape of shapes) {
    await progress(shape.table, done++, total)
    const rows = { area: shape.area, table: shape.table, columns: shape.columns.map(({ name }) => name), rows: 0 }
    so.tables.push(rows)
    yield { path: paths.table(shape.area, shape.table), chunks: linesOf(ctx, packing, shape, so, rows) }
  }
  await progress('files', done++, total)
  for (const sha256 of so.files) yield { path: paths.file(sha256), chunks: readWhole(ctx.db, workspaceId, sha256) }
  const ids: CarriedIds = {
    has: (table, id) => so.ids.get(table)?.has(id) ?? false,
    of: table => so.ids.get(table) ?? [],
  }
  for (const carrier of carriers) {
    await progress(carrier.folder, done++, total)
    yield* carrier.pack(ctx, workspaceId, ids)
  }
  await progress('ledger', done++, total)
  yield* ledgers(ctx, workspaceId)
  await progress('people', done++, total)
  yield { path: paths.people, chunks: peopleLines(ctx, workspaceId, so) }
  const carriedWorkspace = await findCarried(ctx.db, workspaceId)
  yield { path: paths.workspace, chunks: whole(`${JSON.stringify(carriedWorkspace.record)}\n`) }
  if (carriedWorkspace.secretsSet.length > 0) {
    so.secrets.unshift({ table: 'workspaces', id: workspaceId, names: carriedWorkspace.secretsSet })
  }
  const manifest: Manifest = {
    type: archiveType,
    version: archiveVersion,
    made: now.toISOString(),
    workspaceId,
    schemas: schemasOf(shapes),
    tables: so.tables,
    secrets: so.secrets,
    left: Object.fromEntries(leftBehind),
    files: [...written],
    publicKey: ctx.settings.exportKey.publicKey,
  }
  yield { path: paths.manifest, chunks: whole(manifestFile(manifest, ctx.settings.exportKey.sign)) }
}

async function* whole(text: string): Chunks {
  yield text
}

async function* linesOf(ctx: PackContext, packing: Packing, shape: Shape, so: Packed, counted: Counted): Chunks {
  const ids = new Set<string>()
  so.ids.set(shape.table, ids)
  for await (const page of pagesOf(ctx, packing, shape, so)) {
    ctx.signal.throwIfAborted()
    const kept = page.filter(({ line, secretsSet }) => {
      const row = JSON.parse(line) as Record<string, unknown>
      if (!isWhole(shape, row, so)) return false
      take(shape, row, line, so, ids)
      if (secretsSet.length > 0) so.secrets.push({ table: shape.table, id: String(row.id), names: secretsSet })
      return true
    })
    counted.rows += kept.length
    if (kept.length > 0) yield kept.map(({ line }) => `${line}\n`).join('')
  }
}

/** Rows come and go while they are read, and what is private stays behind: no row goes without what it hangs on. */
function isWhole({ parents, isAttached }: Shape, row: Readonly<Record<string, unknown>>, so: Packed): boolean {
  const isThere = (table: string, id: string) => so.ids.get(table)?.has(id) !== false
  const isLost = parents.some(parent => {
    const id = row[parent.column]
    return namesRowOf(parent, id) && !isThere(parent.table, id)
  })
  if (isLost || !isAttached) return !isLost
  return isThere(directory.kinds.get(String(row.object))?.table ?? '', String(row.record_id))
}

function take(shape: Shape, row: Readonly<Record<string, unknown>>, line: string, so: Packed, ids: Set<string>): void {
  const id = shape.table === 'workspace_members' ? row.user_id : shape.id && row[shape.id]
  if (typeof id === 'string') ids.add(id)
  if (shape.hasFiles) so.files.add(String(row.sha256))
  for (const word of idsIn(line)) if (word.startsWith('usr_') && !so.people.has(word)) so.people.set(word, false)
  for (const column of shape.people) {
    const person = row[column]
    if (typeof person === 'string' && person.startsWith('usr_')) so.people.set(person, true)
  }
}

async function* pagesOf(
  ctx: PackContext,
  { workspaceId, exporter }: Packing,
  shape: Shape,
  so: Packed,
): AsyncGenerator<CarriedLine[]> {
  if (shape.hasWorkspace) {
    yield* pages(ctx, shape, { workspaceId, exporter, parents: null })
    return
  }
  // A table without the workspace is asked for the rows of parents that are packed: never for those of others.
  const parent = shape.parents.find(({ table }) => so.ids.has(table))
  if (!parent) throw new Error(`${shape.table} belongs to no table that is carried`)
  const all = [...(so.ids.get(parent.table) ?? [])]
  for (let place = 0; place < all.length; place += parentsAtOnce) {
    const ids = all.slice(place, place + parentsAtOnce)
    yield* pages(ctx, shape, { workspaceId, exporter, parents: { column: parent.column, ids } })
  }
}

type Pages = Pick<Parameters<typeof readPage>[2], 'workspaceId' | 'exporter' | 'parents'>

async function* pages({ db }: PackContext, shape: Shape, of: Pages): AsyncGenerator<CarriedLine[]> {
  for (let after: readonly string[] | null = null; ; ) {
    const page: CarriedLine[] = await readPage(db, shape, { ...of, after, limit: rowsAtOnce })
    if (page.length > 0) yield page
    if (page.length < rowsAtOnce) return
    after = page.at(-1)?.place ?? null
  }
}

/** Those of earlier homes first; what is known of people beside the entries stays here. */
async function* ledgers({ db, settings }: PackContext, workspaceId: string): AsyncGenerator<StreamedFile> {
  for (const { id, place } of await readHistories(db, workspaceId)) {
    yield { path: paths.history(place), chunks: readPieces(db, workspaceId, id) }
  }
  const head = await auditLogs.findHead(db, workspaceId)
  const { least } = await auditLogs.seqSpan(db, workspaceId, {})
  const start = await auditLogs.exportStart(db, workspaceId, (least ?? 1) - 1)
  yield { path: paths.ledger, chunks: chainFile(db, settings, workspaceId, start, head?.seq ?? 0, true) }
}

/** Everybody whom a row names, with the addresses of members and of places that nobody has claimed yet. */
async function* peopleLines({ db }: PackContext, workspaceId: string, so: Packed): Chunks {
  const ids = [...so.people.keys()].sort()
  for (let place = 0; place < ids.length; place += rowsAtOnce) {
    const page = ids.slice(place, place + rowsAtOnce)
    const known = page.filter(id => so.people.get(id))
    const people = await findPeople(db, workspaceId, page, known)
    yield people.map(person => `${JSON.stringify(person)}\n`).join('')
  }
}
