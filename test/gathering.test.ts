// Batches over many requests: bounded by rows, bytes and how many are written at once; no request is too large alone.
import { expect, it } from 'vitest'
import type { Database } from '../src/kit/db.ts'
import type { Parcel } from '../src/kit/gather.ts'
import { gathering } from '../src/server/work/gathering.ts'

const database = { engine: 'pglite' } as Database
const bounds = { bytes: 100, laneBytes: 50, writes: 1 }
const parcel = (weight: number, bytes: number): Parcel => ({ weight, bytes })

it('cuts batches by rows and by bytes', async () => {
  const sizes: number[] = []
  const gather = gathering(database, null, bounds)
  const write = async (_: unknown, parcels: readonly Parcel[]) => {
    sizes.push(parcels.length)
  }
  const small = Array.from({ length: 5 }, () => parcel(1, 1))
  await gather.add('a', small, write, { waitMs: 0, enough: 0, piece: { weight: 2, bytes: 50 } })
  await gather.add('b', small, write, { waitMs: 0, enough: 0, piece: { weight: 50, bytes: 3 } })
  expect(sizes).toEqual([2, 2, 1, 3, 2])
})

it('takes one request whatever its size, and refuses the next until that is written', async () => {
  const gather = gathering(database, null, bounds)
  let finish = () => {}
  const write = () =>
    new Promise<void>(resolve => {
      finish = resolve
    })
  const large = gather.add('a', [parcel(1, 500)], write)
  await expect(gather.add('a', [parcel(1, 1)], write)).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(gather.add('b', [parcel(1, 1)], write)).rejects.toMatchObject({ kind: 'unavailable' })
  await new Promise(setImmediate)
  finish()
  await large
  await gather.add('a', [parcel(1, 1)], async () => {})
})

/** Writes that end when the test says so: `begun` has the weights of each batch. */
function heldWrites() {
  const begun: number[][] = []
  const ends: ((error?: Error) => void)[] = []
  const write = (_: unknown, parcels: readonly Parcel[]) => {
    begun.push(parcels.map(({ weight }) => weight))
    return new Promise<void>((resolve, reject) => ends.push(error => (error ? reject(error) : resolve())))
  }
  return { begun, ends, write }
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

const postgres = { engine: 'postgres' } as Database
const roomy = { bytes: 100, laneBytes: 50, writes: 4 }

it.each([
  ['one batch of a key at a time on the embedded engine', database, [[1]], [[1], [2, 3, 4]]],
  ['two batches of a key at a time on PostgreSQL, and no third', postgres, [[1], [2]], [[1], [2], [3, 4]]],
])('writes %s', async (_, engine, atFirst, afterOne) => {
  const { begun, ends, write } = heldWrites()
  const gather = gathering(engine, null, roomy)
  const answered: number[] = []
  for (const weight of [1, 2, 3, 4]) {
    void gather.add('a', [parcel(weight, 1)], write).then(() => answered.push(weight))
    await turns()
  }
  expect(begun).toEqual(atFirst)
  ends[0]?.()
  await turns()
  expect(begun).toEqual(afterOne)
  expect(answered).toEqual([1])
  for (const end of ends) end()
  await turns()
  expect(answered.sort()).toEqual([1, 2, 3, 4])
})

it('answers each request when its own batch is written, and tells it alone what went wrong', async () => {
  const { ends, write } = heldWrites()
  const gather = gathering(postgres, null, roomy)
  const first = gather.add('a', [parcel(1, 1)], write)
  await turns()
  const second = gather.add('a', [parcel(2, 1)], write)
  await turns()
  ends[1]?.(new Error('no'))
  await expect(second).rejects.toThrow('no')
  ends[0]?.()
  await first
})

it('lets other keys have their turn before one has all of the writes', async () => {
  const { begun, write } = heldWrites()
  const gather = gathering(postgres, null, { ...roomy, writes: 3 })
  for (const weight of [1, 2, 3]) {
    void gather.add('a', [parcel(weight, 1)], write)
    await turns()
  }
  void gather.add('b', [parcel(4, 1)], write)
  await turns()
  expect(begun).toEqual([[1], [2], [4]])
})

it('begins a second batch of a key that waits for more when a whole piece is there', async () => {
  const { begun, ends, write } = heldWrites()
  const gather = gathering(postgres, null, roomy)
  const batch = { waitMs: 1, enough: 3, piece: { weight: 4, bytes: 50 } }
  const add = (weight: number) => gather.add('a', [parcel(weight, 1)], write, batch)
  const first = add(1)
  await expect.poll(() => begun).toEqual([[1]])
  const others = [add(2)]
  await turns()
  expect(begun).toEqual([[1]])
  others.push(add(2))
  await turns()
  expect(begun).toEqual([[1], [2, 2]])
  for (const end of ends) end()
  await Promise.all([first, ...others])
})

it('begins the first batch of a key that waits for more when there is enough, with all that waits', async () => {
  const { begun, ends, write } = heldWrites()
  const gather = gathering(postgres, null, roomy)
  const batch = { waitMs: 60_000, enough: 3, piece: { weight: 10, bytes: 50 } }
  const add = (weight: number) => gather.add('a', [parcel(weight, 1)], write, batch)
  const first = add(3)
  await turns()
  const others = [add(3), add(3)]
  await turns()
  expect(begun).toEqual([[3]])
  ends[0]?.()
  await first
  await turns()
  expect(begun).toEqual([[3], [3, 3]])
  ends[1]?.()
  await Promise.all(others)
})
