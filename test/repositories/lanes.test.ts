// Who is next where processes of git wait for a place.
import { expect, it } from 'vitest'
import { lane } from '../../src/server/work/git/lanes.ts'

const signal = new AbortController().signal

it('gives a place to whoever has none, and never more than its share to one', async () => {
  const enter = lane(3, 100, 2)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (key: string, name: string) =>
    enter(key, signal, () => {
      begun.push(name)
      return new Promise<void>(resolve => ends.set(name, resolve))
    })
  const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3')]
  await expect.poll(() => begun).toEqual(['a1', 'a2'])
  all.push(work('b', 'b1'), work('b', 'b2'), work('c', 'c1'))
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1'])
  ends.get('a1')?.()
  await expect.poll(() => begun.slice(3)).toEqual(['c1'])
  ends.get('c1')?.()
  await expect.poll(() => begun.slice(4)).toEqual(['a3'])
  ends.get('b1')?.()
  await expect.poll(() => begun.slice(5)).toEqual(['b2'])
  for (const name of ['a2', 'a3', 'b2']) ends.get(name)?.()
  await Promise.all(all)
})
