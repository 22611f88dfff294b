// From errors in rows to issues: exact counts, thresholds, recurrence, rules; each row counts once, whatever runs twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let here: World
beforeAll(async () => {
  p = await platform()
  here = await world(p)
})
afterAll(() => p.close())

let count = 0
const content = (rows: unknown) => ({
  content: { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(rows)) },
})
const made = async (issueDetection: object = {}, kind = 'logs') => {
  const fields = { slug: `errors-${count++}`, kind, issueDetection: { enabled: true, ...issueDetection } }
  const { result } = await p.call('datasets.post', { workspaceId: here.workspaceId, ...fields }, here.member)
  return result.id as string
}
const send = async (id: string, rows: unknown[]) => {
  const answer = await p.call(
    'datasets.rows.post',
    { workspaceId: here.workspaceId, id, ...content(rows) },
    here.member,
  )
  expect(answer.status).toBe(200)
}
const detect = () => p.platform.jobs.runNow('datasets.detect', {})
type Loose = Awaited<ReturnType<TestPlatform['call']>>['result']
const issuesOf = async (id: string): Promise<Loose[]> => {
  const input = { workspaceId: here.workspaceId, perPage: 100, orderBy: 'created', order: 'asc' }
  const { result } = await p.call('issues.list', input, here.member)
  return result.items.filter(({ source }: Loose) => source.externalId === id)
}
const waiting = async () =>
  Number((await p.database.query<{ n: number }>(sql`select count(*)::int as n from dataset_findings`))[0]?.n)
const patch = (id: string, fields: object) =>
  p.call('issues.patch', { workspaceId: here.workspaceId, id, ...fields }, here.member)
const failed = (body: string, more: object = {}) => ({ severity: 'error', service: 'shop', body, ...more })
const ago = (seconds: number) => new Date(p.now().getTime() - seconds * 1000).toISOString()

