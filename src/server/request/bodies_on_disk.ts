// Bodies that are too large for memory: written to a file that has no name any more, and gone with the request.
import { createHash, randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Content, type ContentFile, kindOfMedia, mediaTypes, usualBodyLimit } from '../../contract/content.ts'
import { ApiError, badRequest } from '../../contract/errors.ts'
import { tooLarge } from './bodies.ts'

/** More would fill the disk for others. Of one caller it is one at a time: who sends slowly must not keep others out. */
const mostAtOnce = 4

/** In a scope of its own: everywhere else bodies are small. */
export function readBodiesToDisk(scope: FastifyInstance, dataDirectory: string): void {
  const senders = new Set<string>()
  const replies = new WeakMap<FastifyRequest, FastifyReply>()
  scope.removeAllContentTypeParsers()
  scope.addHook('preParsing', (request, reply, payload, done) => {
    replies.set(request, reply)
    done(null, payload)
  })
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const sender = request.entered.caller?.ownerId ?? request.ip
    if (senders.has(sender)) {
      throw new ApiError('too_many_requests', 'Another file of yours is being read; send this one when that is done.')
    }
    if (senders.size === mostAtOnce) {
      throw new ApiError('unavailable', 'Too many large files are being read; try again later.')
    }
    senders.add(sender)
    let handle: FileHandle | undefined
    // Before anything is read: whoever goes away as soon as all is sent is gone when the file is written.
    whenOver(replies.get(request), () => {
      senders.delete(sender)
      void handle?.close().catch(() => {})
    })
    handle = await namelessFile(join(dataDirectory, 'incoming'))
    if (!senders.has(sender)) await handle.close()
    return await onDisk(request, payload, handle)
  })
}

/** The answer is sent, or nobody waits for it any more. */
function whenOver(reply: FastifyReply | undefined, end: () => void): void {
  let isOver = false
  const once = () => {
    if (!isOver) end()
    isOver = true
  }
  if (!reply || reply.raw.closed) once()
  else reply.raw.once('close', once).once('finish', once)
}

async function onDisk(request: FastifyRequest, payload: IncomingMessage, handle: FileHandle): Promise<Content> {
  const { operation } = request.routeOptions.config
  const [kind, limit] = [kindOf(request), operation?.bodyLimit ?? usualBodyLimit]
  if (Number(request.headers['content-length']) > limit) throw tooLarge(operation)
  const digest = createHash('sha256')
  let size = 0
  for await (const piece of payload as AsyncIterable<Buffer>) {
    if (size + piece.length > limit) throw tooLarge(operation)
    digest.update(piece)
    await handle.write(piece, 0, piece.length, size)
    size += piece.length
  }
  if (size === 0) throw badRequest(`The body is empty; send ${mediaTypes[kind][0]}.`)
  return { kind, bytes: new Uint8Array(), file: fileOf(handle, size, digest.digest('hex')) }
}

function kindOf(request: FastifyRequest): Content['kind'] {
  const { consumes = ['zip'] } = request.routeOptions.config.operation ?? {}
  const kind = kindOfMedia(request.headers['content-type'], consumes)
  if (!kind) throw badRequest(`Send the body as ${consumes.map(one => mediaTypes[one][0]).join(' or ')}.`)
  if (request.headers['content-encoding'] !== undefined) {
    throw badRequest('Send the body as it is, without Content-Encoding.')
  }
  return kind
}

/** Whatever ends the process ends the file, too. */
async function namelessFile(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomBytes(12).toString('hex')}.part`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}

function fileOf(handle: FileHandle, size: number, sha256: string): ContentFile {
  return {
    size,
    sha256,
    async read(offset, length) {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await handle.read(bytes, 0, length, offset)
      if (bytesRead !== length) throw new Error('the file is shorter than it was')
      return bytes
    },
  }
}
