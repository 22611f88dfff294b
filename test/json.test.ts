// JSON from outside: what would become far longer in the database is refused, however it is cut into pieces.
import { describe, expect, it } from 'vitest'
import type { Content } from '../src/contract/content.ts'
import { linesOf } from '../src/kit/content.ts'
import { parseJson } from '../src/kit/json.ts'

const large = (count: number) => `[${Array(count).fill('1e300').join()}]`
const bytes = (text: string) => Buffer.from(text)
const content = (lines: number, each: number): Content => ({
  kind: 'ndjson',
  bytes: bytes(Array(lines).fill(large(each)).join('\n')),
})

describe('numbers that are written with hundreds of zeros', () => {
  it('are taken where they are few', () => {
    expect(parseJson(bytes(large(3_000)))).toHaveLength(3_000)
    expect([...linesOf(content(3, 1_000))]).toHaveLength(3)
  })

  it('are refused where they are many, in one piece or in lines', () => {
    expect(() => parseJson(bytes(large(4_000)))).toThrow('Too many numbers')
    expect(() => [...linesOf(content(100, 1_000))]).toThrow(/Line 4: Too many numbers/)
  })
})