describe('errors in rows', () => {
  it('become issues that count each of them, with what they were found in', async () => {
    const id = await made()
    const traceId = '5b8efff798038103d269b633813fc60c'
    const began = p.now().getTime()
    await send(id, [
      failed('no stock for 17', { at: began - 200_000 }),
      failed('no stock for 18', { at: began - 100_000, traceId, spanId: 'eee19b7ec3c1b174' }),
      failed('disk is full', { severity: 'fatal' }),
      failed('slow', { severity: 'warn' }),
    ])
    await detect()
    const found = await issuesOf(id)
    expect(found.map(({ title, severity, occurrences }) => [title, severity, occurrences]).sort()).toEqual([
      ['disk is full', 'critical', 1],
      ['no stock for <number>', 'high', 2],
    ])
    const issue = found.find(({ occurrences }) => occurrences === 2)
    expect(issue).toMatchObject({
      ownerId: 'system',
      status: 'new',
      source: { type: 'telemetry', externalId: id },
      resources: ['service/shop'],
      firstSeen: expect.stringMatching(/Z$/),
    })
    expect(Date.parse(issue.lastSeen) - Date.parse(issue.firstSeen)).toBe(100_000)
    expect(issue.fingerprint.startsWith(`${id}:shop no stock`)).toBe(true)
    expect(await waiting()).toBe(0)
    await send(
      id,
      Array.from({ length: 40 }, (_, n) => failed(`no stock for ${n}`)),
    )
    await detect()
    const again = (await issuesOf(id)).find(({ id: one }) => one === issue.id)
    expect([again.occurrences, again.updated]).toEqual([42, issue.updated])
    const whole = (await p.call('issues.get', { workspaceId: here.workspaceId, id: issue.id }, here.member)).result
    expect(whole.body).toContain('no stock for 1')
    expect(whole.body).toContain(`/w/${here.workspaceId}/datasets/${id}?filter=`)
    const listed = { workspaceId: here.workspaceId, id: issue.id, order: 'asc' }
    const { items } = (await p.call('issues.alerts.list', listed, here.member)).result
    expect(items.some(({ alert }: Loose) => alert.fields.traceId === traceId)).toBe(true)
  })

  it('of failed spans and exceptions are told apart', async () => {
    const id = await made({}, 'traces')
    const span = { name: 'GET /cart', service: 'shop', status: 'error' }
    const thrown = { 'exception.type': 'KeyError', 'exception.message': '17' }
    await send(id, [
      span,
      span,
      { ...span, attributes: thrown },
      { ...span, status: 'ok' },
      { ...span, status: 'unset' },
    ])
    await detect()
    const found = await issuesOf(id)
    expect(found.map(({ title, occurrences }) => [title, occurrences]).sort()).toEqual([
      ['GET /cart failed', 2],
      ['KeyError: <number>', 1],
    ])
  })

  it('are left alone where the dataset does not look for them, and in other kinds', async () => {
    const [off, table] = [await made({ enabled: false }), await made({}, 'table')]
    await send(off, [failed('x')])
    await send(table, [failed('x')])
    expect(await waiting()).toBe(0)
  })

  it('of two datasets are two issues', async () => {
    const [one, other] = [await made(), await made()]
    await send(one, [failed('the same')])
    await send(other, [failed('the same')])
    await detect()
    expect([(await issuesOf(one)).length, (await issuesOf(other)).length]).toEqual([1, 1])
  })

  it('wake the job by themselves', async () => {
    const id = await made()
    await send(id, [failed('wakes')])
    await expect.poll(() => issuesOf(id), { timeout: 15_000, interval: 200 }).toHaveLength(1)
  })

  it('are told in the ledger where they make an issue, and not where they count', async () => {
    const id = await made()
    const entries = async () => {
      const input = { workspaceId: here.workspaceId, action: 'datasets.detected', perPage: 100 }
      const { result } = await p.call('audit_logs.list', input, here.owner)
      return result.items.filter(({ target }: Loose) => target.id === id).length
    }
    await send(id, [failed('told')])
    await detect()
    await send(id, [failed('told')])
    await detect()
    expect(await entries()).toBe(1)
  })
})

describe('thresholds', () => {
  it('keep rare errors from becoming issues; when there are enough, those that waited count', async () => {
    const id = await made({ thresholds: { count: 5, windowSeconds: 60 } })
    await send(id, [
      failed('rare 1', { at: ago(600) }),
      failed('rare 2', { at: ago(40) }),
      failed('rare 3', { at: ago(30) }),
    ])
    await detect()
    expect([await issuesOf(id), await waiting()]).toEqual([[], 3])
    await send(
      id,
      [4, 5, 6].map(n => failed(`rare ${n}`, { at: ago(20) })),
    )
    await detect()
    expect((await issuesOf(id)).map(({ occurrences }) => occurrences)).toEqual([5])
    expect(await waiting()).toBe(0)
    await send(id, [failed('rare 7')])
    await detect()
    expect((await issuesOf(id)).map(({ occurrences }) => occurrences)).toEqual([6])
  })

  it('forget what was too rare when the window is over', async () => {
    const id = await made({ thresholds: { count: 2, windowSeconds: 60 } })
    await send(id, [failed('once')])
    await p.database.query(sql`update dataset_findings set created = created - interval '61 seconds'`)
    await detect()
    expect([await issuesOf(id), await waiting()]).toEqual([[], 0])
  })

  it('hold again for an issue that was closed', async () => {
    const id = await made({ thresholds: { count: 2, windowSeconds: 60 } })
    await send(id, [failed('again'), failed('again')])
    await detect()
    const [issue] = await issuesOf(id)
    await patch(issue.id, { status: 'resolved' })
    await send(id, [failed('again')])
    await detect()
    expect((await issuesOf(id))[0].status).toBe('resolved')
    await send(id, [failed('again')])
    await detect()
    expect((await issuesOf(id))[0]).toMatchObject({ status: 'open', occurrences: 4 })
  })
})

