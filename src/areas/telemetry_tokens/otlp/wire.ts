// A reader of protobuf's wire format that never reads past the message it is in.
import { type Budget, Undecodable } from './faults.ts'
import { withoutNul } from './text.ts'

export type Reader = {
  bytes: Buffer
  view: DataView
  at: number
  /** Of the message that is being read. */
  end: number
  budget: Budget
  /** Keys that were read, by a hash of some of their bytes. */
  keys: (string | undefined)[]
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

const keySlots = 512

export function readerOf(body: Uint8Array, budget: Budget): Reader {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  return { bytes, view, at: 0, end: body.byteLength, budget, keys: Array(keySlots).fill(undefined) }
}

function truncated(): Undecodable {
  return new Undecodable('the protobuf message is cut off')
}

/** Returns where the bytes begin that it goes past. */
function take(reader: Reader, length: number): number {
  const from = reader.at
  if (length > reader.end - from) throw truncated()
  reader.at = from + length
  return from
}

function readByte(reader: Reader): number {
  if (reader.at >= reader.end) throw truncated()
  return reader.bytes[reader.at++] as number
}

/** A varint of 64 bits: a number where 49 bits are enough. */
export function readVarint(reader: Reader): number | bigint {
  let sum = 0
  let scale = 1
  for (let count = 0; count < 7; count++) {
    const byte = readByte(reader)
    sum += (byte & 127) * scale
    if (byte < 128) return sum
    scale *= 128
  }
  let long = BigInt(sum)
  for (let shift = 49n; shift < 70n; shift += 7n) {
    const byte = readByte(reader)
    long |= BigInt(byte & 127) << shift
    if (byte < 128) return BigInt.asUintN(64, long)
  }
  throw new Undecodable('a varint of the protobuf message is longer than 10 bytes')
}

/** Number of the field times 8, plus its wire type. */
export function readTag(reader: Reader): number {
  const tag = readVarint(reader)
  if (typeof tag === 'bigint' || tag > 0xffffffff || tag < 8)
    throw new Undecodable('a field of the protobuf message has no valid number')
  return tag
}

function readLength(reader: Reader): number {
  const length = readVarint(reader)
  if (typeof length === 'bigint') throw truncated()
  return length
}

export function skip(reader: Reader, wireType: number): void {
  if (wireType === wireTypes.varint) readVarint(reader)
  else if (wireType === wireTypes.fixed64) take(reader, 8)
  else if (wireType === wireTypes.bytes) take(reader, readLength(reader))
  else if (wireType === wireTypes.fixed32) take(reader, 4)
  else throw new Undecodable(`the protobuf message uses wire type ${wireType}, which OTLP does not have`)
}

/** Goes into a nested message; `leave` needs what it returns. */
export function enter(reader: Reader): number {
  const length = readLength(reader)
  if (length > reader.end - reader.at) throw truncated()
  const outer = reader.end
  reader.end = reader.at + length
  return outer
}

export function leave(reader: Reader, outer: number): void {
  reader.at = reader.end
  reader.end = outer
}

/** Invalid UTF-8 becomes replacement characters. */
export function readText(reader: Reader): string {
  const from = take(reader, readLength(reader))
  return from === reader.at ? '' : withoutNul(reader.bytes.toString('utf8', from, reader.at))
}

/**
 * As `readText`. The same few keys come with every item: taking the string from before is several times as fast as
 * making a new one.
 */
export function readKey(reader: Reader): string {
  const start = reader.at
  const length = readLength(reader)
  const from = take(reader, length)
  const slot = slotOf(reader.bytes, from, length)
  const known = reader.keys[slot]
  if (known !== undefined && equalsAscii(reader, from, known)) return known
  reader.at = start
  const key = readText(reader)
  reader.keys[slot] = key
  return key
}

/** Of a few of its bytes: all of them are compared anyway, and keys that share a slot only take longer. */
function slotOf(bytes: Buffer, from: number, length: number): number {
  if (length === 0) return 0
  const first = bytes[from] as number
  const quarter = bytes[from + (length >> 2)] as number
  const half = bytes[from + (length >> 1)] as number
  const last = bytes[from + length - 1] as number
  return (length + first * 5 + quarter * 17 + half * 37 + last * 101) & (keySlots - 1)
}

/** Whether the bytes up to where the reader is are this text. One that is not ASCII never is. */
function equalsAscii(reader: Reader, from: number, text: string): boolean {
  if (text.length !== reader.at - from) return false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127 || code !== reader.bytes[from + index]) return false
  }
  return true
}

export function readBytes(reader: Reader, encoding: 'hex' | 'base64'): string {
  const from = take(reader, readLength(reader))
  return reader.bytes.toString(encoding, from, reader.at)
}

export function readBool(reader: Reader): boolean {
  const value = readVarint(reader)
  return value !== 0 && value !== 0n
}

/** A number where it is a safe integer. */
export function readInt64(reader: Reader): number | bigint {
  const value = readVarint(reader)
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) : value
}

/** Longer varints lose their upper bits, as in every protobuf library. */
export function readUint32(reader: Reader): number {
  const value = readVarint(reader)
  return typeof value === 'bigint' ? Number(BigInt.asUintN(32, value)) : value % 0x100000000
}

export function readInt32(reader: Reader): number {
  return readUint32(reader) | 0
}

export function readSint32(reader: Reader): number {
  const value = readUint32(reader)
  return (value >>> 1) ^ -(value & 1)
}

export function readFixed64(reader: Reader): bigint {
  return reader.view.getBigUint64(take(reader, 8), true)
}

export function readSfixed64(reader: Reader): bigint {
  return reader.view.getBigInt64(take(reader, 8), true)
}

export function readFixed32(reader: Reader): number {
  return reader.view.getUint32(take(reader, 4), true)
}

export function readDouble(reader: Reader): number {
  return reader.view.getFloat64(take(reader, 8), true)
}
