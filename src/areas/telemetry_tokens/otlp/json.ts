// Values of protobuf's JSON form, each checked for its type.
import { BadItem, limits, Undecodable } from './faults.ts'
import { clean } from './text.ts'

const signs = { quote: 0x22, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, open: 0x7b, close: 0x7d } as const

/** JSON of a body. 10 MiB of nothing but brackets would take the parser seconds, so they are counted before. */
export function parseBody(body: Uint8Array): unknown {
  checkBrackets(body)
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  } catch {
    throw new Undecodable('the body is not JSON')
  }
}

function checkBrackets(body: Uint8Array): void {
  let opened = 0
  let depth = 0
  let inText = false
  for (let at = 0; at < body.length; at++) {
    const sign = body[at]
    if (sign === signs.quote) inText = !inText
    else if (inText) at += sign === signs.backslash ? 1 : 0
    else if (sign === signs.close || sign === signs.closeList) depth--
    else if (sign === signs.open || sign === signs.openList) {
      opened++
      depth++
      if (opened > limits.jsonBrackets) throw new Undecodable('too many objects and arrays: send smaller batches')
      if (depth > limits.jsonDepth) throw new Undecodable(`the JSON is nested deeper than ${limits.jsonDepth} levels`)
    }
  }
}

export type JsonObject = { readonly [name: string]: unknown }

export function objectOf(value: unknown, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadItem(`${name} is not an object`)
  return value as JsonObject
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new BadItem(`${name} is not an array`)
  return value
}

export function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new BadItem(`${name} is not a string`)
  return clean(value)
}

export function boolOf(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw new BadItem(`${name} is not a boolean`)
  return value
}

/** Integers are strings or numbers. */
export function integerOf(value: unknown, name: string, from: bigint, to: bigint): bigint {
  const written = typeof value === 'string' && /^-?\d{1,20}$/.test(value)
  if (!written && !Number.isInteger(value)) throw new BadItem(`${name} is not an integer`)
  const integer = BigInt(value as string | number)
  if (integer < from || integer > to) throw new BadItem(`${name} is out of range`)
  return integer
}

export function int64Of(value: unknown, name: string): bigint {
  return integerOf(value, name, -(2n ** 63n), 2n ** 63n - 1n)
}

export function uint64Of(value: unknown, name: string): bigint {
  return integerOf(value, name, 0n, 2n ** 64n - 1n)
}

export function uint32Of(value: unknown, name: string): number {
  return Number(integerOf(value, name, 0n, 2n ** 32n - 1n))
}

export function int32Of(value: unknown, name: string): number {
  return Number(integerOf(value, name, -(2n ** 31n), 2n ** 31n - 1n))
}

export function doubleOf(value: unknown, name: string): number {
  if (typeof value === 'number') return value
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Number.POSITIVE_INFINITY
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY
  // Longer ones are no numbers that anybody writes, and would take the expression long.
  if (typeof value === 'string' && value.length <= 400 && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value))
    return Number(value)
  throw new BadItem(`${name} is not a number`)
}

/** Standard base64, whichever of the two alphabets it was written in. */
export function base64Of(value: unknown, name: string): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw new BadItem(`${name} is not base64`)
  return Buffer.from(value, 'base64').toString('base64')
}
