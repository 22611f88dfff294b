// The explorer of a dataset: filter, histogram, rows, groups and traces, and an address that asks the same again.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { both, celField, narrowed, ofGroups } from '../src/areas/datasets/cel.ts'
import { type Offer, offersFor, wantedAt } from '../src/areas/datasets/completion.ts'
import { inSight, nextError, parentsOf } from '../src/areas/datasets/spans.ts'
import { faultsOf, inBrowser, type Person, person, picture, settled, url, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button, pick } from './helpers/story.ts'

const traceId = '5b8efff798038103d269b633813fc60c'
const longTraceId = '6b8efff798038103d269b633813fc60d'

async function send({ token, workspaceId }: Person, id: string, rows: readonly object[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 1_000) {
    const answer = await fetch(`${url}/v1/datasets/${workspaceId}/${id}/rows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(rows.slice(at, at + 1_000)),
    })
    const { result } = (await answer.json()) as { result: { rejected: object[] } }
    expect(result.rejected).toEqual([])
  }
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

/** 400 logs of an hour: an error in ten, from two services. */
async function someLogs(someone: Person): Promise<string> {
  const { client, workspaceId } = someone
  const { id } = await client.call('datasets.post', { workspaceId, slug: 'checkout-logs', kind: 'logs' })
  const rows = Array.from({ length: 400 }, (_, index) => ({
    at: ago(5 + index * 8),
    severity: index % 10 === 0 ? 'error' : index % 4 === 0 ? 'warn' : 'info',
    body: index % 10 === 0 ? `Payment ${index} was refused by the bank` : `Order ${index} is on its way`,
    attributes: { 'http.route': index % 3 === 0 ? '/pay' : '/order', 'http.status_code': index % 10 === 0 ? 502 : 200 },
    resource: { 'service.name': index % 2 === 0 ? 'checkout' : 'shipping', 'host.name': 'node-1' },
    ...(index === 0 && { traceId }),
  }))
  await send(someone, id, rows)
  return id
}

const spanId = (index: number) => index.toString(16).padStart(16, '0')

/** A trace of six spans, the fourth of which failed, and one of 10,000. */
async function someTraces(someone: Person): Promise<string> {
  const { client, workspaceId } = someone
  const { id } = await client.call('datasets.post', { workspaceId, slug: 'traces', kind: 'traces' })
  const start = Date.now() - 60_000
  const span = (trace: string, index: number, parent: number | null, [from, ms]: number[], more: object = {}) => ({
    at: new Date(start + (from ?? 0)).toISOString(),
    traceId: trace,
    spanId: spanId(index),
    ...(parent !== null && { parentSpanId: spanId(parent) }),
    durationMs: ms ?? 0,
    status: 'ok',
    kind: 'server',
    ...more,
  })
  await send(someone, id, [
    span(traceId, 1, null, [0, 480], { name: 'POST /checkout', service: 'web' }),
    span(traceId, 2, 1, [10, 120], { name: 'read the basket', service: 'basket' }),
    span(traceId, 3, 2, [20, 60], { name: 'SELECT items', service: 'database' }),
    span(traceId, 4, 1, [140, 300], {
      name: 'charge the card',
      service: 'payment',
      status: 'error',
      statusMessage: 'The bank refused',
      attributes: { 'card.brand': 'visa' },
    }),
    span(traceId, 5, 4, [160, 240], { name: 'POST bank.example', service: 'payment' }),
    span(traceId, 6, 1, [445, 30], { name: 'write the answer', service: 'web' }),
  ])
  const many = Array.from({ length: 10_000 }, (_, index) =>
    span(longTraceId, index + 1, index === 0 ? null : Math.ceil(index / 10), [index / 10, 2_000 - index / 10], {
      name: `step ${index}`,
      service: `service-${index % 5}`,
      ...(index === 7_777 && { status: 'error' }),
    }),
  )
  await send(someone, id, many)
  return id
}

inBrowser('a dataset', () => {
  useBrowser()

  it('is made, listed with its volume, paused, and its rows explored', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    await page.goto(`/w/${workspaceId}/datasets/new`)
    await page.getByLabel('Name').fill('checkout-events')
    await pick(page, 'Kind', 'Table')
    await page.getByRole('switch', { name: 'Make issues' }).click()
    await page.getByLabel('Within').fill('10m')
    faults.push(...(await look(page, 'datasets-new')))
    await button(page, 'Create').click()
    await page.getByRole('heading', { name: 'checkout-events' }).waitFor()
    await page.getByText('1 within 10m').waitFor()
    await page.getByRole('tab', { name: 'Explore' }).click()
    await page.getByText('There are no rows yet').waitFor()
    faults.push(...(await look(page, 'datasets-none')))
    await someLogs(someone)
    await page.goto(`/w/${workspaceId}/datasets`)
    const row = page.getByRole('row', { name: /checkout-logs/ })
    await row.getByText('400', { exact: true }).waitFor()
    faults.push(...(await look(page, 'datasets-list')))
    await row.getByRole('link', { name: 'checkout-logs' }).click()
    await page.getByText('400 rows', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Fields' }).click()
    await page.getByText('attributes.http.route').waitFor()
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await page.getByText('Paused: it takes no rows').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('is filtered with completion, and says where a filter is wrong', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await someLogs(someone)
    await page.goto(`/w/${workspaceId}/datasets/${id}?tab=rows`)
    const rows = page.getByRole('table', { name: 'Rows', exact: true })
    await rows.getByText('Payment 0 was refused by the bank').waitFor()
    faults.push(...(await look(page, 'explorer')))
    const filter = page.getByRole('combobox', { name: 'Filter' })
    await filter.click()
    await filter.pressSequentially('sev')
    await page.getByRole('option', { name: /^severity/ }).waitFor()
    await page.keyboard.press('Enter')
    expect(await filter.inputValue()).toBe('severity')
    await filter.pressSequentially(' =')
    await page.keyboard.press('Enter')
    expect(await filter.inputValue()).toBe('severity == ')
    // What the field holds is offered, too.
    await page.getByRole('option', { name: '"error"' }).click()
    await filter.pressSequentially(' && rout')
    await page.getByRole('option', { name: /http\.route/ }).waitFor()
    await picture(page, 'explorer-completion-light')
    faults.push(...(await faultsOf(page)))
    await page.keyboard.press('Tab')
    expect(await filter.inputValue()).toBe('severity == "error" && attributes["http.route"]')
    await filter.pressSequentially('.st')
    await page.keyboard.press('Enter')
    await filter.pressSequentially('/pay')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByText('14 rows', { exact: true }).waitFor()
    await settled(page)
    expect(await rows.locator('tr[aria-rowindex]').count()).toBe(14)

    await button(page, 'Export these rows').click()
    const saving = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'NDJSON' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('checkout-logs.ndjson')
    expect(
      readFileSync(await saved.path(), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(14)

    await filter.fill('severity = "error"')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    const remark = page.getByRole('alert')
    await remark.getByText(/At column \d+/).waitFor()
    faults.push(...(await look(page, 'explorer-wrong')))
    await filter.fill('')
    await button(page, 'Run').click()
    await page.getByText('400 rows', { exact: true }).waitFor()
    expect(faults.filter(fault => !/400 \(Bad/.test(fault))).toEqual([])
    await context.close()
  })

  it('shows a row with its values, and filters by them', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await someLogs(someone)
    await page.goto(`/w/${workspaceId}/datasets/${id}?tab=rows`)
    const rows = page.getByRole('table', { name: 'Rows', exact: true })
    await rows.getByText('Order 1 is on its way').click()
    await rows.getByText('host.name').waitFor()
    faults.push(...(await look(page, 'explorer-row')))
    await button(page, 'Filter for service shipping').click()
    await page.getByText('200 rows', { exact: true }).waitFor()
    // The row stays open.
    await button(page, 'Filter out http.status_code 502').waitFor({ state: 'detached' })
    await button(page, 'Filter out severity info').click()
    await expect.poll(() => page.getByRole('combobox', { name: 'Filter' }).inputValue()).toContain('severity != "info"')
    await page.goto(`/w/${workspaceId}/datasets/${id}?tab=rows&last=24h`)
    await button(page, 'Older').click()
    await page.getByText('200 rows shown').waitFor()
    // The oldest are not drawn before they are in sight.
    expect(await rows.locator('tr[aria-rowindex]').count()).toBeLessThan(80)
    await context.close()
    expect(faults).toEqual([])
  })

  it('is narrowed by its histogram, and asked the same by the same address', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await someLogs(someone)
    await page.goto(`/w/${workspaceId}/datasets/${id}?tab=rows`)
    await page.getByText('400 rows', { exact: true }).waitFor()
    const plot = page.getByRole('slider', { name: /histogram/ })
    const box = await plot.boundingBox()
    if (!box) throw new Error('There is no histogram.')
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40, { steps: 5 })
    await page.mouse.up()
    await expect.poll(() => page.url()).toContain('from=')
    await page.getByText(/^1\d\d rows$/).waitFor()
    const found = await page.locator('figure strong').textContent()
    await pick(page, 'Time', 'Last hour')
    await page.getByText('400 rows', { exact: true }).waitFor()
    await page.goBack()
    await page.getByText(found ?? '', { exact: true }).waitFor()
    await page.reload()
    await page.getByText(found ?? '', { exact: true }).waitFor()
    await plot.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('figure strong').textContent()).not.toBe(found)
    await page.getByRole('switch', { name: 'Live' }).click()
    await expect.poll(() => page.url()).toContain('live=yes')
    const stream = page.getByText('Rows show as they come.')
    await stream.waitFor()
    await send(someone, id, [{ severity: 'fatal', body: 'The pool is empty', service: 'checkout' }])
    await page.getByText('The pool is empty').waitFor({ timeout: 20_000 })
    expect(faults).toEqual([])
    await context.close()
  })

  it('is grouped by fields, as a table and a chart, in the address', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const id = await someLogs(someone)
    await page.goto(`/w/${workspaceId}/datasets/${id}?tab=rows`)
    await page.getByText('Groups', { exact: true }).click()
    const groups = page.getByRole('table', { name: 'Groups' })
    await groups.getByText('400').waitFor()
    await page.getByRole('combobox', { name: 'Group by' }).click()
    await page.getByRole('option', { name: 'service', exact: true }).click()
    await page.keyboard.press('Escape')
    await groups.getByText('shipping').waitFor()
    await pick(page, 'Figure', 'Average')
    await page.getByText('Of which field?').waitFor()
    await pick(page, 'Of', 'attributes.http.status_code')
    await groups.getByText('260.4').waitFor()
    await page.locator('figure .recharts-line').first().waitFor()
    faults.push(...(await look(page, 'explorer-groups')))
    await page.getByText('By group', { exact: true }).click()
    await page.locator('figure .recharts-bar').first().waitFor()
    await page.reload()
    await groups.getByText('260.4').waitFor()
    await page.locator('figure .recharts-bar').first().waitFor()
    expect(new URL(page.url()).searchParams.get('fn')).toBe('avg')
    await groups.getByRole('button', { name: 'checkout' }).click()
    await expect.poll(() => page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('service == "checkout"')
    await page.getByText('200 rows', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows a trace as a waterfall, from a span and from a log', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const traces = await someTraces(someone)
    const logs = await someLogs(someone)
    await page.goto(`/w/${workspaceId}/datasets/${logs}?tab=rows`)
    await page.getByText('Payment 0 was refused by the bank').click()
    await page.getByRole('link', { name: 'Show the trace in traces' }).click()
    await page.getByText('6 spans', { exact: true }).waitFor()
    expect(page.url()).toContain(traces)
    const spans = page.getByRole('treeitem')
    await expect.poll(() => spans.count()).toBe(6)
    expect(await spans.nth(3).textContent()).toBe('charge the card, payment, error, 300 ms, own time 60 ms')
    expect(await spans.nth(2).getAttribute('aria-level')).toBe('3')
    await button(page, 'Next error').click()
    await page.getByRole('heading', { name: 'charge the card' }).waitFor()
    await page.getByText('The bank refused').waitFor()
    faults.push(...(await look(page, 'trace')))
    // By keyboard: to the parent, folded, and the address keeps the open span.
    await page.getByRole('tree').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => spans.count()).toBe(5)
    await page.reload()
    await page.getByRole('heading', { name: 'charge the card' }).waitFor()
    await button(page, 'Filter for card.brand visa').click()
    await page.getByText('1 row', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('stays smooth with a trace of 10,000 spans', async () => {
    const someone = await person()
    const { page, context, workspaceId, faults } = someone
    const traces = await someTraces(someone)
    await page.goto(`/w/${workspaceId}/datasets/${traces}?tab=rows&trace=${longTraceId}`)
    await page.getByText('10,000 spans', { exact: true }).waitFor({ timeout: 60_000 })
    const spans = page.getByRole('treeitem')
    expect(await spans.count()).toBeLessThan(80)
    const tree = page.getByRole('tree')
    const times = await tree.evaluate(async element => {
      const found: number[] = []
      for (let step = 0; step < 40; step++) {
        const from = performance.now()
        element.scrollTop = (element.scrollHeight / 40) * step
        await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        found.push(performance.now() - from)
      }
      return found.sort((one, other) => one - other)
    })
    const [middle = 0, slowest = 0] = [times[20], times.at(-1)]
    process.stdout.write(`10,000 spans: 40 jumps took ${Math.round(middle)} ms, at most ${Math.round(slowest)} ms\n`)
    // What else the machine does is no fault of the page.
    expect(middle).toBeLessThan(200)
    await button(page, 'Fold all').click()
    await expect.poll(() => spans.count()).toBe(1)
    await button(page, 'Next error').click()
    await page.getByRole('heading', { name: 'step 7777' }).waitFor()
    // It is in sight, below all that was unfolded for it.
    await expect
      .poll(async () => {
        const [outer, inner] = [await tree.boundingBox(), await page.getByText('step 7777').first().boundingBox()]
        return outer && inner && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height
      })
      .toBe(true)
    faults.push(...(await faultsOf(page)))
    await picture(page, 'trace-long-light')
    expect(faults).toEqual([])
    await context.close()
  })
})

it('filters are made narrower by fields and values as CEL writes them', () => {
  expect(celField('attributes.http.route')).toBe('attributes["http.route"]')
  expect(celField('service')).toBe('service')
  expect(narrowed('', 'service', 'a "b"', true)).toBe('service == "a \\"b\\""')
  expect(narrowed('a == 1 || b == 2', 'resource.host', true, false)).toBe(
    '(a == 1 || b == 2) && resource["host"] != true',
  )
  expect(both('a == 1', 'b == 2')).toBe('a == 1 && b == 2')
  expect(ofGroups(['service', 'name'], [['web', null]])).toBe('((service == "web" && name == null))')
  expect(ofGroups(['service'], [[{}]])).toBeNull()
})

it('what can come next in a filter depends on what stands before', () => {
  const kindAt = (text: string) => wantedAt(text, text.length)?.kind ?? null
  expect(kindAt('')).toBe('field')
  expect(kindAt('ser')).toBe('field')
  expect(kindAt('service ')).toBe('operator')
  expect(kindAt('service =')).toBe('operator')
  expect(kindAt('service == ')).toBe('value')
  expect(kindAt('service == "che')).toBe('value')
  expect(kindAt('service == "checkout" ')).toBe('joint')
  expect(kindAt('service == "checkout" && ')).toBe('field')
  expect(kindAt('attributes["ht')).toBe('key')
  expect(kindAt('attributes["http.route"] ')).toBe('operator')
  expect(kindAt('body.con')).toBe('method')
  expect(kindAt('durationMs > ')).toBeNull()
  expect(kindAt('body.contains("a ')).toBeNull()
  const fields = ['service', 'attributes.http.route', 'resource.service.name'].map(name => ({
    name,
    type: 'string',
    seen: 1,
  }))
  const texts = (text: string, values: unknown[] = []) => {
    const wanted = wantedAt(text, text.length)
    return wanted ? offersFor(wanted, fields, values).map((offer: Offer) => offer.text) : []
  }
  expect(texts('serv')).toEqual(['service', 'resource["service.name"]'])
  expect(texts('attributes["')).toEqual(['attributes["http.route"]'])
  expect(texts('service == "ch', ['checkout', 'web'])).toEqual(['"checkout"'])
})

it('spans are folded with all that is below them', () => {
  const spans = [0, 1, 2, 2, 1, 0].map(depth => ({ depth, status: depth === 2 ? 'error' : 'ok' }))
  expect(inSight(spans, new Set())).toEqual([0, 1, 2, 3, 4, 5])
  expect(inSight(spans, new Set([1]))).toEqual([0, 1, 4, 5])
  expect(inSight(spans, new Set([0, 1]))).toEqual([0, 5])
  expect(parentsOf(spans, 3)).toEqual([1, 0])
  expect([nextError(spans, 0), nextError(spans, 2), nextError(spans, 3)]).toEqual([2, 3, 2])
})