describe('as for other alerts', () => {
  it('what comes back within a day reopens its issue, and stays quiet while it is snoozed', async () => {
    const id = await made()
    await send(id, [failed('back')])
    await detect()
    const [issue] = await issuesOf(id)
    await patch(issue.id, { status: 'resolved' })
    await send(id, [failed('back'), failed('back')])
    await detect()
    expect(await issuesOf(id)).toMatchObject([{ id: issue.id, status: 'open', occurrences: 3 }])
    await patch(issue.id, { status: 'dismissed', dismissReason: 'expected' })
    await patch(issue.id, { snoozedUntil: ago(-3600) })
    await send(id, [failed('back')])
    await detect()
    expect(await issuesOf(id)).toMatchObject([{ id: issue.id, occurrences: 4 }])
  })

  it('rules apply: severity, suppression, and thresholds that count every occurrence', async () => {
    const rule = (name: string, when: string, actions: object) =>
      p.call('issues.rules.post', { workspaceId: here.workspaceId, name, when, actions }, here.owner)
    const [low, mute, many] = [await made(), await made(), await made()]
    const slug = async (id: string) =>
      (await p.call('datasets.get', { workspaceId: here.workspaceId, id }, here.member)).result.slug
    const about = async (id: string) => `alert.fields["dataset"] == "${await slug(id)}"`
    await rule('low errors', await about(low), { severity: 'low' })
    await rule('mute errors', await about(mute), { suppress: true })
    const kept = await rule('many errors', await about(many), { threshold: { count: 5, windowSeconds: 600 } })
    expect(kept.status).toBe(201)
    for (const id of [low, mute]) await send(id, [failed('ruled'), failed('ruled')])
    await send(
      many,
      Array.from({ length: 4 }, () => failed('ruled')),
    )
    await detect()
    expect(await issuesOf(low)).toMatchObject([{ severity: 'low', occurrences: 2 }])
    expect([await issuesOf(mute), await issuesOf(many), await waiting()]).toEqual([[], [], 0])
    await send(many, [failed('ruled')])
    await detect()
    expect(await issuesOf(many)).toMatchObject([{ occurrences: 5 }])
  })
})

describe('each row counts once', () => {
  it('however many send at the same time, and however many jobs run meanwhile', async () => {
    const id = await made()
    const [senders, rounds, rows] = [8, 6, 25]
    const sending = Array.from({ length: senders }, async (_, sender) => {
      for (let round = 0; round < rounds; round++) {
        await send(
          id,
          Array.from({ length: rows }, (_, n) => failed(n % 5 === 0 ? `even ${sender}` : `odd ${round}`)),
        )
        await detect()
      }
    })
    await Promise.all(sending)
    await Promise.all([detect(), detect(), detect()])
    const found = await issuesOf(id)
    const all = senders * rounds * rows
    expect(found.map(({ title, occurrences }) => [title, occurrences]).sort()).toEqual([
      ['even <number>', all / 5],
      ['odd <number>', (all / 5) * 4],
    ])
    expect(await waiting()).toBe(0)
  })

  it('where the job ends in the middle: nothing is counted that is not taken, and the next run counts the rest', async () => {
    const id = await made()
    const minutes = Array.from({ length: 150 }, (_, n) => failed('often', { at: ago(60 * (n + 1)) }))
    await send(id, minutes)
    // The second transaction of a run fails, as where the process is killed after the first.
    await p.database.script(`
      create function fail_late() returns trigger language plpgsql as $$ begin
        if (select count(*) from dataset_findings) < 50 then raise 'killed'; end if; return null; end $$;
      create trigger fail_late after delete on dataset_findings for each statement execute function fail_late();`)
    await expect(detect()).rejects.toThrow('killed')
    expect(await issuesOf(id)).toMatchObject([{ occurrences: 100 }])
    expect(await waiting()).toBe(50)
    await p.database.script('drop trigger fail_late on dataset_findings; drop function fail_late()')
    await Promise.all([detect(), detect()])
    await detect()
    expect(await issuesOf(id)).toMatchObject([{ occurrences: 150 }])
  })

  it('whatever order writing and detecting take', async () => {
    const id = await made({ thresholds: { count: 3, windowSeconds: 3600 } })
    let [seed, sent] = [7, 0]
    const next = (most: number) => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed % most
    }
    for (let step = 0; step < 40; step++) {
      const rows = Array.from({ length: next(4) }, () => failed(`any ${next(99)}`))
      sent += rows.length
      await Promise.all([rows.length > 0 && send(id, rows), next(2) && detect(), next(3) || detect()])
    }
    await detect()
    expect(await issuesOf(id)).toMatchObject([{ occurrences: sent }])
    await detect()
    expect(await issuesOf(id)).toMatchObject([{ occurrences: sent }])
  })
})

