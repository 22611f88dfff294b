// Spoils values and texts at random, the same way for the same seed.

export type Random = () => number

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T
}

const hostileNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '\u0000',
  'a.b.c',
  '#',
  '%',
  '😀'.slice(0, 1),
]

function hostile(random: Random): unknown {
  return oneOf<() => unknown>(random, [
    () => null,
    () => true,
    () => -1,
    () => 1e308,
    () => '',
    () => 'x'.repeat(3000),
    () => 'two\nlines\u0000',
    () => '😀'.slice(0, 1),
    () => [],
    () => ({}),
    () => [[[[[[[[[]]]]]]]]],
    () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    () => Array.from({ length: 300 }, (_, index) => index),
    () => Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'v'])),
    () => JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`),
  ])()
}

type Container = Record<string, unknown> | unknown[]

function containersOf(value: unknown): Container[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Container, ...Object.values(value).flatMap(containersOf)]
}

/** A copy in which up to three places are something else, gone, doubled, or called differently. */
export function spoiled(random: Random, value: unknown): unknown {
  const copy = structuredClone(value)
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const container = oneOf(random, containersOf(copy)) as Record<string, unknown>
    const names = Object.keys(container)
    if (names.length === 0) continue
    const name = oneOf(random, names)
    const other = oneOf(random, containersOf(copy))
    oneOf<() => void>(random, [
      () => set(container, name, hostile(random)),
      () => remove(container, name),
      () => set(container, oneOf(random, hostileNames), container[name]),
      () => set(container, name, structuredClone(other)),
    ])()
  }
  return copy
}

/** Without a hole in a list, which JSON has not. */
function remove(container: Record<string, unknown>, name: string): void {
  if (Array.isArray(container)) container.splice(Number(name), 1)
  else delete container[name]
}

/** As JSON.parse does it, which makes `__proto__` a name like any other. */
function set(container: Record<string, unknown>, name: string, value: unknown): void {
  if (Array.isArray(container)) container.push(value)
  else Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true })
}

/** A text in which up to four places are cut, doubled, moved or replaced. */
export function spoiledText(random: Random, text: string, fragments: readonly string[]): string {
  let rest = text
  for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
    const from = Math.floor(random() * rest.length)
    const to = Math.min(rest.length, from + Math.floor(random() * 40))
    const middle = oneOf(random, [
      '',
      rest.slice(from, to).repeat(3),
      oneOf(random, fragments),
      rest.slice(to, to + 60),
    ])
    rest = rest.slice(0, from) + middle + rest.slice(to)
  }
  return rest
}
