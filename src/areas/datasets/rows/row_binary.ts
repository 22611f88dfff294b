// Rows in ClickHouse's format RowBinary: numbers arrive bit for bit, and texts need no escapes.

let buffer = Buffer.allocUnsafe(64 * 1024)
let end = 0

/** One row is written at a time, from `begin` to `taken`. */
function ensure(size: number): void {
  if (end + size <= buffer.length) return
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + size))
  buffer.copy(larger, 0, 0, end)
  buffer = larger
}

export function begin(): void {
  end = 0
}

const largestKept = 1024 * 1024

/** A copy of what was written since `begin`. */
export function taken(): Uint8Array {
  const row = Buffer.from(buffer.subarray(0, end))
  if (buffer.length > largestKept) buffer = Buffer.allocUnsafe(64 * 1024)
  return row
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

/** Of so few characters, the length in bytes is one byte. */
const shortText = 42

export function putText(value: string): void {
  if (value.length <= shortText) {
    ensure(value.length * 3 + 1)
    const length = buffer.write(value, end + 1)
    buffer[end] = length
    end += length + 1
    return
  }
  const length = Buffer.byteLength(value)
  putLength(length)
  ensure(length)
  buffer.write(value, end)
  end += length
}

export function putTexts(values: readonly string[]): void {
  putLength(values.length)
  for (const value of values) putText(value)
}

export function putInteger(value: bigint): void {
  ensure(8)
  end = buffer.writeBigInt64LE(value, end)
}

export function putNumber(value: number): void {
  ensure(8)
  end = buffer.writeDoubleLE(value === 0 ? 0 : value, end)
}

/** `put` is called where there is a value. */
export function putNullable<T>(value: T | null | undefined, put: (value: T) => void): void {
  putByte(value == null ? 1 : 0)
  if (value != null) put(value)
}
