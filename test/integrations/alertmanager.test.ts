// Prometheus and Alertmanager themselves: what fires there is an issue here, its metric can be asked for, and its end resolves it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'
import { freePort } from '../helpers/service.ts'

const programs = ['prometheus', 'prometheus-alertmanager']
const isInstalled = (name: string) =>
  (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, name)))
const missing = programs.filter(name => !isInstalled(name))
if (missing.length > 0) process.stdout.write(`Not tested with real senders: ${missing.join(', ')} is not installed\n`)

type Server = { url: string; child: ChildProcess; output: string[] }

describe.skipIf(missing.length > 0)('a real Prometheus with a real Alertmanager', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-prometheus-'))
  const servers: Server[] = []
  let p: TestPlatform
  let owner: TestCaller
  let prometheus: Server
  let metrics: string
  let inbound: string
  const on = (operation: string, input: object = {}) =>
    p.call(operation, { workspaceId: owner.workspaceId, ...input }, owner)

  beforeAll(async () => {
    p = await listeningPlatform()
    owner = await p.user()
    const config = { format: 'alertmanager', resolves: true }
    const made = (await on('integrations.post', { name: 'Alertmanager', type: 'inbound', config })).result
    inbound = made.id
    const alertmanager = await startAlertmanager(made.inboundUrl)
    prometheus = await startPrometheus(alertmanager.url)
    const asked = { name: 'Metrics', type: 'prometheus', config: { url: prometheus.url } }
    metrics = (await on('integrations.post', asked)).result.id
  })
  afterAll(async () => {
    for (const { child } of servers) await stop(child)
    await p?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function file(name: string, text: string): string {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  async function start(program: string, url: string, args: string[]): Promise<Server> {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    const output: string[] = []
    child.stderr?.setEncoding('utf8').on('data', (text: string) => output.push(text))
    const server = { url, child, output }
    servers.push(server)
    const ready = async () => {
      const answer = await fetch(`${url}/-/ready`).catch(() => null)
      if (!answer?.ok) throw new Error(`${program} is not ready:\n${output.join('')}`)
    }
    await vi.waitFor(ready, { timeout: 30_000, interval: 50 })
    return server
  }

  async function startAlertmanager(target: string): Promise<Server> {
    const port = await freePort()
    const config = file(
      'alertmanager.yml',
      `route: { receiver: atrium, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers: [{ name: atrium, webhook_configs: [{ url: '${target}', send_resolved: true }] }]
`,
    )
    return await start('prometheus-alertmanager', `http://127.0.0.1:${port}`, [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // Alone: it looks for no others.
      '--cluster.listen-address=',
    ])
  }

  async function startPrometheus(alertmanager: string): Promise<Server> {
    const port = await freePort()
    file('rules.yml', rules('vector(1)'))
    const config = file(
      'prometheus.yml',
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: ['${new URL(alertmanager).host}'] }] }] }
scrape_configs: [{ job_name: prometheus, static_configs: [{ targets: ['127.0.0.1:${port}'] }] }]
`,
    )
    return await start('prometheus', `http://127.0.0.1:${port}`, [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--web.external-url=http://127.0.0.1:${port}`,
      '--web.enable-lifecycle',
      '--rules.alert.resend-delay=1s',
    ])
  }

  const rules = (expression: string) => `groups:
  - name: shop
    rules:
      - alert: CheckoutIsDown
        expr: ${expression}
        for: 0s
        labels: { severity: critical, service: checkout }
        annotations: { summary: The checkout is down, description: Nobody can pay. }
`

  const checkout = async () => (await on('issues.list', {})).result.items[0]

  it('makes an issue of an alert that fires, with its expression', async () => {
    await expect.poll(checkout, { timeout: 30_000, interval: 100 }).toMatchObject({
      title: 'The checkout is down',
      severity: 'critical',
      status: 'new',
      resources: ['service/checkout'],
      source: { type: 'alert', url: expect.stringContaining(prometheus.url) },
    })
    const { id } = await checkout()
    const { items } = (await on('issues.alerts.list', { id })).result
    expect(items.at(-1).alert.fields).toMatchObject({
      alertname: 'CheckoutIsDown',
      service: 'checkout',
      receiver: 'atrium',
      expression: 'vector(1)',
    })
    expect(items.at(-1).alert.body).toContain('Nobody can pay.')
    const { items: payloads } = (await on('integrations.payloads.list', { id: inbound })).result
    expect(payloads.at(-1)).toMatchObject({ outcome: 'taken', alerts: 1 })
  })

  it('answers queries of now and of a span', async () => {
    const scraped = () => on('integrations.prometheus.query', { id: metrics, query: 'up' })
    await expect.poll(async () => (await scraped()).result.series.length, { timeout: 15_000 }).toBe(1)
    const { status, result } = await scraped()
    expect([status, result.type, result.left]).toEqual([200, 'vector', 0])
    expect(result.series).toEqual([
      {
        metric: { __name__: 'up', instance: new URL(prometheus.url).host, job: 'prometheus' },
        points: [{ at: expect.stringMatching(/Z$/), value: '1' }],
      },
    ])
    const scalar = await on('integrations.prometheus.query', { id: metrics, query: 'scalar(vector(2))' })
    expect(scalar.result).toMatchObject({ type: 'scalar', series: [{ metric: {}, points: [{ value: '2' }] }] })
    const time = '2026-01-01T00:00:00.000Z'
    const then = await on('integrations.prometheus.query', { id: metrics, query: 'time()', time })
    expect(then.result.series[0].points).toEqual([{ at: time, value: String(Date.parse(time) / 1_000) }])
    const infinite = await on('integrations.prometheus.query', { id: metrics, query: 'vector(1) / 0' })
    expect(infinite.result.series[0].points[0].value).toBe('+Inf')
    const to = p.now()
    const span = { from: new Date(to.getTime() - 60_000).toISOString(), to: to.toISOString(), step: 20 }
    const range = await on('integrations.prometheus.queryRange', { id: metrics, query: 'vector(7)', ...span })
    expect(range.result).toMatchObject({ type: 'matrix', series: [{ metric: {} }] })
    expect(range.result.series[0].points.map(({ value }: { value: string }) => value)).toEqual(['7', '7', '7', '7'])
  })

  it('leaves out series beyond two hundred, and says how many', async () => {
    const time = p.now().toISOString()
    const ask = (query: string) => on('integrations.prometheus.query', { id: metrics, query, time })
    const { result } = await ask('{__name__=~".+"}')
    expect(result.series).toHaveLength(200)
    const counted = (await ask('count({__name__=~".+"})')).result.series[0].points[0].value
    expect(200 + result.left).toBe(Number(counted))
  })

  it.each([
    ['up{', /^Prometheus: .*parse error/],
    ['nothing_of_the_kind(', /^Prometheus: .*parse error/],
    ['rate(up)', /^Prometheus: .*expected type range vector/],
  ])('is 400 in the words of Prometheus for %s', async (query, words) => {
    const { status, error } = await on('integrations.prometheus.query', { id: metrics, query })
    expect(status).toBe(400)
    expect(error.detail).toMatch(words)
  })

  it('shows the metric behind the issue', async () => {
    const { id: issueId } = await checkout()
    const { status, result } = await on('integrations.prometheus.issue', { id: metrics, issueId })
    expect(status).toBe(200)
    expect(result).toMatchObject({ query: 'vector(1)', type: 'matrix', series: [{ points: expect.any(Array) }] })
    expect(result.series[0].points.length).toBeGreaterThan(100)
    const written = (await on('issues.post', { title: 'Written by hand' })).result
    const none = await on('integrations.prometheus.issue', { id: metrics, issueId: written.id })
    expect([none.status, none.error.detail]).toEqual([409, expect.stringContaining('generatorURL')])
    await on('issues.del', { id: written.id })
  })

  it('is tested by a real call', async () => {
    const { result } = await on('integrations.test', { id: metrics })
    expect(result).toMatchObject({ ok: true, code: 200, detail: 'The target answered.' })
    expect(JSON.parse(result.response).data.version).toMatch(/^\d+\.\d+/)
  })

  it('resolves the issue when the rule no longer fires', async () => {
    expect((await checkout()).status).toBe('new')
    file('rules.yml', rules('vector(1) > 2'))
    expect((await fetch(`${prometheus.url}/-/reload`, { method: 'POST' })).status).toBe(200)
    await expect.poll(async () => (await checkout()).status, { timeout: 40_000, interval: 100 }).toBe('resolved')
    const { items } = (await on('integrations.payloads.list', { id: inbound })).result
    expect(items[0]).toMatchObject({ outcome: 'taken', alerts: 0 })
  })

  it('reopens it when the rule fires again', async () => {
    file('rules.yml', rules('vector(1)'))
    await fetch(`${prometheus.url}/-/reload`, { method: 'POST' })
    await expect.poll(async () => (await checkout()).status, { timeout: 40_000, interval: 100 }).toBe('open')
    expect((await on('issues.list', {})).result.items).toHaveLength(1)
  })

  it('is 409 while it is paused, and when it is down', async () => {
    const ask = () => on('integrations.prometheus.query', { id: metrics, query: 'up' })
    await on('integrations.patch', { id: metrics, status: 'paused' })
    expect((await ask()).error.metadata).toMatchObject({ state: 'paused' })
    await on('integrations.patch', { id: metrics, status: 'active' })
    expect((await ask()).status).toBe(200)
    await stop(prometheus.child)
    const { status, error } = await ask()
    expect([status, error.detail]).toEqual([
      409,
      'Prometheus could not be asked. Nobody listens at the address of the target.',
    ])
    expect((await on('integrations.test', { id: metrics })).result).toMatchObject({ ok: false, code: null })
  })
})

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
