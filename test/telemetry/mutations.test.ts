// Mutated bodies are read or refused, and nothing else happens. MUTATIONS says how many, SEED which.
import { expect, it } from 'vitest'
import { decode, type Encoding, Undecodable } from '../../src/areas/telemetry_tokens/otlp/decode.ts'
import type { Signal } from '../../src/contract/operation.ts'
import { encoded, encodings, full, now, signals } from './bodies.ts'

const mutations = Number(process.env.MUTATIONS ?? 2_000)
const seed = Number(process.env.SEED ?? 1)

/** Integers below a bound, the same for the same seed (mulberry32). */
function randomOf(start: number): (below: number) => number {
  let state = start
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof randomOf>
type Mutation = (bytes: Buffer, random: Random) => Buffer

const flip: Mutation = (bytes, random) => {
  const changed = Buffer.from(bytes)
  for (let count = 1 + random(4); count > 0 && changed.length > 0; count--)
    changed[random(changed.length)]! ^= 1 << random(8)
  return changed
}
const cutOff: Mutation = (bytes, random) => bytes.subarray(0, random(bytes.length + 1))
const takeOut: Mutation = (bytes, random) => {
  const from = random(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random(16))])
}
const insert: Mutation = (bytes, random) => {
  const at = random(bytes.length + 1)
  const inserted = Buffer.from(Array.from({ length: 1 + random(12) }, () => random(256)))
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
}
const repeat: Mutation = (bytes, random) => {
  const from = random(bytes.length + 1)
  const piece = bytes.subarray(from, from + random(200))
  return Buffer.concat([bytes.subarray(0, from), ...Array(1 + random(5)).fill(piece), bytes.subarray(from)])
}

/** Small bytes are mostly lengths and tags. */
const changeLength: Mutation = (bytes, random) => {
  const changed = Buffer.from(bytes)
  const at = random(Math.max(1, changed.length))
  for (let offset = 0; offset < changed.length; offset++) {
    const index = (at + offset) % changed.length
    if (changed[index]! < 64) {
      changed[index] = [0, 1, 127, 128, 255, changed[index]! + 1, Math.max(0, changed[index]! - 1)][random(7)]!
      break
    }
  }
  return changed
}

const strange = [
  'null',
  '5',
  '-1',
  '1e999',
  '""',
  '[]',
  '{}',
  '[[]]',
  'true',
  '"\\u0000"',
  '"\\ud800"',
  '"NaN"',
  '9e18',
]
const editJson: Mutation = (bytes, random) => {
  const tokens = bytes.toString('utf8').split(/("(?:[^"\\]|\\.)*"|[[\]{},:]|-?\d[\d.]*)/)
  for (let count = 1 + random(3); count > 0; count--) {
    const at = random(tokens.length)
    if (random(3) === 0) tokens.splice(at, 1)
    else if (random(2) === 0) tokens[at] = strange[random(strange.length)]!
    else tokens[at] = tokens[random(tokens.length)]!
  }
  return Buffer.from(tokens.join(''))
}

/** Puts a strange value in the place of any value, so that the JSON stays whole. */
const editValue: Mutation = (bytes, random) => {
  let places = 0
  const visit = (target: number) => (_key: string, value: unknown) =>
    places++ === target ? JSON.parse(strange[random(strange.length)]!) : value
  const tree = JSON.parse(bytes.toString('utf8'))
  JSON.stringify(tree, visit(-1))
  const target = random(places)
  places = 0
  return Buffer.from(JSON.stringify(tree, visit(target)))
}

const byEncoding: { [E in Encoding]: readonly Mutation[] } = {
  protobuf: [flip, cutOff, takeOut, insert, repeat, changeLength],
  json: [flip, cutOff, takeOut, insert, repeat, editJson, editJson, editValue, editValue, editValue],
}

type Outcome = 'undecodable' | 'rejected' | 'rows'

function outcome(signal: Signal, encoding: Encoding, body: Buffer): Outcome {
  try {
    const { rows, rejected, why } = decode(signal, encoding, body, { resourceDefaults: { environment: 'test' }, now })
    expect(why === null).toBe(rejected === 0)
    for (const row of rows) {
      expect(typeof row.at).toBe('bigint')
      const stored = JSON.stringify([row.attributes, row.resource, row.detail, row.name, row.body])
      if (/\\u0000|\\ud[89a-f]/.test(stored)) throw new Error(`cannot be stored: ${stored}`)
    }
    return rejected > 0 ? 'rejected' : 'rows'
  } catch (error) {
    if (error instanceof Undecodable) return 'undecodable'
    throw new Error(`${signal} ${encoding} ${body.toString('base64')}`, { cause: error })
  }
}

it(`reads or refuses ${mutations} mutated bodies`, { timeout: 600_000 }, () => {
  const random = randomOf(seed)
  const seen = { undecodable: 0, rejected: 0, rows: 0 }
  for (let count = 0; count < mutations; count++) {
    const signal = signals[random(signals.length)]!
    const encoding = encodings[random(encodings.length)]!
    const all = byEncoding[encoding]
    let body: Buffer = Buffer.from(encoded(signal, encoding, full[signal]))
    const first = all[random(all.length)]!
    body = first(body, random)
    // A second one, of those that need no whole JSON.
    if (random(3) === 0) body = byEncoding.protobuf[random(byEncoding.protobuf.length)]!(body, random)
    seen[outcome(signal, encoding, body)]++
  }
  // Mutations that all end the same way would show nothing.
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(mutations / 50)
})
