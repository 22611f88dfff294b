// The commands that run the platform: what they find, and what they say to do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../test/helpers/service.ts'
import { commandLine, failureIn } from '../../test/helpers/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-operator-'))
let line: Awaited<ReturnType<typeof commandLine>>

beforeAll(async () => {
  line = await commandLine('http://127.0.0.1:9')
})
afterAll(async () => {
  await line.remove()
  rmSync(folder, { recursive: true, force: true })
})

type Finding = { check: string; state: string; finding: string; todo: string | null }

async function examined(env: Record<string, string>): Promise<{ code: number; by: Record<string, Finding> }> {
  const { code, stdout } = await line.atrium('doctor', { env: { DATA_DIR: join(folder, 'data'), ...env } })
  const { items } = JSON.parse(stdout) as { items: Finding[] }
  return { code, by: Object.fromEntries(items.map(item => [item.check, item])) }
}

/** Every file with its time and size. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true }).map(name => {
    const { mtimeMs, size } = statSync(join(directory, String(name)))
    return `${name} ${mtimeMs} ${size}`
  })
}

describe('atrium config', () => {
  it('shows every variable, and of a secret only that it is set', async () => {
    const env = { SECRET_KEY: 'k'.repeat(40), PORT: '4321' }
    const { stdout, code } = await line.atrium('config', { env })
    expect(code).toBe(0)
    expect(stdout).not.toContain('kkkk')
    const { items } = JSON.parse(stdout)
    expect(items).toContainEqual({ name: 'PORT', value: '4321', source: 'environment', help: 'port to listen on' })
    expect(items).toContainEqual(expect.objectContaining({ name: 'SECRET_KEY', value: '(set)' }))
  })

  it('says in one line what is wrong', async () => {
    const ran = await line.atrium('config', { env: { PORT: 'many' } })
    expect(failureIn(ran)).toMatchObject({ code: 1, message: expect.stringContaining('PORT must be') })
  })
})

describe('atrium serve --port', () => {
  it('listens there, and refuses what is no port', async () => {
    const port = await freePort()
    const command = join(import.meta.dirname, '../../bin/atrium')
    const env = { PATH: process.env.PATH ?? '', DATA_DIR: join(folder, 'served'), ATRIUM_CONFIG_DIR: folder }
    const child = spawn(command, ['serve', '--port', String(port)], { env, stdio: 'ignore' })
    const ended = once(child, 'close')
    try {
      const isUp = async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.status
      await expect.poll(isUp, { timeout: 120_000 }).toBe(200)
    } finally {
      child.kill('SIGTERM')
      await ended
    }
    expect((await line.atrium('serve --port nowhere')).code).toBe(2)
  }, 240_000)
})

describe('atrium migrate and atrium doctor', () => {
  it('find a new database behind, bring it up to date, and find nothing to do then', async () => {
    const DATA_DIR = join(folder, 'data')
    const before = await examined({})
    expect(before.code).toBe(0)
    expect(before.by.database).toMatchObject({ state: 'warning', todo: expect.stringContaining('atrium serve') })
    expect(existsSync(DATA_DIR)).toBe(false)
    const first = await line.atrium('migrate', { env: { DATA_DIR } })
    expect(first.stdout).toContain('_create_users\n')
    expect((await line.atrium('migrate', { env: { DATA_DIR } })).stderr).toBe('Nothing to do.\n')
    const left = filesIn(DATA_DIR)
    const after = await examined({})
    expect(filesIn(DATA_DIR)).toEqual(left)
    expect(Object.values(after.by).map(({ state }) => state)).toEqual(Array(7).fill('ok'))
  }, 240_000)

  it('say what to do about what does not answer', async () => {
    const { code, by } = await examined({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      REDIS_URL: 'redis://127.0.0.1:9',
      CLICKHOUSE_URL: 'http://127.0.0.1:9/rows',
      SMTP_URL: 'smtp://127.0.0.1:9',
    })
    expect(code).toBe(1)
    for (const check of ['database', 'redis', 'clickhouse', 'mail']) {
      expect(by[check]).toMatchObject({ state: 'failed', finding: expect.stringContaining('ECONNREFUSED') })
      expect(by[check]?.todo).toMatch(/correct/i)
    }
  })

  it('say that nobody would get a mail where it is neither sent nor shown', async () => {
    const { by } = await examined({ HOST: '0.0.0.0', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
    expect(by.mail).toMatchObject({ state: 'failed', todo: 'Set SMTP_URL.' })
  })

  it('say what is wrong with the configuration first', async () => {
    const { code, by } = await examined({ WORKERS: '4' })
    expect([code, Object.keys(by)]).toEqual([1, ['configuration']])
  })
})
