// Long lines of an archive: looked through piece by piece, with others in between, and the same as in one go.
import { describe, expect, it } from 'vitest'
import { idsIn, piecesOf, renamed } from '../../src/areas/workspaces/carrying/archive.ts'
import { lineReader } from '../../src/areas/workspaces/imports/lines.ts'

const id = 'issue_0123456789abcdefghijklmn'
const long = `{"a":"${`${id} word \\n \\\\ \\"${id}\\" \\u001b `.repeat(20_000)}"}`
const shape = { table: 'x', columns: [{ name: 'a', type: 'jsonb', isNullable: true, hasDefault: false }] }
const read = lineReader(shape as unknown as Parameters<typeof lineReader>[0], ['a'])

describe('a long line', () => {
  it('in pieces is the line, with all of its ids, under their names as under others', () => {
    const pieces = [...piecesOf(long)]
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('')).toBe(long)
    expect(pieces.flatMap(piece => [...idsIn(piece)])).toEqual([...idsIn(long)])
    const there = (one: string) => renamed(one, () => 'issue_zzzzzzzzzzzzzzzzzzzzzzzz')
    expect(pieces.map(there).join('')).toBe(there(long))
  })

  it('finds ids whose letters are escapes, and leaves escaped backslashes alone', () => {
    expect([...idsIn(`{"a":"\\u0069ssue_0123456789abcdefghijklmn"}`)]).toEqual([id])
    expect(renamed(`{"a":"\\\\u0069 ${id}"}`, () => 'x')).toBe('{"a":"\\\\u0069 x"}')
  })

  it('that somebody writes in the course of their work is taken', async () => {
    expect(await read(long, 1)).toEqual(JSON.parse(long))
  })

  it.each([
    ['one word', `"${'a'.repeat(3_000_000)}"`],
    ['letters as escapes', `"${'\\u0041 '.repeat(300_000)}"`],
    ['values', `[${'[],'.repeat(1_000_000)}[]]`],
    ['line ends', `"${'\\n'.repeat(2_000_000)}"`],
  ])('of endless %s is refused', async (_, value) => {
    await expect(read(`{"a":${value}}`, 1)).rejects.toThrow('Bad Request')
  })
})
