// The payloads beside this file, as their senders would send them.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Compile } from 'typebox/compile'
import { expect } from 'vitest'
import { type Json, type Received, readPayload } from '../../src/areas/integrations/inbound/payloads.ts'
import { Alert } from '../../src/areas/issues/alerts/contract.ts'
import { refuseUnstorable } from '../../src/kit/json.ts'

const folder = join(import.meta.dirname, 'payloads')

export const now = new Date('2026-11-15T09:30:00.000Z')

export const payloadNames = globSync('*.json', { cwd: folder })
  .map(path => basename(path, '.json'))
  .sort()

export function bytesOf(name: string): Uint8Array {
  return readFileSync(join(folder, `${name}.json`))
}

export function payloadOf(name: string): Json {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Json
}

export function received(
  bytes: Uint8Array | string,
  headers: Record<string, string> = {},
  contentType = 'application/json',
): Received {
  return { headers, contentType, bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes }
}

/** What is read of it, where it can be. */
export function readOf(one: Received): Json {
  const read = readPayload(one)
  if ('reason' in read) throw new Error(read.reason)
  return read.payload
}

const schema = Compile(Alert)

/** Valid by the schema of alerts, and within the week that they may tell of. */
export function expectAlert(alert: Alert): void {
  if (!schema.Check(alert)) expect({ alert, errors: [...schema.Errors(alert)] }).toBe('an alert')
  expect(() => refuseUnstorable(alert)).not.toThrow()
  expect(alert.fingerprint).toBeTruthy()
  if (alert.at === undefined) return
  expect(Date.parse(alert.at)).toBeLessThanOrEqual(now.getTime())
  expect(Date.parse(alert.at)).toBeGreaterThanOrEqual(now.getTime() - 7 * 86_400_000)
}

/** The same numbers for the same seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

const hostile: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\n\t',
  'resolved',
  'firing',
  '\ud83d\ude00'.repeat(40_000),
  'x'.repeat(300),
  'a\0b',
  '\ud800',
  '__proto__',
  'constructor',
  'javascript:alert(1)',
  `https://example.com/${'y'.repeat(3_000)}`,
  '0001-01-01T00:00:00Z',
  '2999-01-01T00:00:00Z',
  '2026-13-45T99:99:99Z',
  '`](x)\n# not a heading',
  [],
  [[]],
  [null, 1, 'x', {}],
  {},
  JSON.parse('{"__proto__": {"x": 1}, "toString": 1, "labels": []}') as Json,
  { a: { b: { c: [1, 2, { d: null }] } } },
  Array.from({ length: 300 }, (_, index) => ({ status: 'firing', labels: { alertname: `a${index}` } })),
  Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`name ${index}`.repeat(30), index])),
]

/** A copy in which some values are others, of other types, or gone. */
export function spoiled(payload: Json, roll: (below: number) => number): Json {
  const places: (string | number)[][] = []
  const walk = (value: Json, path: (string | number)[]) => {
    places.push(path)
    if (Array.isArray(value)) for (const [index, part] of value.entries()) walk(part, [...path, index])
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) walk(part as Json, [...path, name])
  }
  walk(payload, [])
  let copy = structuredClone(payload)
  for (let times = 1 + roll(4); times > 0; times--) {
    const path = places[roll(places.length)] as (string | number)[]
    const value = structuredClone(hostile[roll(hostile.length)] as Json)
    const last = path.at(-1)
    if (last === undefined) {
      copy = value
      continue
    }
    let owner = copy as unknown
    for (const step of path.slice(0, -1)) owner = (owner as Record<string, unknown> | null | undefined)?.[step]
    if (typeof owner !== 'object' || owner === null) continue
    if (roll(5) === 0 && !Array.isArray(owner)) delete (owner as Record<string, unknown>)[last]
    else (owner as Record<string, unknown>)[last] = value
  }
  return copy
}
