// Schedules in time zones, held against PostgreSQL's own arithmetic and, where it follows the same rule, croner's.
import { Cron } from 'croner'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cronFault, jitterMs, nextTimes, zoneFault } from '../../src/areas/automations/definition/times.ts'

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'America/St_Johns',
  'Asia/Tehran',
  'Pacific/Apia',
  'Europe/Dublin',
  'UTC',
] as const

const daily = ['30 0 * * *', '30 1 * * *', '0 2 * * *', '30 2 * * *', '30 3 * * *']
const dense = ['0 * * * *', '*/15 * * * *']
const [first, last] = [new Date('2026-01-01T00:00:00Z'), new Date('2036-01-01T00:00:00Z')]
const dayMs = 86_400_000

function timesUntil(cron: string, zone: string, from: Date, until: Date): Date[] {
  const found: Date[] = []
  for (let at = from; ; ) {
    const next = nextTimes(cron, zone, at, 500)
    found.push(...next.filter(time => time < until))
    const end = next.at(-1)
    if (!end || end >= until) return found
    at = end
  }
}

const offsets = new Map<string, Intl.DateTimeFormat>()

function offsetOf(zone: string, at: Date): string {
  const format =
    offsets.get(zone) ??
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', hour: 'numeric' })
  offsets.set(zone, format)
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** Of `GMT-03:30`. */
function minutesOf(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** Days on which the clock is set. */
function transitionsOf(zone: string): Date[] {
  const days: Date[] = []
  for (let at = first.getTime(); at < last.getTime(); at += dayMs) {
    if (offsetOf(zone, new Date(at)) !== offsetOf(zone, new Date(at + dayMs))) days.push(new Date(at))
  }
  return days
}

/** The first place at which two lists differ: to compare thousands of dates takes long. */
function differenceOf(ours: readonly Date[], theirs: readonly Date[]) {
  const place = Array.from({ length: Math.max(ours.length, theirs.length) }, (_, index) => index).find(
    index => ours[index]?.getTime() !== theirs[index]?.getTime(),
  )
  return place === undefined ? null : { ours: ours[place], theirs: theirs[place] }
}

const databaseUrl = process.env.TEST_DATABASE_URL

describe.skipIf(!databaseUrl)('the times of a schedule are those of PostgreSQL', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(`set timezone to 'UTC'`)
  })
  afterAll(() => client.end())

  /**
   * Clock times a step apart; what does not come back as it went in is never shown. Of two moments at which the clock
   * shows the same, PostgreSQL takes the one in standard time, which is not the first everywhere (Dublin's standard
   * time is summer's): so both neighbours are asked, and the earliest that shows it is taken.
   */
  async function expected(zone: string, from: Date, until: Date, minutes: number, start: string): Promise<Date[]> {
    const { rows } = await client.query<{ at: Date }>(
      `select (select min(m) from (
           select (shown at time zone $1) + make_interval(mins => shift) as m from unnest(array[-120, -60, -30, 0, 30, 60]) shift
         ) near where m at time zone $1 = shown) as at
       from generate_series((($2::timestamptz at time zone $1)::date - 1) + $5::time, ($3::timestamptz at time zone $1) + interval '1 day',
         make_interval(mins => $4)) shown`,
      [zone, from.toISOString(), until.toISOString(), minutes, start],
    )
    return rows.flatMap(({ at }) => (at !== null && at > from && at < until ? [at] : []))
  }

  /**
   * PostgreSQL and Node bring time zones of their own. With 2026c in both nothing is left out; where one is older, only
   * the days on which the two say different things of the zone (Morocco since September 2026) are.
   */
  async function agreement(zone: string): Promise<(at: Date) => boolean> {
    const { rows } = await client.query<{ at: Date; offset: number }>(
      `select at, (extract(epoch from (at at time zone $1) - (at at time zone 'UTC')) / 60)::int as offset
       from generate_series($2::timestamptz, $3::timestamptz, interval '1 day') at`,
      [zone, first.toISOString(), last.toISOString()],
    )
    const disputed = rows.filter(({ at, offset }) => minutesOf(offsetOf(zone, at)) !== offset)
    const days = new Set(disputed.flatMap(({ at }) => [-1, 0, 1].map(more => Math.floor(at.getTime() / dayMs) + more)))
    return at => !days.has(Math.floor(at.getTime() / dayMs))
  }

  it.each(zones)('every day for ten years in %s', async zone => {
    const isAgreed = await agreement(zone)
    for (const cron of daily) {
      const [minute = '', hour = ''] = cron.split(' ')
      const start = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
      const ours = timesUntil(cron, zone, first, last).filter(isAgreed)
      const theirs = (await expected(zone, first, last, 1_440, start)).filter(isAgreed)
      expect({ cron, difference: differenceOf(ours, theirs) }).toEqual({ cron, difference: null })
    }
  })

  it.each(zones)('every hour and quarter around each change of the clock in %s', async zone => {
    const isAgreed = await agreement(zone)
    for (const day of transitionsOf(zone)) {
      const [from, until] = [new Date(day.getTime() - dayMs), new Date(day.getTime() + 2 * dayMs)]
      for (const [index, cron] of dense.entries()) {
        const ours = timesUntil(cron, zone, from, until).filter(isAgreed)
        const theirs = (await expected(zone, from, until, index === 0 ? 60 : 15, '00:00')).filter(isAgreed)
        expect({ cron, day, difference: differenceOf(ours, theirs) }).toEqual({ cron, day, difference: null })
      }
    }
  })
})

