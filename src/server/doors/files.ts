// Files of our own that anyone may read: bytes that all answers share, compressed once, when somebody first asks for it.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../../kit/once.ts'
import { compress, encodingFor } from '../request/compression.ts'

/** Shared, never copied: however many ask and do not read, the bytes are in memory once for each encoding. */
export type SharedFile = {
  bytes: Buffer
  type: string
  caching: string
  etag: string
  br: () => Promise<Buffer>
  gzip: () => Promise<Buffer>
}

/** Below this, the headers are the larger part. */
const worthCompressing = 1_024

export function sharedFile(bytes: Buffer, type: string, caching: string): SharedFile {
  return {
    bytes,
    type,
    caching,
    etag: `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`,
    br: once(() => compress.br(bytes)),
    gzip: once(() => compress.gzip(bytes)),
  }
}

export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: SharedFile): Promise<FastifyReply> {
  const { bytes, type, caching, etag } = file
  reply.headers({ 'cache-control': caching, vary: 'accept-encoding', etag })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  reply.type(type)
  const encoding = bytes.length < worthCompressing ? null : encodingFor(request.headers['accept-encoding'])
  if (encoding === null) return reply.send(bytes)
  return reply.header('content-encoding', encoding).send(await file[encoding]())
}
