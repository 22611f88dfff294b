// What kind of file a path and its bytes are.

const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  sql: 'application/sql',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/typescript',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

export function mimeTypeOf(path: string, bytes: Uint8Array): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(types, extension)) return types[extension] as string
  return asText(bytes) === null ? 'application/octet-stream' : 'text/plain'
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null where the bytes are no text that could be stored or sent as one. */
export function asText(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
