// What /metrics says: traffic, errors and time per operation, and how full the service is.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { follow } from '../src/kit/follow.ts'
import { isPostgres } from './helpers/engines.ts'
import { platform, platformForTest, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform

beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

/** Every figure by its name and labels, as written. */
async function figures(): Promise<Record<string, number>> {
  const { text } = await p.request({ method: 'GET', url: '/metrics' })
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

describe('/metrics', () => {
  it('counts answers by operation and status, and their time in buckets that add up', async () => {
    const someone = await p.user()
    for (let index = 0; index < 7; index++) await p.call('auth.whoami', {}, someone)
    await p.request({ method: 'GET', url: '/v1/auth/whoami' })
    await p.request({ method: 'GET', url: '/v1/nothing/here' })
    const found = await figures()
    expect(found['atrium_requests_total{operation="auth.whoami",status="200"}']).toBe(7)
    expect(found['atrium_requests_total{operation="auth.whoami",status="401"}']).toBe(1)
    expect(found['atrium_requests_total{operation="other",status="404"}']).toBe(1)
    expect(found['atrium_request_seconds_count{operation="auth.whoami"}']).toBe(8)
    expect(found['atrium_request_seconds_bucket{le="+Inf",operation="auth.whoami"}']).toBe(8)
    expect(found['atrium_request_seconds_sum{operation="auth.whoami"}']).toBeGreaterThan(0)
    const buckets = Object.entries(found).filter(([name]) => /_bucket\{.*"auth\.whoami"/.test(name))
    expect(buckets).toHaveLength(11)
    expect(buckets.map(([, value]) => value)).toEqual(buckets.map(([, value]) => value).sort((a, b) => a - b))
  })

  it('has no label that a caller could fill with words of their own', async () => {
    for (const url of ['/v1/made/up', '/also/made/up', '/v1/%zz']) await p.request({ method: 'GET', url })
    const { text } = await p.request({ method: 'GET', url: '/metrics' })
    expect(text).not.toMatch(/made|%zz/)
  })

  it('says how full the service is', async () => {
    const found = await figures()
    expect(found.atrium_requests_in_flight).toBe(0)
    expect(found.atrium_requests_refused_total).toBe(0)
    expect(found.atrium_event_loop_delay_seconds).toBeGreaterThanOrEqual(0)
    expect(found.atrium_limits_local).toBe(0)
    expect(found['atrium_database_connections{state="waiting"}']).toBe(isPostgres ? 0 : undefined)
  })

  it('counts the jobs that are still to be done, by kind', async () => {
    const enqueue = p.platform.jobs.enqueueIn(p.database)
    await enqueue('platform.sweep', {}, { startAfterSeconds: 3_600 })
    expect((await figures())['atrium_jobs_waiting{kind="platform.sweep"}']).toBe(1)
  })
})

describe('a follower that is behind', () => {
  it('is told, by how many entries, until it has read them', async () => {
    let release: () => void = () => {}
    const gate = new Promise<void>(resolve => {
      release = resolve
    })
    const stuck = follow('test.stuck', 'teams.post', () => gate)
    const q = await platformForTest({ extra: { followers: [stuck] } })
    const owner = await q.user()
    const behind = async () => {
      const { text } = await q.request({ method: 'GET', url: '/metrics' })
      return Number(/^atrium_follower_entries_behind\{follower="test.stuck"\} (\d+)$/m.exec(text)?.[1])
    }
    await expect.poll(behind, { timeout: 20_000 }).toBe(0)
    for (const name of ['One', 'Two', 'Three']) {
      await q.call('teams.post', { workspaceId: owner.workspaceId, name }, owner)
    }
    await expect.poll(behind, { timeout: 20_000 }).toBe(3)
    release()
    await expect.poll(behind, { timeout: 20_000 }).toBe(0)
  })
})

describe('docs/monitoring', () => {
  const folder = join(import.meta.dirname, '../docs/monitoring')
  const dashboard = readFileSync(join(folder, 'dashboard.json'), 'utf8')
  const alerts = readFileSync(join(folder, 'alerts.yml'), 'utf8')

  it('can be read, and each alert says what to do', () => {
    const { panels } = JSON.parse(dashboard) as { panels: { title: string; targets: { expr: string }[] }[] }
    expect(panels.every(({ targets }) => targets.length > 0 && targets.every(({ expr }) => expr !== ''))).toBe(true)
    const { groups } = parse(alerts) as { groups: { rules: { expr: string; annotations: { todo: string } }[] }[] }
    const rules = groups.flatMap(group => group.rules)
    expect(rules.length).toBeGreaterThan(5)
    expect(rules.some(({ expr }) => expr.includes('atrium_follower_entries_behind'))).toBe(true)
    expect(rules.every(({ expr, annotations }) => expr !== '' && annotations.todo !== '')).toBe(true)
  })

  it('asks for no figure that is not there', async () => {
    const { text } = await p.request({ method: 'GET', url: '/metrics' })
    const there = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(match => match[1]))
    const asked = [...`${dashboard}${alerts}`.matchAll(/\b(?:atrium|nodejs|process)_\w+/g)].map(([name]) => name)
    expect(asked.length).toBeGreaterThan(20)
    const known = (name: string) => there.has(name) || there.has(name.replace(/_(bucket|sum|count)$/, ''))
    expect(asked.filter(name => !known(name))).toEqual([])
  })
})
