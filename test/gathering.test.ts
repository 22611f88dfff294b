// Batches over many requests: bounded by rows and bytes, and no request is too large to be taken alone.
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
  await gather.add('a', small, write, 0, { weight: 2, bytes: 50 })
  await gather.add('b', small, write, 0, { weight: 50, bytes: 3 })
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