describe('the times of a schedule', () => {
  it.each(zones)('are those of croner on days on which the clock is not set, in %s', zone => {
    const changes = transitionsOf(zone).map(day => day.getTime())
    const isQuiet = (at: Date) => !changes.some(day => Math.abs(at.getTime() - day) < 2 * dayMs)
    for (const cron of daily) {
      const theirs = new Cron(cron, { paused: true, timezone: zone, mode: '5-part' }).nextRuns(400, first)
      const end = theirs.at(-1) ?? first
      const ours = timesUntil(cron, zone, first, new Date(end.getTime() + 1))
      expect(differenceOf(ours.filter(isQuiet), theirs.filter(isQuiet))).toBeNull()
    }
  })

  it('leave out what the clock leaves out in spring', () => {
    const times = nextTimes('30 2 * * *', 'Europe/Berlin', new Date('2026-03-28T00:00:00Z'), 2)
    expect(times.map(at => at.toISOString())).toEqual(['2026-03-28T01:30:00.000Z', '2026-03-30T00:30:00.000Z'])
  })

  it('come once where the clock shows them twice, the first time', () => {
    const times = nextTimes('30 2 * * *', 'Europe/Berlin', new Date('2026-10-24T12:00:00Z'), 2)
    expect(times.map(at => at.toISOString())).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'])
  })

  it('do not come again when asked for in the second of the two hours', () => {
    const [next] = nextTimes('*/15 * * * *', 'Europe/Berlin', new Date('2026-10-25T01:10:00Z'), 1)
    expect(next?.toISOString()).toBe('2026-10-25T02:00:00.000Z')
  })

  it('know clocks that are set by half an hour', () => {
    const times = nextTimes('15 2 * * *', 'Australia/Lord_Howe', new Date('2026-10-03T00:00:00Z'), 2)
    expect(times.map(at => at.toISOString())).toEqual(['2026-10-04T15:15:00.000Z', '2026-10-05T15:15:00.000Z'])
  })

  it('are after the moment, to the second', () => {
    const at = new Date('2026-06-01T07:00:00.000Z')
    expect(nextTimes('0 9 * * *', 'Europe/Berlin', at, 1)).toEqual([new Date('2026-06-02T07:00:00.000Z')])
    const before = new Date(at.getTime() - 1)
    expect(nextTimes('0 9 * * *', 'Europe/Berlin', before, 1)).toEqual([at])
  })

  it('are none where pattern or zone are wrong', () => {
    expect(nextTimes('0 0 30 2 *', 'UTC', first, 3)).toEqual([])
    expect(nextTimes('every day', 'UTC', first, 3)).toEqual([])
    expect(nextTimes('0 0 * * *', 'Europe/Nowhere', first, 3)).toEqual([])
  })

  it('may be years away', () => {
    expect(nextTimes('0 0 29 2 *', 'UTC', first, 2).map(at => at.getUTCFullYear())).toEqual([2028, 2032])
  })
})

describe('a pattern', () => {
  it.each([
    '0 9 * * 1-5',
    '*/15 * * * *',
    '* * * * *',
    '0 0 1 JAN,JUL *',
    '0 0 L * *',
    '0 9 * * MON#1',
    '5,35 8-18 * * 0',
  ])('%s is good', cron => expect(cronFault(cron)).toBeNull())

  it.each([
    ['60 * * * *', 'the field minute'],
    ['0 24 * * *', 'the field hour'],
    ['0 0 32 * *', 'the field day'],
    ['0 0 * 13 *', 'the field month'],
    ['0 0 * * 9', 'the field day of the week'],
    ['*/0 * * * *', 'the field minute'],
    ['0 0 30 2 *', 'a time that comes'],
    ['0 0 * *', 'five fields'],
    ['@annually', 'five fields'],
    ['*/10 * * * * *', 'every minute'],
    ['', 'five fields'],
    ['0 0 * * mon;tue', 'the field day of the week'],
  ])('%s is not, and it says why', (cron, words) => expect(cronFault(cron)).toContain(words))
})

describe('a zone', () => {
  it.each([...zones, 'EST', 'Etc/GMT+5'])('%s is known', zone => expect(zoneFault(zone)).toBeNull())

  it.each([
    ['Europe/Berln', 'Europe/Berlin'],
    ['berlin', 'Europe/Berlin'],
    ['Amerika/New_York', 'America/New_York'],
    ['+02:00', 'such as Europe/Berlin'],
    ['', 'such as Europe/Berlin'],
  ])('%s is not; what is near is named', (zone, words) => expect(zoneFault(zone)).toContain(words))
})

describe('what is added to a time', () => {
  const at = new Date('2026-01-01T09:00:00Z')

  it('is the same for the same automation and time', () => {
    expect(jitterMs('aut_1', at, 600)).toBe(jitterMs('aut_1', at, 600))
    expect(jitterMs('aut_1', at, 0)).toBe(0)
  })

  it('is spread over the whole span', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => jitterMs(`aut_${index}`, at, 60))
    expect(Math.max(...all)).toBeLessThan(60_000)
    expect(Math.min(...all)).toBeLessThan(1_000)
    expect(new Set(all.map(ms => Math.floor(ms / 10_000))).size).toBe(6)
  })
})
