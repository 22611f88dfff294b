// Brotli and gzip, by a thread of the runtime: which of them a client takes, and which answers may be compressed at all.
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { methodOf, type Operation } from '../../contract/operation.ts'

export type Encoding = 'br' | 'gzip'

const [brotlied, gzipped] = [promisify(brotliCompress), promisify(gzip)]
/** Above this, brotli takes several times as long for a few hundredths less. */
const brotliQuality = 5

export const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: bytes => {
    const params = { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    return brotlied(bytes, { params })
  },
  gzip: bytes => gzipped(bytes),
}

export function encodingFor(accepted: string | undefined): Encoding | null {
  const names = (accepted ?? '').split(',').flatMap(part => {
    const [name = '', quality = ''] = part.split(';')
    return /q=0(\.0*)?\s*$/.test(quality) ? [] : [name.trim().toLowerCase()]
  })
  if (names.includes('br')) return 'br'
  return names.includes('gzip') ? 'gzip' : null
}

/**
 * The length of a compressed answer tells whoever watches the connection how much of their own text it repeats, and so,
 * guess by guess, what else stands in it (BREACH). No answer that holds a secret is compressed, nor one to a write,
 * which repeats what was sent. The text of a record that has an ETag stays the one that the tag was made of.
 */
export function mayCompress(operation: Operation): boolean {
  const hasSecret = JSON.stringify(operation.result).includes('"x-secret":true')
  return methodOf(operation) === 'GET' && !operation.etag && !operation.cookie && !hasSecret
}
