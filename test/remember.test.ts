// What is remembered of credentials and policies: bounded in bytes, the least used goes first, and a commit ends it.
import { describe, expect, it } from 'vitest'
import type { Changes, Database } from '../src/kit/db.ts'
import { remember } from '../src/server/credentials/remember.ts'

function remembering(mostBytes: number, engine: Database['engine'] = 'pglite') {
  let commit: (changes: Changes) => void = () => {}
  const onCommit = (hear: typeof commit) => {
    commit = hear
  }
  const database = { engine, onCommit } as unknown as Database
  const known = remember<string>(database, { tables: ['keys'], mostBytes })
  const put = (key: string, size: number) => known.read(key, async () => 'x'.repeat(size))
  const changed = (table: string) => commit({ has: name => name === table, tables: new Set([table]) })
  return { known, put, changed }
}

describe('what is remembered', () => {
  it('takes no more bytes than it may, and what was not used for longest goes first', async () => {
    const { known, put } = remembering(100_000)
    for (const key of ['one', 'two', 'three', 'four']) await put(key, 10_000)
    expect(known.find('one')).toHaveLength(10_000)
    await put('five', 10_000)
    const there = ['one', 'two', 'three', 'four', 'five'].filter(key => known.find(key) !== undefined)
    expect(there).toEqual(['one', 'three', 'four', 'five'])
  })

  it('holds thousands of small ones where a few large ones fill it', async () => {
    const { known, put } = remembering(2_000_000)
    for (let n = 0; n < 2_000; n++) await put(`key ${n}`, 100)
    expect(known.find('key 0')).toBeDefined()
    for (let n = 0; n < 3; n++) await put(`large ${n}`, 400_000)
    expect(known.find('large 2')).toBeDefined()
    expect([...Array(2_000).keys()].filter(n => known.find(`key ${n}`) !== undefined).length).toBeLessThan(1_000)
  })

  it('is nothing that would fill it alone', async () => {
    const { known, put } = remembering(10_000_000)
    await put('small', 10)
    await put('huge', 2_000_000)
    expect([known.find('small'), known.find('huge')]).toEqual(['x'.repeat(10), undefined])
  })

  it('ends with a commit that changes its tables, and with no other', async () => {
    const { known, put, changed } = remembering(100_000)
    await put('one', 10)
    changed('teams')
    expect(known.find('one')).toBeDefined()
    changed('keys')
    expect(known.find('one')).toBeUndefined()
  })

  it('is nothing where other processes may write', async () => {
    const { known, put } = remembering(100_000, 'postgres')
    await put('one', 10)
    expect(known.find('one')).toBeUndefined()
  })
})
