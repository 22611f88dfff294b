// The calendar of periods: whole months from an anchor, whatever lengths they have.
import { describe, expect, it } from 'vitest'
import { addMonths, periodFrom } from '../../src/areas/subscriptions/money/calendar.ts'

describe('periods', () => {
  it.each([
    ['2024-01-31T10:00:00.000Z', 1, '2024-02-29T10:00:00.000Z'],
    ['2024-01-31T10:00:00.000Z', 2, '2024-03-31T10:00:00.000Z'],
    ['2025-01-31T10:00:00.000Z', 1, '2025-02-28T10:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 12, '2025-02-28T00:00:00.000Z'],
  ])('from %s after %i months end on %s', (from, count, to) => {
    expect(addMonths(new Date(from), count).toISOString()).toBe(to)
  })

  it('follow each other without gap, counted from their anchor', () => {
    const anchor = new Date('2024-01-31T23:59:59.000Z')
    let from = anchor
    const ends: string[] = []
    for (let count = 0; count < 14; count++) {
      from = periodFrom(anchor, 'monthly', from).to
      ends.push(from.toISOString().slice(5, 10))
    }
    const expected = '02-29 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31 02-28 03-31'
    expect(ends.join(' ')).toBe(expected)
  })
})
