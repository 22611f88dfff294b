// A piece of a file as text: whole letters only, and nothing where it is no text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A letter has at most four bytes. */
const mostOfALetter = 3

export function textPiece(bytes: Uint8Array, offset: number, size: number) {
  const isLast = offset + bytes.length >= size
  for (let cut = 0; cut <= (isLast ? 0 : mostOfALetter); cut++) {
    const text = decoded(bytes.subarray(0, bytes.length - cut))
    if (text !== null) return { text, nextOffset: isLast ? null : offset + bytes.length - cut }
  }
  return { text: null, nextOffset: null }
}

function decoded(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}
