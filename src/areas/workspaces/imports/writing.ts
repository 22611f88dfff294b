// A checked archive → a workspace that nobody sees yet, in short statements; whatever fails takes all of it along.
import { type ApiError, badRequest, conflict } from '../../../contract/errors.ts'
import { id as idOf } from '../../../contract/ids.ts'
import { keepBlob } from '../../../kit/blobs.ts'
import { type Carrier, filesOf, settleAll, type UnpackContext } from '../../../kit/carrying.ts'
import { newId } from '../../../kit/random.ts'
import { underFreeSlug } from '../../../kit/slugs.ts'
import { paths } from '../carrying/archive.ts'
import { fillSelves, insertLines } from '../carrying/store.ts'
import { insertPlaceholders, removeOrphans } from '../claims/store.ts'
import { insertHistory, writePieces } from '../files/store.ts'
import type { Checked, CheckedTable } from './checking.ts'
import { slowly } from './lines.ts'
import type { Mapping } from './mapping.ts'
import type { Tell } from './progress/progress.ts'
import * as store from './store.ts'

/** A crash leaves it to the purge, or to the next import, this much later; no step of it takes longer. */
const hiddenMs = 30 * 60_000
const keptMs = 60_000
const rowsAtOnce = 500
const mostBytesAtOnce = 4 * 1024 * 1024

type WriteContext = UnpackContext & { carriers: readonly Carrier[] }

export type Written = { slug: string; suspended: readonly string[] }

export async function write(
  ctx: WriteContext,
  checked: Checked,
  mapping: Mapping,
  importer: string,
  tell: Tell,
): Promise<Written> {
  const { db, now } = ctx
  const { workspaceId: id } = mapping
  const { workspace } = checked
  const until = () => new Date(now().getTime() + hiddenMs)
  const place = (slug: string) => store.insertHidden(db, { id, ownerId: importer, slug, workspace, until: until() })
  let slug = workspace.slug
  try {
    if (!(await place(slug))) {
      await underFreeSlug(workspace.slug, other => {
        slug = other
        return place(other)
      })
    }
  } catch (error) {
    throw faultOf(error).code === '23505' ? conflict('This workspace is being imported at this moment.') : error
  }
  try {
    let kept = now().getTime()
    const keep = async () => {
      await tell()
      if (now().getTime() - kept < keptMs) return
      kept = now().getTime()
      await store.keepHidden(db, id, until())
    }
    const suspended = await fill(ctx, checked, mapping, importer, keep, tell)
    return { slug, suspended }
  } catch (error) {
    await store.removeHidden(db, id)
    await removeOrphans(db, checked.people.size)
    ctx.log.warn({ err: error }, 'an import was broken off')
    throw contradicting(error)
  }
}

function faultOf(error: unknown): { code?: string; constraint?: string } {
  return ((error as ApiError).cause ?? error) as { code?: string; constraint?: string }
}

/** What a constraint refuses is the archive's fault: no export holds it. */
function contradicting(error: unknown): unknown {
  const { code = '', constraint } = faultOf(error)
  if (!/^2[23]/.test(code)) return error
  const where = constraint === undefined ? '' : ` (${constraint})`
  const detail = `The archive contradicts itself${where}; nothing was imported. Export the workspace again.`
  return Object.assign(badRequest(detail), { cause: error })
}

