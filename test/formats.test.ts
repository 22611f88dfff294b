// The formats of files and streams: what a cell or an event holds can be no more than itself.
import { describe, expect, it } from 'vitest'
import { csvLine } from '../src/kit/csv.ts'
import { sseEvent, sseStart } from '../src/kit/sse.ts'

describe('csv', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1'])('makes %j harmless', text => {
    expect(csvLine([text]).replace(/^"/, '').startsWith("'")).toBe(true)
  })

  it('quotes what would end a cell, and leaves numbers as they are', () => {
    expect(csvLine(['a,b', 'say "x"', 'two\nlines', -1, 2.5, true, null, undefined, 'plain'])).toBe(
      '"a,b","say ""x""","two\nlines",-1,2.5,true,,,plain\r\n',
    )
  })
})

describe('server-sent events', () => {
  it('are one event each, whatever they hold', () => {
    expect(sseEvent('teams.post', { text: 'a\n\nevent: other' }, 7)).toBe(
      'id: 7\nevent: teams.post\ndata: {"text":"a\\n\\nevent: other"}\n\n',
    )
    expect(sseEvent('a\nid: 9', 1)).toBe('event: a id: 9\ndata: 1\n\n')
    expect(sseStart('from\r\n3')).toBe('retry: 1000\n: from 3\n\n')
  })
})
