// Lines of text out of chunks of bytes, however they are cut.
const newline = 0x0a

/** Throws `tooLong()` for a line of more bytes than these, before it is whole. */
export async function* linesIn(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
  tooLong: () => Error,
): AsyncGenerator<string, void, undefined> {
  let begun: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(newline, start)
      const part = chunk.subarray(start, end < 0 ? undefined : end)
      bytes += part.length
      if (bytes > mostBytes) throw tooLong()
      begun.push(part)
      if (end < 0) break
      yield textOf(begun)
      begun = []
      bytes = 0
      start = end + 1
    }
  }
  if (bytes > 0) yield textOf(begun)
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8')
}
