// Attributes and their values, of both encodings, as JSON.
import type { Attributes, Json } from '../../datasets/rows/row.ts'
import { BadItem, type Budget, countNested, limits } from './faults.ts'
import { base64Of, boolOf, doubleOf, int64Of, type JsonObject, listOf, objectOf, textOf } from './json.ts'
import {
  enter,
  leave,
  type Reader,
  readBool,
  readBytes,
  readDouble,
  readInt64,
  readKey,
  readTag,
  readText,
  skip,
} from './wire.ts'

export type Writable = { [name: string]: Json }

/** A string where a number would not be exact. */
export function integerJson(value: number | bigint): number | string {
  if (typeof value === 'number') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** JSON has no NaN and no infinity. */
export function doubleJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

/** Assigning `__proto__` would set the prototype instead. */
export function put(target: Writable, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else target[key] = value
}

function checkKey(key: string): void {
  if (key.length > limits.keyLength) throw new BadItem(`an attribute key is longer than ${limits.keyLength} characters`)
}

function checkDepth(depth: number): void {
  if (depth > limits.depth) throw new BadItem(`a value is nested deeper than ${limits.depth} levels`)
}

export function checkCount(count: number): void {
  if (count > limits.attributes) throw new BadItem(`more than ${limits.attributes} attributes`)
}

/** The tags of AnyValue: the number of the field times 8, plus its wire type. */
const tags = { text: 10, bool: 16, int: 24, double: 33, list: 42, map: 50, bytes: 58 } as const

/** Reads what is left of the AnyValue that the reader is in. */
export function readValue(reader: Reader, depth: number): Json {
  checkDepth(depth)
  let value: Json = null
  while (reader.at < reader.end) {
    const tag = readTag(reader)
    if (tag === tags.text) value = readText(reader)
    else if (tag === tags.int) value = integerJson(readInt64(reader))
    else if (tag === tags.bool) value = readBool(reader)
    else if (tag === tags.double) value = doubleJson(readDouble(reader))
    else if (tag === tags.list) value = readList(reader, depth)
    else if (tag === tags.map) value = readMap(reader, depth)
    else if (tag === tags.bytes) value = readBytes(reader, 'base64')
    else skip(reader, tag & 7)
  }
  return value
}

function readList(reader: Reader, depth: number): Json {
  countNested(reader.budget)
  const values: Json[] = []
  const outer = enter(reader)
  while (reader.at < reader.end) {
    const tag = readTag(reader)
    if (tag !== 10) skip(reader, tag & 7)
    else {
      const list = enter(reader)
      values.push(readValue(reader, depth + 1))
      leave(reader, list)
    }
  }
  leave(reader, outer)
  return values
}

function readMap(reader: Reader, depth: number): Json {
  countNested(reader.budget)
  const map: Writable = {}
  const outer = enter(reader)
  while (reader.at < reader.end) {
    const tag = readTag(reader)
    if (tag === 10) readPair(reader, map, depth + 1)
    else skip(reader, tag & 7)
  }
  leave(reader, outer)
  return map
}

/** Reads a KeyValue into the target. */
export function readPair(reader: Reader, target: Writable, depth: number): void {
  let key = ''
  let value: Json = null
  const outer = enter(reader)
  while (reader.at < reader.end) {
    const tag = readTag(reader)
    if (tag === 10) key = readKey(reader)
    else if (tag === 18) {
      const pair = enter(reader)
      value = readValue(reader, depth)
      leave(reader, pair)
    } else skip(reader, tag & 7)
  }
  leave(reader, outer)
  checkKey(key)
  put(target, key, value)
}

type FromJson = (value: unknown, budget: Budget, depth: number) => Json

/** Each kind of value, by its name in JSON and the one of the definitions. */
const valuesFromJson: readonly (readonly [string, string, FromJson])[] = [
  ['stringValue', 'string_value', value => textOf(value, 'stringValue')],
  ['intValue', 'int_value', value => integerJson(int64Of(value, 'intValue'))],
  ['boolValue', 'bool_value', value => boolOf(value, 'boolValue')],
  ['doubleValue', 'double_value', value => doubleJson(doubleOf(value, 'doubleValue'))],
  ['arrayValue', 'array_value', listFromJson],
  ['kvlistValue', 'kvlist_value', mapFromJson],
  ['bytesValue', 'bytes_value', value => base64Of(value, 'bytesValue')],
]

export function valueFromJson(value: unknown, budget: Budget, depth: number): Json {
  checkDepth(depth)
  if (value === null || value === undefined) return null
  const any = objectOf(value, 'a value')
  for (const [name, original, read] of valuesFromJson) {
    const found = any[name] ?? any[original]
    if (found !== undefined && found !== null) return read(found, budget, depth)
  }
  return null
}

function listFromJson(value: unknown, budget: Budget, depth: number): Json {
  countNested(budget)
  const { values } = objectOf(value, 'arrayValue')
  return listOf(values ?? [], 'values').map(each => valueFromJson(each, budget, depth + 1))
}

function mapFromJson(value: unknown, budget: Budget, depth: number): Json {
  countNested(budget)
  const { values } = objectOf(value, 'kvlistValue')
  return pairsFromJson(listOf(values ?? [], 'values'), budget, depth + 1)
}

function pairsFromJson(pairs: readonly unknown[], budget: Budget, depth: number): Attributes {
  const target: Writable = {}
  for (const pair of pairs) {
    const { key, value }: JsonObject = objectOf(pair, 'an attribute')
    const name = textOf(key ?? '', 'key')
    checkKey(name)
    put(target, name, valueFromJson(value, budget, depth))
  }
  return target
}

export function attributesFromJson(value: unknown, name: string, budget: Budget): Attributes {
  const pairs = listOf(value, name)
  checkCount(pairs.length)
  return pairsFromJson(pairs, budget, 1)
}