async function fill(
  ctx: WriteContext,
  checked: Checked,
  mapping: Mapping,
  importer: string,
  keep: () => Promise<void>,
  tell: Tell,
): Promise<string[]> {
  const { archive, tables, files, ledgers } = checked
  const { workspaceId } = mapping
  const { carriers } = ctx
  // Beside the tables: people and files before them, what carriers have and ledgers behind them.
  const total = tables.length + 4
  const telling = (part: string, done: number) => tell({ phase: 'writing', part, done, total })
  await telling('people', 0)
  await insertPlaceholders(ctx.db, workspaceId, mapping.placeholders, ctx.now())
  const suspended = await writeMembers(ctx, checked, mapping, importer)
  await telling('files', 1)
  for (const sha256 of files) {
    await keep()
    await keepBlob(ctx.db, workspaceId, await wholeOf(archive.chunks(paths.file(sha256))))
  }
  const others = tables.filter(({ shape }) => shape.table !== 'workspace_members')
  for (const [done, table] of others.entries()) {
    await telling(table.shape.table, done + 2)
    await writeTable(ctx, checked, mapping, table, keep)
  }
  await telling('rows', total - 2)
  for (const carrier of filesOf(carriers)) {
    for (const path of archive.paths.filter(one => one.startsWith(`${carrier.folder}/`))) {
      await keep()
      await carrier.unpack(ctx, workspaceId, path, archive.chunks(path), mapping.here)
    }
  }
  await settleAll(carriers, ctx.db, workspaceId)
  await telling('ledger', total - 1)
  for (const [index, { path, check }] of ledgers.entries()) {
    await keep()
    const id = newId(HistoryId)
    await writePieces(ctx.db, workspaceId, id, archive.chunks(path))
    const { chain, publicKey, checked: entries, end } = check
    const told = { chain: chain ?? '', publicKey: publicKey ?? '', entries, lastSeq: end.seq, lastHash: end.hash }
    await insertHistory(ctx.db, workspaceId, { id, place: index + 1, ...told }, ctx.now())
  }
  return suspended
}

const HistoryId = idOf('whist', 24)

async function wholeOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/** Suspended, all of them, until the workspace is whole; says who stays so. */
async function writeMembers({ db, now }: UnpackContext, checked: Checked, mapping: Mapping, importer: string) {
  const table = checked.tables.find(({ shape }) => shape.table === 'workspace_members')
  const suspended: string[] = []
  let own: { position?: string } = {}
  if (table) {
    const lines: string[] = []
    for await (const line of checked.archive.lines(table.path)) {
      const row = JSON.parse(await renamedSlowly(mapping, line))
      if (row.status !== 'active') suspended.push(row.user_id)
      if (row.user_id === importer) own = row
      lines.push(JSON.stringify({ ...row, status: 'suspended' }))
    }
    const columns = shared(table)
    for (let place = 0; place < lines.length; place += rowsAtOnce) {
      await insertLines(db, table.shape, columns, mapping.workspaceId, lines.slice(place, place + rowsAtOnce))
    }
  }
  // Somebody must be able to act: whoever it was before is an owner again when they claim their place.
  if (own.position !== 'owner' || suspended.includes(importer)) {
    await store.putOwner(db, mapping.workspaceId, importer, now())
  }
  return suspended.filter(id => id !== importer)
}

async function renamedSlowly(mapping: Mapping, text: string): Promise<string> {
  let line = ''
  for await (const piece of slowly(text)) line += mapping.line(piece)
  return line
}

/** Columns that both know. */
function shared({ shape, columns }: CheckedTable): string[] {
  return shape.columns.map(({ name }) => name).filter(name => columns.includes(name))
}

async function writeTable(
  { db }: UnpackContext,
  checked: Checked,
  mapping: Mapping,
  table: CheckedTable,
  keep: () => Promise<void>,
): Promise<void> {
  const { shape } = table
  const columns = shared(table).filter(name => !shape.selves.includes(name))
  const selves = shape.selves.map(column => ({ column, pairs: [] as { id: string; value: string }[] }))
  const own = checked.ids.get(shape.table)
  let [lines, bytes]: [string[], number] = [[], 0]
  const flush = async () => {
    await keep()
    if (lines.length > 0) await insertLines(db, shape, columns, mapping.workspaceId, lines)
    ;[lines, bytes] = [[], 0]
  }
  for await (const text of checked.archive.lines(table.path)) {
    const line = await renamedSlowly(mapping, text)
    if (selves.length > 0) {
      const row = JSON.parse(text)
      for (const { column, pairs } of selves) {
        if (own?.has(row[column])) pairs.push({ id: mapping.here(row.id), value: mapping.here(row[column]) })
      }
    }
    lines.push(line)
    bytes += line.length
    if (lines.length >= rowsAtOnce || bytes >= mostBytesAtOnce) await flush()
  }
  await flush()
  for (const { column, pairs } of selves) {
    for (let place = 0; place < pairs.length; place += rowsAtOnce) {
      await fillSelves(db, shape.table, column, pairs.slice(place, place + rowsAtOnce))
    }
  }
}
