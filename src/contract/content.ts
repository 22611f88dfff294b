// Bodies that are no object of fields: what they are called on the wire, and what a handler or a client has in hand.

/** Forms that an operation may consume → their media types, the usual one first. */
export const mediaTypes = {
  json: ['application/json'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  zip: ['application/zip'],
  protobuf: ['application/x-protobuf', 'application/protobuf'],
  text: ['text/plain'],
  bytes: ['application/octet-stream'],
  /** Whatever a stranger sends. */
  any: ['application/json', '*/*'],
} as const

export type ContentKind = keyof typeof mediaTypes

/** Already inflated where it came compressed, and no larger than the operation takes. */
export type Content = {
  kind: ContentKind
  bytes: Uint8Array
  /** Of an operation with `hearsHeaders` only. */
  headers?: Readonly<Record<string, string>>
  /** Of an operation with `bodyOnDisk` only: then `bytes` is empty. */
  file?: ContentFile
}

/** A body that is too large for memory; it is gone when the request is over. */
export type ContentFile = {
  size: number
  sha256: string
  /** So many bytes from here on; throws where there are not so many. */
  read(offset: number, length: number): Promise<Uint8Array>
}

/** Whatever stands behind the type, such as a charset, says nothing here: texts are UTF-8. */
export function kindOfMedia(contentType: string | undefined, kinds: readonly ContentKind[]): ContentKind | undefined {
  const [type = ''] = (contentType ?? '').split(';', 1)
  const name = type.trim().toLowerCase()
  return kinds.find(kind => kind === 'any' || (mediaTypes[kind] as readonly string[]).includes(name))
}

/** What a file may have. */
export const mostFileBytes = 10 * 1024 * 1024

/** What a body may have where its operation says nothing. */
export const usualBodyLimit = 1024 * 1024