describe('datasets.detection.test', () => {
  const attempt = (id: string, fields: object = {}) =>
    p.call('datasets.detection.test', { workspaceId: here.workspaceId, id, ...fields }, here.viewer)

  it('says what the last hour would have made, with the settings that are tried', async () => {
    const id = await made({ enabled: false })
    await send(id, [
      ...Array.from({ length: 3 }, (_, n) => failed(`no stock for ${n}`, { at: ago(50 - n) })),
      failed('disk is full', { traceId: '5b8efff798038103d269b633813fc60c' }),
      failed('slow', { severity: 'warn' }),
      failed('old', { at: ago(4000) }),
    ])
    const { status, result } = await attempt(id)
    expect(status).toBe(200)
    expect(result).toMatchObject({ errors: 2, issues: 2, scanned: 4, partial: false })
    expect(result.items).toMatchObject([
      {
        title: 'no stock for <number>',
        severity: 'high',
        count: 3,
      },
      { title: 'disk is full', count: 1, example: { traceId: '5b8efff798038103d269b633813fc60c' } },
    ])
    const tried = { minSeverity: 'warn', thresholds: { count: 3, windowSeconds: 60 } }
    expect((await attempt(id, { issueDetection: tried })).result).toMatchObject({ errors: 3, issues: 1, scanned: 5 })
    expect([await issuesOf(id), await waiting()]).toEqual([[], 0])
  })

  it('gives the fingerprints that the issues have', async () => {
    const id = await made({}, 'traces')
    const span = { name: 'GET /cart', service: 'shop' }
    await send(id, [
      { ...span, status: 'error' },
      { ...span, status: 'unset', attributes: { 'exception.type': 'KeyError' } },
      { ...span, status: 'unset' },
    ])
    await detect()
    const marks = (await issuesOf(id)).map(({ fingerprint }) => fingerprint).sort()
    const { items } = (await attempt(id)).result
    expect(marks).toHaveLength(2)
    expect(items.map(({ fingerprint }: Loose) => fingerprint).sort()).toEqual(marks)
  })
})

describe('a flood of different errors', () => {
  it('becomes a hundred issues an hour; the rest is counted on one', async () => {
    const id = await made()
    const names = Array.from({ length: 130 }, (_, n) =>
      failed(`${'abcdefghij'[n % 10]}${'klmnopqrstuvw'[(n / 10) | 0]} broke`),
    )
    for (let n = 0; n < names.length; n += 65) {
      await send(id, names.slice(n, n + 65))
      await detect()
    }
    await detect()
    const [row] = await p.database.query<{ issues: number; times: number }>(sql`
      select count(*)::int as issues, sum(occurrences)::int as times from issues i join issue_activity c on c.issue_id = i.id
      where starts_with(fingerprint, ${`${id}:`})`)
    expect(row).toEqual({ issues: 101, times: 130 })
    expect(await waiting()).toBe(0)
  })
})
