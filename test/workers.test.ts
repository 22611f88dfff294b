// WORKERS: several processes behind one port, which are one service to whoever calls, watches or stops it.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { administer, isPostgres, redisUrl, urlOf } from './helpers/engines.ts'
import { password } from './helpers/platform.ts'
import { freePort, launch, type Service, start } from './helpers/service.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const folder = mkdtempSync(join(tmpdir(), 'atrium-workers-'))
const name = `atrium_workers_${randomBytes(4).toString('hex')}`
const limit = 40

/** Of a process, by its id. */
function childrenOf(parent: number | undefined): number[] {
  const ids = readdirSync('/proc').filter(entry => /^\d+$/.test(entry))
  return ids.map(Number).filter(id => {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    } catch {
      return false
    }
  })
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

describe.runIf(isPostgres && redisUrl)('several workers', () => {
  const env = () => ({
    DATA_DIR: folder,
    DATABASE_URL: urlOf(name),
    REDIS_URL: redisUrl as string,
    WORKERS: '2',
    RATE_LIMIT: String(limit),
    // Other tests ask the same Redis from this address.
    ANONYMOUS_RATE_LIMIT: '1000000',
  })
  let service: Service
  let headers: Record<string, string>

  beforeAll(async () => {
    await administer(`create database ${name}`)
    service = await start(env())
    await vi.waitFor(() => expect(service.output.stdout).toContain('first key'), { timeout: 60_000 })
    const { token } = await createClient({ baseUrl: service.url }).auth.signup({ email: 'ada@example.com', password })
    headers = { authorization: `Bearer ${token}` }
  })
  afterAll(async () => {
    await service.stop('SIGKILL')
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(folder, { recursive: true, force: true })
  })

  /** Each on a connection of its own: who answered, and with what. */
  async function ask(path: string, times: number): Promise<{ workers: Set<string>; statuses: number[] }> {
    const workers = new Set<string>()
    const statuses: number[] = []
    for (let index = 0; index < times; index++) {
      const answer = await fetch(service.url + path, { headers: { ...headers, connection: 'close' } })
      await answer.text()
      workers.add(answer.headers.get('x-request-id')?.slice(0, 10) ?? '')
      statuses.push(answer.status)
    }
    return { workers, statuses }
  }

  it('greet once, all answer, and share credentials, limits and figures', async () => {
    expect(service.output.stdout.match(/Atrium is running/g)).toHaveLength(1)
    expect(childrenOf(service.child.pid)).toHaveLength(2)
    const { workers, statuses } = await ask('/v1/auth/whoami', limit + 6)
    expect(workers.size).toBe(2)
    expect(statuses).toEqual([...Array(limit).fill(200), ...Array(6).fill(429)])
    const figures = await (await fetch(`${service.url}/metrics`)).text()
    expect(figures).toContain(`atrium_requests_total{operation="auth.whoami",status="200"} ${limit}\n`)
  })

  it('do not let others in beside them on the same port', async () => {
    const other = launch(env(), Number(new URL(service.url).port))
    expect(await other.ended).toBe(1)
    expect(other.output.stderr).toMatch(/^atrium: Port \d+ on 127\.0\.0\.1 is taken[^\n]+\n$/)
  })

  it('are replaced when they die; the others answer meanwhile', async () => {
    const before = childrenOf(service.child.pid)
    process.kill(before[0] as number, 'SIGKILL')
    await expect.poll(() => isAlive(before[0] as number)).toBe(false)
    expect((await ask('/healthz', 4)).statuses).toEqual([200, 200, 200, 200])
    await expect.poll(async () => (await ask('/healthz', 4)).workers.size, { timeout: 60_000 }).toBe(2)
    const after = childrenOf(service.child.pid)
    expect(after).toHaveLength(2)
    expect(after).toContain(before[1])
    expect(service.output.stdout).toContain('another takes its place')
    expect(service.output.stdout.match(/Atrium is running/g)).toHaveLength(1)
  })

  it('finish what is in flight on SIGTERM, though the signal comes twice to each, and end with 0', async () => {
    const { hostname, port } = new URL(service.url)
    const body = JSON.stringify({ email: 'bob@example.com', password })
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `POST /v1/auth/signup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    )
    await ask('/healthz', 4)
    const workers = childrenOf(service.child.pid)
    service.child.kill('SIGTERM')
    for (const id of workers) process.kill(id, 'SIGTERM')
    await expect
      .poll(() =>
        fetch(`${service.url}/healthz`).then(
          () => 'answered',
          () => 'refused',
        ),
      )
      .toBe('refused')
    socket.write(body.slice(9))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await service.ended).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])
    expect(service.output.stderr).toBe('')
  })
})

it('that cannot start say why in one line', async () => {
  const service = launch(
    { DATA_DIR: folder, DATABASE_URL: 'postgres://a@127.0.0.1:1/a', REDIS_URL: 'redis://127.0.0.1:1', WORKERS: '3' },
    await freePort(),
  )
  expect(await service.ended).toBe(1)
  expect(service.output).toEqual({
    stdout: '',
    stderr: expect.stringMatching(/^atrium: DATABASE_URL does not[^\n]+\n$/),
  })
})
