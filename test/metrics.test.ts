// What /metrics says: traffic, errors and time per operation, and how full the service is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres } from './helpers/engines.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

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
