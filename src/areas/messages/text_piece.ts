// A piece of a file as text: whole letters only, and nothing where it is no text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A letter has at most four bytes. */
const mostOfALetter = 3

export function textPiece(given: Uint8Array, from: number, size: number) {
  // One that begins within a letter begins with the next.
  const skipped = from === 0 ? 0 : given.subarray(0, mostOfALetter).findIndex(byte => (byte & 0xc0) !== 0x80)
  const [bytes, offset] = skipped > 0 ? [given.subarray(skipped), from + skipped] : [given, from]
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
