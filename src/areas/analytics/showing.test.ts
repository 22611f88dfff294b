// What is behind a figure, and figures as files and pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asking } from '../../../test/analytics/asking.ts'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let q: ReturnType<typeof asking>
let here: World
beforeAll(async () => {
  p = await platform()
  q = asking(p)
  here = await world(p)
})
afterAll(() => p.close())

describe('analytics.explain', () => {
  it('leads from a point to the entries behind it', async () => {
    const w = await world(p)
    const id = await q.issue(w, { severity: 'high' })
    await q.issue(w, { severity: 'low' })
    await q.patch(w, id, { status: 'resolved' })
    await q.counted(w)
    const asked = { metric: 'issues.resolved', bucket: p.now().toISOString(), granularity: 'day' }
    const { status, result } = await q.call(w, 'explain', asked, w.member)
    expect(status).toBe(200)
    expect(result.items).toMatchObject([{ action: 'issues.patch', target: { object: 'issue', id }, weight: 1 }])
    const { result: opened } = await q.call(
      w,
      'explain',
      { ...asked, metric: 'issues.opened', filter: ['severity:high'] },
      w.member,
    )
    expect(opened.items.map(({ target }: { target: { id: string } }) => target.id)).toEqual([id])
    expect(opened.hidden).toBe(0)
    const several = async (...filter: string[]) =>
      (await q.call(w, 'explain', { ...asked, metric: 'issues.opened', filter }, w.member)).result.items.length
    expect(await several('severity:high', 'source:manual')).toBe(1)
    expect(await several('severity:high', 'severity:low')).toBe(2)
    expect(await several('severity:high', 'source:alert')).toBe(0)
  })

  it('counts entries about what is private, and does not show them', async () => {
    const w = await world(p)
    await p.call('threads.post', { workspaceId: w.workspaceId, type: 'chat', visibility: 'private' }, w.member)
    await q.counted(w)
    const asked = { metric: 'threads.started', bucket: p.now().toISOString() }
    expect((await q.call(w, 'explain', asked, w.owner)).result).toMatchObject({ items: [], hidden: 1 })
    expect((await q.call(w, 'explain', asked, w.member)).result).toMatchObject({ hidden: 0 })
  })

  it('shows of a bucket what the query asks for', async () => {
    const w = await world(p)
    await q.issue(w)
    await q.counted(w)
    const asked = { metric: 'issues.opened', bucket: p.now().toISOString(), granularity: 'month' }
    const items = async (span: object) => (await q.call(w, 'explain', { ...asked, ...span })).result.items.length
    expect(await items({})).toBe(1)
    expect(await items({ from: q.ago(60_000), to: q.ago(-60_000) })).toBe(1)
    expect(await items({ to: q.ago(60_000) })).toBe(0)
    expect(await items({ from: q.ago(-60_000) })).toBe(0)
    const { status, error } = await q.call(w, 'explain', { ...asked, from: q.ago(-400 * 86_400_000) })
    expect([status, error.detail]).toEqual([400, expect.stringContaining('"bucket"')])
  })

  it('says where to look for a metric that is made of records', async () => {
    const { status, error } = await q.call(here, 'explain', { metric: 'messages.sent', bucket: p.now().toISOString() })
    expect([status, error.detail]).toEqual([400, expect.stringContaining('look at messages')])
  })
})

describe('analytics.export', () => {
  it('sends a line for each point, and is for who may export', async () => {
    await q.issue(here)
    await q.counted(here)
    const asked = { metrics: ['issues.opened', 'issues.open'], ...q.lately(), groupBy: ['severity'] }
    const csv = await q.call(here, 'export', { ...asked, format: 'csv' })
    expect(csv.headers['content-type']).toContain('text/csv')
    const lines = csv.text.trim().split('\r\n')
    expect(lines[0]).toBe('metric,unit,at,label,severity,is_other,value,p50,p95,count')
    expect(lines.some((line: string) => line.startsWith('issues.open,count,'))).toBe(true)
    const ndjson = await q.call(here, 'export', { ...asked, format: 'ndjson' })
    const points = ndjson.text
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(points[0]).toMatchObject({ metric: 'issues.opened', by: { severity: 'medium' }, isOther: false })
    expect((await q.call(here, 'export', asked, here.member)).status).toBe(403)
  })
})

describe('analytics.publish', () => {
  it('makes a page with charts, whose numbers are those of the query', async () => {
    const filters = { severity: ['medium', '!low'] }
    const query = { metrics: ['issues.opened'], ...q.lately(), groupBy: ['source'], filters, compare: 'previous' }
    const { status, result } = await q.call(here, 'publish', { query, title: 'Our issues', ttlDays: 7 })
    expect(status).toBe(201)
    expect(result).toMatchObject({ kind: 'analytics_snapshot', title: 'Our issues', source: null })
    const page = await p.call('pages.content', { workspaceId: here.workspaceId, id: result.id }, here.member)
    expect(page.text).toContain('<svg viewBox')
    expect(page.text).toContain('Issues that were made')
    expect(page.text).toContain('severity: medium, not low')
    expect(page.text).toContain('Grouped by')
    expect(page.text).toContain('Compared with')
    expect(page.text).not.toContain('<script')
  })

  it('writes what strangers have called things as text, in pages and in tables', async () => {
    const w = await world(p)
    const hostile = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</svg><b>', "=cmd|' /C calc'!A0"]
    for (const name of hostile) await q.issue(w, { resources: [name] })
    await q.counted(w)
    const query = { metrics: ['issues.opened'], ...q.lately(), groupBy: ['node'], compare: 'previous' }
    const { result } = await q.call(w, 'publish', { query, title: '<i onload=x>' })
    const page = await p.call('pages.content', { workspaceId: w.workspaceId, id: result.id }, w.member)
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.text).not.toMatch(/<script|<img|<i onload|<\/svg><b>/)
    const csv = await q.call(w, 'export', query)
    const cells = csv.text.split('\r\n').flatMap((line: string) => line.split(','))
    expect(cells).toContain("'=cmd|' /C calc'!A0")
    expect(cells.filter((cell: string) => /^[=+@]/.test(cell))).toEqual([])
  })
})
