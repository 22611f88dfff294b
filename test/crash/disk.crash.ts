// A data directory that is torn, and a disk that is full or cannot be written: one clear line, and the data as it was.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { password } from '../helpers/platform.ts'
import { freePort, launch, type Service, start } from '../helpers/service.ts'
import { client } from './writers.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-disk-'))
const template = join(folder, 'template')
let token = ''
let copies = 0

async function signUp(service: Service, email: string): Promise<string> {
  const { result } = await client(service.url, null)('POST', '/auth/signup', { email, password })
  return result.token as string
}

beforeAll(async () => {
  const service = await start({ DATA_DIR: template })
  token = await signUp(service, 'ada@example.com')
  await service.stop('SIGKILL')
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function expectRefusal(DATA_DIR: string, says: RegExp): Promise<void> {
  const service = launch({ DATA_DIR }, await freePort())
  expect(await service.ended).toBe(1)
  expect(service.output).toEqual({ stdout: '', stderr: expect.stringMatching(/^atrium: [^\n]+\n$/) })
  expect(service.output.stderr).toMatch(says)
}

async function expectWhole(DATA_DIR: string, session: string): Promise<void> {
  const service = await start({ DATA_DIR })
  await client(service.url, session)('GET', '/auth/whoami')
  expect(await service.stop()).toBe(0)
}

const tears: [name: string, part: string, tear: (path: string) => void][] = [
  ['an empty control file', 'global/pg_control', path => truncateSync(path, 0)],
  ['half a control file', 'global/pg_control', path => truncateSync(path, 100)],
  ['a control file of another kind', 'global/pg_control', path => writeFileSync(path, Buffer.alloc(8192, 7))],
  ['no control file', 'global/pg_control', path => rmSync(path)],
  ['no version', 'PG_VERSION', path => rmSync(path)],
  ['no log', 'pg_wal', path => rmSync(path, { recursive: true })],
  ['a log that begins with nothing', 'pg_wal', path => overwrite(join(path, lastSegment(path)))],
  ['no tables', 'base', path => rmSync(path, { recursive: true })],
  ['no shared tables', 'global', path => rmSync(path, { recursive: true })],
]

function lastSegment(path: string): string {
  const segments = readdirSync(path).filter(name => /^[0-9A-F]{24}$/.test(name))
  return segments.sort().at(-1) as string
}

function overwrite(path: string): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(1024 * 1024), 0, 1024 * 1024, 0)
  closeSync(file)
}

describe('a data directory with', () => {
  it.each(tears)('%s is refused, and whole again once that is put back', async (_, part, tear) => {
    const DATA_DIR = join(folder, `torn${copies++}`)
    cpSync(template, DATA_DIR, { recursive: true })
    const path = join(DATA_DIR, 'postgres', part)
    tear(path)
    await expectRefusal(DATA_DIR, /is damaged or incomplete/)
    rmSync(path, { recursive: true, force: true })
    cpSync(join(template, 'postgres', part), path, { recursive: true })
    await expectWhole(DATA_DIR, token)
  })
})

/** Only the administrator of a machine may mount. */
const mayMount = process.getuid?.() === 0 && existsSync('/usr/bin/mount')
if (!mayMount) process.stdout.write('Left out: full and read-only disks (run as root)\n')

describe.skipIf(!mayMount)('a disk of its own', () => {
  const disk = join(folder, 'disk')
  const DATA_DIR = join(disk, 'data')
  const ballast = join(disk, 'ballast')
  let session = ''

  beforeAll(() => {
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', disk])
  })
  afterAll(() => void execFileSync('umount', ['-l', disk]))

  /** Until so much is left; nothing where no number is given. */
  function fill(leave = 0): void {
    const file = openSync(ballast, 'w')
    const available = () => Number(execFileSync('df', ['--output=avail', '-B1', disk]).toString().split('\n')[1])
    try {
      for (let rest = available() - leave; rest > 0 || leave === 0; rest -= 4096) writeSync(file, Buffer.alloc(4096))
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
    closeSync(file)
  }

  async function teams(service: Service) {
    const send = client(service.url, session)
    const { result } = await send('GET', '/workspaces?perPage=1&order=asc')
    const workspaceId = (result.items as { id: string }[])[0]?.id as string
    const path = `${service.url}/v1/teams`
    return {
      count: async () => (await send('GET', `/teams/${workspaceId}?perPage=1`)).result.count as number,
      post: async (name: string) =>
        await fetch(path, {
          method: 'POST',
          headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
          body: JSON.stringify({ workspaceId, name, description: 'd'.repeat(250) }),
        }),
    }
  }

  it('that is full answers 503 to writes, goes on reading, and is well again when there is room', async () => {
    const service = await start({ DATA_DIR, RATE_LIMIT: '1000000' })
    session = await signUp(service, 'grace@example.com')
    const { count, post } = await teams(service)
    fill()
    let made = 0
    let answer = await post(`Team ${made}`)
    for (; answer.status === 201 && made < 5_000; answer = await post(`Team ${made}`)) made++
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.json()).toMatchObject({ success: false, error: { message: 'Service unavailable' } })
    expect(await count()).toBe(made)
    rmSync(ballast)
    expect((await post('Room again')).status).toBe(201)
    expect(await count()).toBe(made + 1)
    expect(await service.stop()).toBe(0)
  })

  it('whose end comes in the middle of writes ends the service with a line, and loses nothing', async () => {
    const service = await start({ DATA_DIR, RATE_LIMIT: '1000000' })
    const { count, post } = await teams(service)
    const before = await count()
    fill(10 * 1024 * 1024)
    let made = 0
    // Tables go on growing in what is left; the log needs a new file of 16 MiB.
    for (; made < 20_000; made++) {
      const answer = await post(`More ${made}`).catch(() => null)
      if (answer?.status !== 201) break
    }
    expect(await service.ended).toBe(1)
    expect(service.output.stderr).toMatch(/^atrium: the embedded database has stopped [^\n]+\n$/)
    await expectRefusal(DATA_DIR, /cannot be written/)
    rmSync(ballast)
    const next = await start({ DATA_DIR })
    expect(await (await teams(next)).count()).toBe(before + made)
    expect(await next.stop()).toBe(0)
  })

  it('that cannot be written is refused, and whole when it can', async () => {
    execFileSync('mount', ['-o', 'remount,ro', disk])
    await expectRefusal(DATA_DIR, /cannot be written \(EROFS/)
    execFileSync('mount', ['-o', 'remount,rw', disk])
    await expectWhole(DATA_DIR, session)
  })

  it('that is full at the first start is refused, and leaves nothing behind that is in the way', async () => {
    fill()
    const other = join(disk, 'other')
    await expectRefusal(other, /cannot be written/)
    rmSync(ballast)
    // As much as the lock needs, and not enough for a database.
    fill(1024 * 1024)
    await expectRefusal(other, /cannot be written \(its disk is full\)/)
    rmSync(ballast)
    expect(existsSync(join(other, 'postgres'))).toBe(false)
  })
})
