// Records that are named alike at the same moment: each gets an address of its own, and nobody is refused for it.

import type { TObject } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { type CallRow, calls, type World, world } from './calls.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World
beforeAll(async () => {
  p = await platform()
  here = await world(p)
})
afterAll(() => p.close())

/** Operations that make a record with a slug, and do not need to be told it. */
const naming = operationIds.filter(id => {
  const body = lookUp(id)?.body as TObject | undefined
  return lookUp(id)?.status === 201 && body !== undefined && 'slug' in body.properties && 'name' in body.properties
})

describe('records named alike at once', () => {
  it('are made by some operations', () => expect(naming).toContain('workspaces.post'))

  it.each(naming)('%s', async id => {
    const row = calls[id] as CallRow
    const { slug: _, ...input } = (await row.input(here, here.owner)) as Record<string, unknown>
    const sent = Array.from({ length: 12 }, () => p.call(id, { ...input, name: `Alike ${id}` }, here.owner))
    const answers = await Promise.all(sent)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ result }) => result.slug)).size).toBe(12)
  })
})
