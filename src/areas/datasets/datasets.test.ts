// Datasets: their records, rows in and out, questions, traces, retention and purges.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let here: World
let elsewhere: World
beforeAll(async () => {
  p = await platform()
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

let count = 0
const post = (fields: object = {}, caller: TestCaller = here.member) =>
  p.call('datasets.post', { workspaceId: here.workspaceId, slug: `set-${count++}`, kind: 'logs', ...fields }, caller)
const call = (verb: string, id: string, fields: object = {}, caller: TestCaller = here.member) =>
  p.call(`datasets.${verb}`, { workspaceId: here.workspaceId, id, ...fields }, caller)
const content = (rows: unknown, kind = 'json') => ({
  content: { kind, bytes: new TextEncoder().encode(typeof rows === 'string' ? rows : JSON.stringify(rows)) },
})
const made = async (fields: object = {}) => (await post(fields)).result.id as string
/** The same in a whole run, whatever the clock does meanwhile. */
const began = Math.floor(Date.now() / 1000) * 1000
const at = (seconds: number) => new Date(began + seconds * 1000).toISOString()
const lastHour = () => ({ from: at(-3600), to: at(600) })

describe('datasets.post', () => {
  it('makes an empty dataset with what is usual', async () => {
    const { status, result } = await post({ slug: 'checkout', description: 'Of the shop' })
    expect(status).toBe(201)
    expect(result).toMatchObject({
      slug: 'checkout',
      kind: 'logs',
      retentionDays: 30,
      status: 'active',
      rows: 0,
      bytes: 0,
      firstRowAt: null,
      lastRowAt: null,
      issueDetection: {
        enabled: false,
        minSeverity: 'error',
        groupBy: [],
        thresholds: { count: 1, windowSeconds: 300 },
      },
    })
    const again = await post({ slug: 'checkout' })
    expect([again.status, again.error.metadata.field]).toEqual([409, 'slug'])
  })

  it.each([
    ['a slug with a space', { slug: 'a b' }],
    ['a kind that is none', { kind: 'events' }],
    ['a retention of no day', { retentionDays: 0 }],
    ['a retention of more than a year', { retentionDays: 366 }],
  ])('refuses %s', async (_, fields) => {
    expect((await post(fields)).status).toBe(400)
  })
})

describe('datasets.patch', () => {
  it('changes what is said, and not the kind', async () => {
    const id = await made()
    const { result } = await call('patch', id, { retentionDays: 7, issueDetection: { enabled: true } })
    expect(result).toMatchObject({ retentionDays: 7, issueDetection: { enabled: true, minSeverity: 'error' } })
    expect((await call('patch', id, { kind: 'traces' })).status).toBe(409)
    expect((await call('patch', id, { kind: 'logs' })).status).toBe(200)
  })
})

describe('datasets.rows.post', () => {
  it('takes JSON and NDJSON, and names what it rejects', async () => {
    const id = await made()
    const rows = [
      { at: at(-10), severity: 'error', service: 'web', body: 'Failed', 'http.route': '/pay', attributes: { n: 1 } },
      { at: 'yesterday' },
      { severity: 'loud' },
      'text',
      { at: at(-90 * 86_400), body: 'too old' },
      { at: began - 5_000, body: 'later', resource: { 'service.name': 'api' } },
    ]
    const { status, result } = await call('rows.post', id, content(rows))
    expect(status).toBe(200)
    expect(result).toMatchObject({ accepted: 2, rejectedCount: 4 })
    expect(result.rejected.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3, 4])
    await call('rows.post', id, content('{"body":"one"}\n\n{"body":"two"}\n', 'ndjson'))
    const listed = await call('rows.list', id, { order: 'asc' })
    expect(listed.result.items.map(({ body }: { body: string }) => body)).toEqual(['Failed', 'later', 'one', 'two'])
    expect(listed.result.items[0]).toMatchObject({
      at: at(-10),
      severity: 'error',
      service: 'web',
      attributes: { n: 1, 'http.route': '/pay' },
    })
    expect(listed.result.items[1].service).toBe('api')
    expect((await call('get', id)).result).toMatchObject({ rows: 4, firstRowAt: at(-10) })
    const { fields } = (await call('fields', id)).result
    expect(fields).toContainEqual({ name: 'attributes.http.route', type: 'string', seen: 1 })
    expect(fields).toContainEqual({ name: 'body', type: 'string', seen: 4 })
  })

  it('refuses what is no list of rows, more than a thousand, and a dataset that is paused', async () => {
    const id = await made()
    expect((await call('rows.post', id, content({ body: 'one' }))).status).toBe(400)
    expect((await call('rows.post', id, content(Array.from({ length: 1001 }, () => ({}))))).status).toBe(400)
    expect((await call('rows.post', id, content('{"a":1}\n{', 'ndjson'))).error.detail).toContain('Line 2')
    await call('patch', id, { status: 'paused' })
    expect((await call('rows.post', id, content([{}]))).status).toBe(409)
    expect((await call('rows.post', id, content([{}]), here.viewer)).status).toBe(403)
  })

  it('turns away rows that are too large, untimely or too many bytes together, by their place', async () => {
    const id = await made()
    const row = (size: number) => ({ body: 'x'.repeat(size) })
    const rows = [
      { at: 'never' },
      row(300_000),
      { at: '9999-12-31T23:59:59Z' },
      { at: '0001-01-01T00:00:00Z' },
      row(1_000),
    ]
    const { result } = await call('rows.post', id, content(rows))
    expect(result.accepted).toBe(1)
    expect(result.rejected.map(({ index, why }: { index: number; why: string }) => [index, why])).toEqual([
      [0, expect.stringContaining('"at" must be')],
      [1, 'A row has at most 256 KiB, with its resource.'],
      [2, expect.stringContaining('ahead')],
      [3, expect.stringContaining('30 days')],
    ])
    const all = { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }
    expect((await call('rows.list', id, all)).result.items).toHaveLength(1)
    expect((await call('query', id, all)).result.rows).toEqual([[1]])
  })

  it('keeps attributes as they are, whatever they are called', async () => {
    const id = await made({ kind: 'table' })
    const attributes = {
      constructor: 1,
      'a.b': null,
      toString: 'x',
      'sql\'"$1': { deep: [true, { x: 1.5 }] },
      'ü €': '\u2028',
    }
    await call('rows.post', id, content([{ attributes }, { __proto__: 1, quantity: 3 }]))
    const { items } = (await call('rows.list', id, { order: 'asc' })).result
    expect(items.map((row: { attributes: object }) => row.attributes)).toContainEqual(attributes)
  })
})

describe('datasets.rows.list', () => {
  it('filters, pages by a cursor and refuses what it cannot ask', async () => {
    const id = await made()
    const rows = Array.from({ length: 25 }, (_, n) => ({ at: at(-100 + Math.floor(n / 5)), body: `b${n}`, n }))
    await call('rows.post', id, content(rows))
    const seen: string[] = []
    let after: string | undefined
    do {
      const { result } = await call('rows.list', id, { perPage: 7, ...(after && { after }) })
      seen.push(...result.items.map(({ body }: { body: string }) => body))
      after = result.next ?? undefined
    } while (after)
    expect(new Set(seen).size).toBe(25)
    const found = async (filter: string) =>
      (await call('rows.list', id, { filter })).result.items.map(({ body }: { body: string }) => body).sort()
    expect(await found('attributes["n"] >= 23')).toEqual(['b23', 'b24'])
    expect(await found('attributes.n in [1, 2] || body == "b7"')).toEqual(['b1', 'b2', 'b7'])
    expect(await found('body.endsWith("9") && !(attributes["n"] == 9)')).toEqual(['b19'])
    expect(await found('has(attributes.none)')).toEqual([])
    expect(await found('!(attributes["none"] > 3)')).toEqual([])
    expect(await found('attributes["none"] != 3 && attributes["n"] < 1')).toEqual(['b0'])
    expect(await found(`at >= timestamp("${at(-96)}")`)).toHaveLength(5)
    const wrong = await call('rows.list', id, { filter: 'severity == "error" && boddy == "x"' })
    expect([wrong.status, wrong.error.detail]).toEqual([400, expect.stringContaining('column 24')])
    expect((await call('rows.list', id, { filter: 'body == service' })).status).toBe(400)
    expect((await call('rows.list', id, { filter: 'body.matches("a+")' })).status).toBe(400)
    expect((await call('rows.list', id, { after: '1' })).status).toBe(400)
  })
})

describe('datasets.query', () => {
  it('counts, groups and measures', async () => {
    const id = await made({ kind: 'traces' })
    const rows = Array.from({ length: 100 }, (_, n) => ({
      at: at(-600 + n),
      service: n % 2 ? 'web' : 'api',
      name: 'GET /',
      durationMs: n + 1,
      status: n % 10 ? 'ok' : 'error',
      code: n % 4 ? 200 : 500,
    }))
    await call('rows.post', id, content(rows))
    const ask = async (fields: object) => (await call('query', id, { ...lastHour(), ...fields })).result
    expect(await ask({})).toMatchObject({
      columns: [{ name: 'count', type: 'number' }],
      rows: [[100]],
      scanned: 100,
      partial: false,
      note: null,
    })
    const aggregates = ['avg', 'min', 'max', 'p50', 'p95', 'p99', 'sum', 'distinct'].slice(0, 5)
    const measured = await ask({
      groupBy: ['service'],
      aggregates: aggregates.map(fn => ({ fn, field: 'durationMs' })),
      orderBy: 'service',
      order: 'asc',
    })
    expect(measured.columns.map(({ name }: { name: string }) => name)).toEqual([
      'service',
      ...aggregates.map(fn => `${fn}(durationMs)`),
    ])
    expect(measured.rows).toEqual([
      ['api', 50, 1, 99, 49, 95],
      ['web', 51, 2, 100, 50, 96],
    ])
    const grouped = await ask({ groupBy: ['attributes.code', 'status'], filter: 'service == "api"' })
    expect(grouped.rows).toEqual([
      [200, 'ok', 20],
      [500, 'ok', 20],
      [200, 'error', 5],
      [500, 'error', 5],
    ])
    const buckets = await ask({
      interval: '1m',
      aggregates: [
        { fn: 'count', as: 'n' },
        { fn: 'distinct', field: 'service' },
      ],
    })
    expect(buckets.columns.map(({ name }: { name: string }) => name)).toEqual(['at', 'n', 'distinct(service)'])
    expect(buckets.rows.reduce((sum: number, [, n]: [string, number]) => sum + n, 0)).toBe(100)
  })

  it('says what it leaves out, and refuses what makes no sense', async () => {
    const id = await made()
    const old = (await call('query', id, { from: at(-100 * 86_400), to: at(-90 * 86_400) })).result
    expect([old.rows, old.note]).toEqual([[], expect.stringContaining('30 days')])
    const refused = async (fields: object) => (await call('query', id, { ...lastHour(), ...fields })).status
    expect(await refused({ from: at(0), to: at(-10) })).toBe(400)
    expect(await refused({ groupBy: ['http.route'] })).toBe(400)
    expect(await refused({ aggregates: [{ fn: 'sum' }] })).toBe(400)
    expect(await refused({ aggregates: [{ fn: 'sum', field: 'body' }] })).toBe(400)
    expect(await refused({ aggregates: [{ fn: 'count' }, { fn: 'count' }] })).toBe(400)
    expect(await refused({ orderBy: 'nothing' })).toBe(400)
    expect(await refused({ interval: '1s' })).toBe(400)
    expect(await refused({ interval: '1h', timezone: 'Mars/Olympus' })).toBe(400)
    expect(await refused({ filter: 'severity ==' })).toBe(400)
  })
})

describe('datasets.traces.get', () => {
  it('shows a trace as a tree with the time each span spent itself', async () => {
    const id = await made({ kind: 'traces' })
    const traceId = 'a'.repeat(32)
    const span = (spanId: string, parentSpanId: string | null, from: number, durationMs: number) => ({
      traceId,
      spanId,
      parentSpanId,
      at: began - 10_000 + from,
      durationMs,
      name: spanId,
      service: 'web',
      status: spanId === 'c' ? 'error' : 'ok',
    })
    const spans = [
      span('c', 'b', 20, 10),
      span('a', null, 0, 100),
      span('b', 'a', 10, 40),
      span('d', 'a', 30, 40),
      span('x', 'gone', 5, 1),
    ]
    await call('rows.post', id, content(spans))
    const { result } = await call('traces.get', id, { traceId })
    expect(result).toMatchObject({ durationMs: 100, errors: 1, services: ['web'], partial: false })
    const shown = result.spans.map(({ name, depth, selfMs }: Record<string, unknown>) => [name, depth, selfMs])
    expect(shown).toEqual([
      ['a', 0, 40],
      ['b', 1, 30],
      ['c', 2, 10],
      ['d', 1, 40],
      ['x', 0, 1],
    ])
    expect((await call('traces.get', id, { traceId: 'b'.repeat(32) })).status).toBe(404)
    expect((await call('traces.get', await made(), { traceId })).status).toBe(400)
  })
})

describe('datasets.export', () => {
  it('streams NDJSON and CSV, the oldest first', async () => {
    const id = await made()
    const rows = Array.from({ length: 900 }, (_, n) => ({ at: at(-2000 + n), body: n === 1 ? '=1+1' : `b${n}` }))
    await call('rows.post', id, content(rows))
    await call('rows.post', id, content(rows.map(row => ({ ...row, at: at(-900) }))))
    const file = await call('export', id)
    const lines = file.text
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(lines).toHaveLength(1800)
    expect(lines[0].body).toBe('b0')
    const csv = await call('export', id, { format: 'csv', to: at(-1900), filter: 'body != "b0"' })
    expect(csv.text.split('\r\n')[1]).toContain(`'=1+1`)
    expect(csv.text.split('\r\n')).toHaveLength(101)
  })
})

describe('rows that go', () => {
  const settled = async (id: string) => (await call('get', id)).result

  it('are purged by time and by filter, and the counts follow', async () => {
    const id = await made()
    const rows = Array.from({ length: 40 }, (_, n) => ({ at: at(-4 * 3600 + n * 300), body: n % 2 ? 'odd' : 'even' }))
    await call('rows.post', id, content(rows))
    expect((await call('purge', id)).status).toBe(400)
    expect((await call('purge', id, { before: at(-4 * 3600 + 10 * 300) })).status).toBe(202)
    await expect.poll(async () => (await settled(id)).rows, { timeout: 20_000 }).toBe(30)
    expect((await settled(id)).firstRowAt).toBe(at(-4 * 3600 + 3000))
    await call('purge', id, { filter: 'body == "odd"' })
    await expect.poll(async () => (await settled(id)).rows, { timeout: 20_000 }).toBe(15)
    const { items } = (await call('rows.list', id)).result
    expect(items).toHaveLength(15)
    expect((await settled(id)).lastRowAt).toBe(at(-4 * 3600 + 38 * 300))
    const sum = (await call('query', id, { from: at(-86_400), to: at(0) })).result
    expect([sum.rows, sum.scanned]).toEqual([[[15]], 15])
  })

  it('are over with their retention, whole days of them', async () => {
    const id = await made({ retentionDays: 10 })
    await call(
      'rows.post',
      id,
      content([
        { at: at(-5 * 86_400), body: 'old' },
        { at: at(-60), body: 'new' },
      ]),
    )
    await call('patch', id, { retentionDays: 2 })
    await p.platform.jobs.runNow('datasets.retain', {})
    expect((await call('rows.list', id)).result.items.map(({ body }: { body: string }) => body)).toEqual(['new'])
    expect((await settled(id)).rows).toBe(1)
  })

  it('go with their dataset, which only its owner and admins delete', async () => {
    const id = (await post({}, here.owner)).result.id
    await call('rows.post', id, content([{ body: 'one' }]))
    const [row] = await p.database.query<{ no: number }>(sql`select no from datasets where id = ${id}`)
    expect((await call('del', id)).status).toBe(404)
    expect((await call('del', id, {}, here.admin)).status).toBe(200)
    const left = async () =>
      (await p.database.query(sql`select 1 as one from dataset_logs where dataset_no = ${row?.no}::int`)).length
    await expect.poll(left, { timeout: 20_000 }).toBe(0)
  })
})

describe('a dataset of another workspace', () => {
  it('is not found, whatever is asked', async () => {
    const foreign = { workspaceId: elsewhere.workspaceId, slug: 'foreign', kind: 'traces' }
    const { id } = (await p.call('datasets.post', foreign, elsewhere.owner)).result
    for (const verb of ['get', 'fields', 'rows.list', 'export', 'del', 'patch']) {
      expect((await call(verb, id, {}, here.owner)).status).toBe(404)
    }
    expect((await call('rows.post', id, content([{}]), here.owner)).status).toBe(404)
    expect((await call('query', id, lastHour(), here.owner)).status).toBe(404)
    expect((await call('purge', id, { before: at(0) }, here.owner)).status).toBe(404)
    expect((await call('traces.get', id, { traceId: 'a'.repeat(32) }, here.owner)).status).toBe(404)
  })
})

describe('datasets.tail', () => {
  let base = ''
  beforeAll(async () => {
    base = await p.app.listen({ port: 0, host: '127.0.0.1' })
  })
  const tail = (id: string, signal: AbortSignal, query = '') =>
    fetch(`${base}/v1/datasets/${here.workspaceId}/${id}/tail${query}`, { headers: here.viewer.headers, signal })

  it('tells rows as they come, a hundred a second, and how many more there were', async () => {
    const id = await made()
    await call('rows.post', id, content([{ body: 'before' }]))
    const ended = new AbortController()
    const answer = await tail(id, ended.signal, `?filter=${encodeURIComponent('body != "no"')}`)
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    let heard = ''
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString()
    })().catch(() => {})
    const rows = Array.from({ length: 500 }, (_, n) => ({ body: n % 5 ? `row ${n}` : 'no' }))
    await call('rows.post', id, content(rows))
    await expect.poll(() => heard, { timeout: 20_000 }).toContain('row 499')
    await new Promise(resolve => setTimeout(resolve, 2_500))
    ended.abort()
    await reading
    const shown = heard.match(/^event: row$/gm)?.length ?? 0
    const omitted = [...heard.matchAll(/"count":(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0)
    expect(shown).toBeLessThan(400)
    expect(shown + omitted).toBe(400 + (heard.includes('before') ? 1 : 0))
    expect(heard).not.toContain('"no"')
  })

  it('is refused where a workspace follows twenty already, and not when one of them ends', async () => {
    const id = await made()
    const ends = Array.from({ length: 20 }, () => new AbortController())
    const open = ends.map(({ signal }) => tail(id, signal))
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual(ends.map(() => 200))
    const refused = await tail(id, AbortSignal.timeout(5_000))
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('20 exports and tails')])
    const status = async () => (await tail(id, AbortSignal.timeout(200)).catch(() => ({ status: 0 }))).status
    ends[0]?.abort()
    await expect.poll(status, { timeout: 10_000 }).toBe(200)
    for (const end of ends) end.abort()
  })
})
