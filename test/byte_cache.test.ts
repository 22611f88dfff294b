// The cache with a bound in bytes.
import { expect, it } from 'vitest'
import { byteCache } from '../src/kit/byte_cache.ts'

it('drops what was not used for the longest time, and takes nothing that is too large', () => {
  const cache = byteCache<string>(10, 6)
  cache.set('a', 'A', 4)
  cache.set('b', 'B', 4)
  expect(cache.get('a')).toBe('A')
  cache.set('c', 'C', 4)
  expect(['a', 'b', 'c'].map(cache.get)).toEqual(['A', undefined, 'C'])
  cache.set('large', 'L', 7)
  expect(['a', 'large', 'c'].map(cache.get)).toEqual(['A', undefined, 'C'])
})

it('counts a key once, however often it is set', () => {
  const cache = byteCache<number>(10, 10)
  for (let round = 0; round < 100; round++) cache.set('same', round, 5)
  cache.set('other', 1, 5)
  expect([cache.get('same'), cache.get('other')]).toEqual([99, 1])
})
