// The types of fields that messages of OTLP are made of.
import type { Attributes, Json } from '../../datasets/rows/row.ts'
import { BadItem, limits, Undecodable } from './faults.ts'
import * as json from './json.ts'
import { type Field, grown, nothing, skipped } from './message.ts'
import {
  attributesFromJson,
  checkCount,
  integerJson,
  readPair,
  readValue,
  valueFromJson,
  type Writable,
} from './values.ts'
import * as wire from './wire.ts'

const { wireTypes } = wire

function scalar<T>(
  number: number,
  expected: number,
  none: T,
  fromWire: (reader: wire.Reader) => T,
  fromJson: (value: unknown, name: string) => T,
): Field<T> {
  return {
    number,
    none,
    wire: (reader, wireType, before) => (wireType === expected ? fromWire(reader) : skipped(reader, wireType, before)),
    json: fromJson,
  }
}

export const text = (number: number) => scalar(number, wireTypes.bytes, '', wire.readText, json.textOf)
export const bool = (number: number) => scalar(number, wireTypes.varint, false, wire.readBool, json.boolOf)
export const uint32 = (number: number) => scalar(number, wireTypes.varint, 0, wire.readUint32, json.uint32Of)
export const sint32 = (number: number) => scalar(number, wireTypes.varint, 0, wire.readSint32, json.int32Of)
export const fixed32 = (number: number) => scalar(number, wireTypes.fixed32, 0, wire.readFixed32, json.uint32Of)
export const fixed64 = (number: number) => scalar(number, wireTypes.fixed64, 0n, wire.readFixed64, json.uint64Of)
export const double = (number: number) => scalar(number, wireTypes.fixed64, 0, wire.readDouble, json.doubleOf)

/** Null where the message does not carry it. */
export const optionalDouble = (number: number) =>
  scalar<number | null>(number, wireTypes.fixed64, null, wire.readDouble, json.doubleOf)

export const optionalInt = (number: number) =>
  scalar<bigint | null>(number, wireTypes.fixed64, null, wire.readSfixed64, json.int64Of)

/** The name at each number; in JSON also by that name. */
export function enumeration(number: number, names: readonly string[]): Field<number> {
  const fromJson = (value: unknown, name: string) => {
    if (typeof value !== 'string') return json.int32Of(value, name)
    const index = names.indexOf(value)
    if (index < 0) throw new BadItem(`${name} has an unknown name`)
    return index
  }
  return scalar(number, wireTypes.varint, 0, wire.readInt32, fromJson)
}

/** Hexadecimal; null where it is empty or all zeros. */
export function id(number: number, bytes: 8 | 16): Field<string | null> {
  const pattern = new RegExp(`^[0-9a-f]{${bytes * 2}}$`)
  const zeros = '0'.repeat(bytes * 2)
  const fromJson = (value: unknown, name: string) => {
    const hex = json.textOf(value, name)
    if (hex === '') return null
    const lower = hex.length === bytes * 2 ? hex.toLowerCase() : ''
    if (!pattern.test(lower)) throw new BadItem(`${name} is not ${bytes * 2} hexadecimal digits`)
    return lower === zeros ? null : lower
  }
  const fromWire = (reader: wire.Reader) => {
    const hex = wire.readBytes(reader, 'hex')
    if (hex === '' || hex === zeros) return null
    if (hex.length !== bytes * 2) throw new BadItem(`an id is not ${bytes} bytes long`)
    return hex
  }
  return scalar<string | null>(number, wireTypes.bytes, null, fromWire, fromJson)
}

/** Numbers one by one, or packed into one field. */
function numbers<T>(
  number: number,
  expected: number,
  fromWire: (reader: wire.Reader) => T,
  fromJson: (value: unknown, name: string) => T,
): Field<T[]> {
  return {
    number,
    none: nothing,
    wire: (reader, wireType, before) => {
      if (wireType === expected) return grown(before, fromWire(reader))
      if (wireType !== wireTypes.bytes) return skipped(reader, wireType, before)
      const outer = wire.enter(reader)
      let list = before
      while (reader.at < reader.end) list = grown(list, fromWire(reader))
      wire.leave(reader, outer)
      return list
    },
    json: (value, name) => json.listOf(value, name).map(each => fromJson(each, name)),
  }
}

const countOf = (value: unknown, name: string) => integerJson(json.uint64Of(value, name))
const readFixedCount = (reader: wire.Reader) => integerJson(wire.readFixed64(reader))
const readVarintCount = (reader: wire.Reader) => integerJson(wire.readVarint(reader))

/** A number, or a decimal string where that would not be exact. */
export const count = (number: number) => scalar<number | string>(number, wireTypes.fixed64, 0, readFixedCount, countOf)

export const doubles = (number: number) => numbers(number, wireTypes.fixed64, wire.readDouble, json.doubleOf)
export const fixedCounts = (number: number) => numbers(number, wireTypes.fixed64, readFixedCount, countOf)
export const varintCounts = (number: number) => numbers(number, wireTypes.varint, readVarintCount, countOf)

export type AttributeList = { count: number; values: Attributes }

const noAttributes: AttributeList = { count: 0, values: Object.freeze({}) }

export function attributes(number: number): Field<AttributeList> {
  return {
    number,
    none: noAttributes,
    wire: (reader, wireType, before) => {
      if (wireType !== wireTypes.bytes) return skipped(reader, wireType, before)
      const list = before === noAttributes ? { count: 0, values: {} } : before
      list.count++
      checkCount(list.count)
      readPair(reader, list.values as Writable, 1)
      return list
    },
    json: (value, name, budget) => {
      const values = attributesFromJson(value, name, budget)
      return { count: 0, values }
    },
  }
}

export function anyValue(number: number): Field<Json> {
  return {
    number,
    none: null,
    wire: (reader, wireType, before) => {
      if (wireType !== wireTypes.bytes) return skipped(reader, wireType, before)
      const outer = wire.enter(reader)
      const value = readValue(reader, 1)
      wire.leave(reader, outer)
      return value
    },
    json: (value, _name, budget) => valueFromJson(value, budget, 1),
  }
}

/** A message that is read later: where it is in the body, or its JSON. */
export type Part = { from: number; to: number } | { json: unknown }

function readPart(reader: wire.Reader): Part {
  const outer = wire.enter(reader)
  const part = { from: reader.at, to: reader.end }
  wire.leave(reader, outer)
  return part
}

export function part(number: number): Field<Part | null> {
  return scalar<Part | null>(number, wireTypes.bytes, null, readPart, (value, name) => ({
    json: json.objectOf(value, name),
  }))
}

export function parts(number: number): Field<Part[]> {
  return {
    number,
    none: nothing,
    wire: (reader, wireType, before) => {
      if (wireType !== wireTypes.bytes) return skipped(reader, wireType, before)
      checkParts(before.length + 1)
      return grown(before, readPart(reader))
    },
    json: (value, name) => {
      const list = json.listOf(value, name)
      checkParts(list.length)
      return list.map(each => ({ json: each }))
    },
  }
}

function checkParts(length: number): void {
  if (length > limits.items) throw tooMany()
}

export function tooMany(): Undecodable {
  return new Undecodable(`more than ${limits.items} items: send smaller batches`)
}
