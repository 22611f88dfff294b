// Files of messages: uploaded first, then put into a message by whoever uploaded them, and gone with it.
import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { badRequest, conflict } from '../../../contract/errors.ts'
import type { Blob } from '../../../kit/blobs.ts'
import type { Caller } from '../../../kit/context.ts'
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { MessageFile, Part } from '../messages/contract.ts'
import { seen } from '../store.ts'

export type FileRow = Static<typeof MessageFile>

type Uploader = Pick<Caller, 'ownerId'> & { workspaceId: string }

const mostUnused = 50
const dayMs = 86_400_000

function uploaderOf({ workspaceId, ownerId }: Uploader): string {
  return createHash('sha256').update(`${workspaceId} ${ownerId}`).digest('hex')
}

const columns = sql`f.id, f.workspace_id, f.name, f.mime_type, f.size, f.sha256, 'message_file' as _object`

type NewFile = Pick<FileRow, 'id' | 'name' | 'mimeType'> & Blob

export async function add(db: Db, owner: Uploader, file: NewFile, now: Date): Promise<FileRow> {
  const { id, name, mimeType, size, sha256 } = file
  const expires = new Date(now.getTime() + dayMs)
  const row = await first<FileRow>(
    db,
    sql`
    insert into message_files as f (id, workspace_id, uploader, name, mime_type, size, sha256, expires)
    values (${id}, ${owner.workspaceId}, ${uploaderOf(owner)}, ${name}, ${mimeType}, ${size}, ${sha256}, ${expires})
    returning ${columns}`,
  )
  return row as FileRow
}

/** Uploads that are never used fill the disk. */
export async function refuseHoarding(db: Db, owner: Uploader): Promise<void> {
  const row = await first<{ count: number }>(
    db,
    sql`select count(*)::int as count from message_files where uploader = ${uploaderOf(owner)}`,
  )
  if ((row?.count ?? 0) < mostUnused) return
  throw conflict(`${mostUnused} of your uploads are in no message yet. Use them first, or wait a day.`, {
    limit: mostUnused,
  })
}

/** One that the caller may download: in a message that they see, or still their own. */
export function find(db: Db, workspaceId: string, id: string, caller: Caller): Promise<FileRow | undefined> {
  const uploader = uploaderOf({ workspaceId, ownerId: caller.ownerId })
  return first(
    db,
    sql`
    select ${columns} from message_files f
    where f.workspace_id = ${workspaceId} and f.id = ${id} and (f.uploader = ${uploader} or exists (
      select from messages m join threads t on t.id = m.thread_id where m.id = f.message_id and ${seen(workspaceId, caller)}))`,
  )
}

/** The parts with what is known of their files. 400 where one is not the caller's to use, or in another message. */
export async function fill(db: Db, owner: Uploader, parts: readonly Part[], messageId: string | null = null) {
  const ids = [...new Set(parts.flatMap(({ type, fileId }) => (type === 'file' && fileId ? [fileId] : [])))]
  if (ids.length === 0) return { parts, ids }
  const rows = await db.query<FileRow>(sql`
    select ${columns} from message_files f
    where f.workspace_id = ${owner.workspaceId} and f.id = any(${ids}::text[])
      and (f.uploader = ${uploaderOf(owner)} or f.message_id = ${messageId}::text)
    order by f.id for update`)
  const known = new Map(rows.map(row => [row.id, row]))
  const filled = parts.map((part, index): Part => {
    if (part.type !== 'file') return part
    const file = known.get(part.fileId ?? '')
    if (!file) {
      const [path, expected] = [`parts.${index}.fileId`, 'the id of a file that you uploaded and have not used yet']
      throw badRequest(`"${path}" must be ${expected}.`, [{ path, rule: 'reference', expected }])
    }
    const { id: fileId, name, mimeType, size } = file
    return { type: 'file', fileId, name, mimeType, size }
  })
  return { parts: filled, ids }
}

/** The message has these files and no others. */
export async function hold(db: Db, messageId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query(sql`
    update message_files set message_id = ${messageId}, uploader = null, expires = null where id = any(${ids}::text[])`)
}

export async function dropOthers(db: Db, messageId: string, kept: readonly string[]): Promise<void> {
  await db.query(sql`delete from message_files where message_id = ${messageId} and not id = any(${kept}::text[])`)
}
