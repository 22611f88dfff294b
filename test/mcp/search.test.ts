// The search over tools on phrases that agents use: the right tool is first, or at least near.
import { describe, expect, it } from 'vitest'
import type { Operations } from '../../src/contract/operation.ts'
import { searchTools } from '../../src/contract/tool_search.ts'
import { toolsOf } from '../../src/contract/tools.ts'
import { operations } from '../../src/operations.ts'
import { laterPhrases, phrases } from './search_phrases.ts'

const tools = toolsOf(operations as Operations)
const ids = new Set(tools.map(({ id }) => id))
const asked = [...phrases, ...laterPhrases.filter(([, id]) => ids.has(id))]

const placeOf = ([phrase, id]: (typeof asked)[number]) => searchTools(tools, phrase).findIndex(tool => tool.id === id)

describe('search over tools', () => {
  it('has at least 80 phrases, each for a tool that is there', () => {
    expect(phrases.length).toBeGreaterThanOrEqual(80)
    expect(phrases.filter(([, id]) => !ids.has(id))).toEqual([])
  })

  it('finds the right one first in 70 of 100, and among the first five in 95', () => {
    const places = asked.map(placeOf)
    const missed = asked.filter((_, index) => places[index] === -1 || (places[index] ?? 9) > 4)
    const share = (most: number) => places.filter(place => place >= 0 && place < most).length / asked.length
    expect(share(1)).toBeGreaterThanOrEqual(0.7)
    expect(share(5), JSON.stringify(missed)).toBeGreaterThanOrEqual(0.95)
  })

  it('gives at most eight, and nothing for words that are nowhere', () => {
    for (const [phrase] of asked) expect(searchTools(tools, phrase).length).toBeLessThanOrEqual(8)
    expect(searchTools(tools, 'zebra quantum')).toEqual([])
  })
})
