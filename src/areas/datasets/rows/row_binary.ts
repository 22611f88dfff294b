// Rows in ClickHouse's format RowBinary: numbers arrive bit for bit, and texts need no escapes.

const usualBytes = 64 * 1024

let buffer = Buffer.allocUnsafe(usualBytes)
let view = viewOf(buffer)
let end = 0

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** One row is written at a time, from `begin` to `taken`. */
function ensure(size: number): void {
  if (end + size <= buffer.length) return
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + size))
  buffer.copy(larger, 0, 0, end)
  buffer = larger
  view = viewOf(buffer)
}

/** `room` is left for what is not known yet. */
export function begin(room: number): void {
  end = 0
  ensure(room)
  end = room
}

const largestKept = 1024 * 1024

/** A copy of what was written since `begin`. */
export function taken(): Uint8Array {
  const row = Buffer.from(buffer.subarray(0, end))
  if (buffer.length > largestKept) {
    buffer = Buffer.allocUnsafe(usualBytes)
    view = viewOf(buffer)
  }
  return row
}

/** Where the next value will be. */
export function place(): number {
  return end
}

/** A copy of what was written since `from`, to be put again. */
export function takenSince(from: number): Uint8Array {
  return Uint8Array.prototype.slice.call(buffer, from, end)
}

export function putBytes(bytes: Uint8Array): void {
  ensure(bytes.length)
  buffer.set(bytes, end)
  end += bytes.length
}

export function putByte(value: number): void {
  ensure(1)
  buffer[end++] = value
}

/** Seven bits a byte, the lowest first. */
export function putLength(value: number): void {
  let left = value
  while (left >= 0x80) {
    putByte((left & 0x7f) | 0x80)
    left >>>= 7
  }
  putByte(left)
}

/** Of so few characters, the length in bytes is one byte, also with a mark. */
const shortText = 42

/** `mark`, where it is given, is the code of a character before the text. */
export function putText(value: string, mark = 0): void {
  if (value.length <= shortText) putShortText(value, mark)
  else putLongText(value, mark)
}

function putShortText(value: string, mark: number): void {
  const { length } = value
  const before = mark === 0 ? 0 : 1
  ensure(length * 3 + 2)
  const from = end + 1 + before
  // Most texts are short and ASCII; to call what is native for each of them takes longer than to write them here.
  let index = 0
  for (; index < length; index++) {
    const code = value.charCodeAt(index)
    if (code > 0x7f) break
    buffer[from + index] = code
  }
  const bytes = before + (index === length ? length : buffer.write(value, from))
  buffer[end] = bytes
  if (before === 1) buffer[end + 1] = mark
  end += 1 + bytes
}

function putLongText(value: string, mark: number): void {
  const length = Buffer.byteLength(value)
  putLength(mark === 0 ? length : length + 1)
  if (mark !== 0) putByte(mark)
  ensure(length)
  buffer.write(value, end)
  end += length
}

const digits = Buffer.from('0123456789abcdef')

/** As the text of `mark` and `bitsOf` of the number. */
export function putBits(value: number, mark: number): void {
  ensure(18 + 8)
  buffer[end] = 17
  buffer[end + 1] = mark
  // Behind the text, where nothing is yet.
  const from = end + 18
  view.setFloat64(from, value === 0 ? 0 : value, true)
  for (let index = 0; index < 8; index++) {
    const byte = buffer[from + index] as number
    buffer[end + 2 + 2 * index] = digits[byte >> 4] as number
    buffer[end + 3 + 2 * index] = digits[byte & 15] as number
  }
  end = from
}

export function putInteger(value: bigint): void {
  ensure(8)
  view.setBigInt64(end, value, true)
  end += 8
}

export function putNumber(value: number): void {
  ensure(8)
  view.setFloat64(end, value === 0 ? 0 : value, true)
  end += 8
}
