// Packs an export in the background: a try that is cut off leaves nothing, and the next one begins anew.
import { createHash } from 'node:crypto'
import type { JobContext } from '../../../kit/jobs.ts'
import { type WrittenFile, ZipTooLarge, zipStream } from '../../../kit/zip_stream.ts'
import { removePieces, writePieces } from '../files/store.ts'
import { packed } from './packing.ts'
import * as store from './store.ts'

const mostAttempts = 3

export async function pack(ctx: JobContext, id: string): Promise<void> {
  const wanted = await store.findWanted(ctx.db, id)
  if (!wanted || wanted.status === 'ready' || wanted.status === 'failed') return
  try {
    await packOnce(ctx, id, wanted)
  } catch (error) {
    ctx.log.warn({ err: error, exportId: id }, 'an export could not be packed')
    const isTooLarge = error instanceof ZipTooLarge
    if (!isTooLarge && (ctx.attempt + 1 < mostAttempts || ctx.signal.aborted)) throw error
    await removePieces(ctx.db, id)
    const why = isTooLarge ? `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.` : 'It failed three times.'
    await store.updateExport(ctx.db, id, { status: 'failed', part: null, error: why, updated: ctx.now() })
  }
}

async function packOnce(ctx: JobContext, id: string, { workspaceId, userId }: store.Wanted): Promise<void> {
  const { db, now } = ctx
  await removePieces(db, id)
  const written: WrittenFile[] = []
  const digest = createHash('sha256')
  const progress = (part: string, done: number, total: number) =>
    store.updateExport(db, id, { status: 'running', part, done, total, updated: now() })
  const { carriers } = ctx
  const files = packed(ctx, { workspaceId, exporter: userId, carriers, progress }, written, now())
  const hashed = async function* () {
    for await (const chunk of zipStream(files, file => void written.push(file))) {
      ctx.signal.throwIfAborted()
      digest.update(chunk)
      yield chunk
    }
  }
  const size = await writePieces(db, workspaceId, id, hashed())
  const total = written.length
  await store.updateExport(db, id, {
    status: 'ready',
    part: null,
    done: total,
    total,
    size,
    sha256: digest.digest('hex'),
    updated: now(),
  })
  await store.expireOthers(db, id, now())
  await forget(ctx)
}

/** Files whose time is over. */
export async function forget({ db, now, signal }: JobContext): Promise<void> {
  for (const { id } of await db.query<{ id: string }>(store.dueExports(now(), 100))) {
    if (signal.aborted) return
    await removePieces(db, id)
    await store.removeExport(db, id)
  }
}
