// YAML of strangers: what it means, and that no text of it keeps the service busy.
import { describe, expect, it } from 'vitest'
import { documentsOf, readYaml } from '../../src/kit/yaml_text.ts'

const plainOf = (text: string) => {
  const { values, fault } = readYaml(text)
  expect(fault).toBe(undefined)
  return values[0]
}

describe('a text', () => {
  it('is plain values', () => {
    const text = 'a: 1\nb: [x, "2", ~, true]\nc: |\n  d\n  e\n7: {f: 1.5}\n'
    expect(plainOf(text)).toEqual({ a: 1, b: ['x', '2', null, true], c: 'd\ne\n', 7: { f: 1.5 } })
    expect(readYaml('').values).toEqual([])
    expect(readYaml('a\n---\nb\n').values).toEqual(['a', 'b'])
    expect(documentsOf('\ufeffa\n---\nb\n--- c\n')).toEqual({ documents: ['a\n', '\nb\n', ' c\n'], isCut: false })
  })

  it('has no dates, sets or bytes, whatever it asks for', () => {
    const text = '%YAML 1.1\n---\na: 2026-01-01\nb: !!set {x}\nc: !!binary aGk=\nd: !own e\n'
    expect(plainOf(text)).toEqual({ a: '2026-01-01', b: { x: null }, c: 'aGk=', d: 'e' })
  })

  it('has aliases, each for the anchor before it', () => {
    expect(plainOf('a: &x 1\nb: *x\nc: &x {d: 2}\ne: [*x, *x]\n')).toEqual({
      a: 1,
      b: 1,
      c: { d: 2 },
      e: [{ d: 2 }, { d: 2 }],
    })
    expect(plainOf('a: &x b\n*x : c\n')).toEqual({ a: 'b', b: 'c' })
  })

  it('has merge keys: what a map has itself counts, then what comes first', () => {
    const base = 'one: &one {a: 1, b: 1}\ntwo: &two {<<: *one, b: 2, c: 2}\n'
    expect(plainOf(`${base}made: {a: 0, <<: *two}\n`)).toMatchObject({
      two: { a: 1, b: 2, c: 2 },
      made: { a: 0, b: 2, c: 2 },
    })
    expect(plainOf(`${base}made: {<<: [*one, *two], d: 4}\n`)).toMatchObject({ made: { a: 1, b: 1, c: 2, d: 4 } })
    expect(plainOf('made: {<<: text, a: 1}\n')).toEqual({ made: { a: 1 } })
  })

  it('has names like any others', () => {
    const value = plainOf('a: &a {__proto__: {x: 1}}\nb: {<<: *a}\n? {c: d}\n: e\n? [f]\n: g\n~: h\n') as Record<
      string,
      object
    >
    expect(Object.keys(value)).toEqual(['a', 'b', '{}', '[]', ''])
    expect([Object.keys(value.a ?? {}), Object.keys(value.b ?? {}), 'x' in (value.b ?? {})]).toEqual([
      ['__proto__'],
      ['__proto__'],
      false,
    ])
  })

  it('that is none is said by its line, and not quoted', () => {
    expect(readYaml('a: 1\nb: "hunter2').fault).toEqual({ code: 'malformed', text: expect.stringMatching(/line 2/) })
    expect(JSON.stringify(readYaml('hunter2: [hunter2').fault)).not.toContain('hunter2')
  })
})

const names = (count: number) => Array.from({ length: count }, (_, one) => `k${one}: 1`).join(', ')
const deepKeys = (times: number) => `k: [${`${'{['.repeat(300)}${']}'.repeat(300)},`.repeat(times)}]`

/** Each took the package by itself from half a second to hours. */
const hostile: readonly (readonly [string, string])[] = [
  ['a list', `k: [${'a,'.repeat(90_000)}]`],
  ['pairs', `k: {${'a:,'.repeat(60_000)}}`],
  ['lines', 'a:\n'.repeat(60_000)],
  ['ends of documents', '...\n'.repeat(40_000)],
  ['lists in lists', `${'- '.repeat(400)}a\n`.repeat(200)],
  ['open brackets', '['.repeat(100_000)],
  ['names of names in lines', `${'? '.repeat(90)}a\n`.repeat(100)],
  ['names of names', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}?\n`).join('')],
  ['names that are maps of lists', deepKeys(14)],
  ['anchors', `a: [${Array.from({ length: 5_000 }, (_, one) => `&a${one} x, *a${one}`).join(',')}]`],
  ['merges', `b: &b {${names(1500)}}\nc:\n${' - <<: *b\n'.repeat(400)}`],
  ['merges of an old version', `%YAML 1.1\n---\nb: &b {${names(1500)}}\nc:\n${' - <<: *b\n'.repeat(400)}`],
  ['merges by a tag', `b: &b {${names(1500)}}\nc:\n${' - !!merge <<: *b\n'.repeat(400)}`],
  ['lines of a text', `a: ${'b\n '.repeat(60_000)}`],
]

describe('a hostile text', () => {
  // About 100 ms on a machine that does nothing else; tests run beside others.
  it.each(hostile)('of %s is read or refused in no time', (_, text) => {
    const began = performance.now()
    readYaml(text)
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('is refused by what there is too much of', () => {
    const codes = new Map(hostile.map(([name, text]) => [name, readYaml(text).fault?.code]))
    expect(codes.get('a list')).toBe('too_large')
    expect(codes.get('merges by a tag')).toBe('too_large')
    expect(codes.get('open brackets')).toBe('malformed')
  })
})
