// Where logins are stored: in the keyring where there is one, else in the file.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { memoryKeyring } from '../../test/helpers/keyring.ts'
import { platform, type TestCaller, type TestPlatform } from '../../test/helpers/platform.ts'
import { commandLine, failureIn, listen } from '../../test/helpers/terminal.ts'
import { busAnswers, type Keyring, systemKeyring } from './keyring.ts'

let running: TestPlatform
let baseUrl: string
let owner: TestCaller

beforeAll(async () => {
  running = await platform()
  baseUrl = await listen(running)
  owner = await running.user('ada@example.com')
})
afterAll(() => running.close())

async function line(keyring?: Keyring, folderOf?: { folder: string }) {
  const made = await commandLine(baseUrl, undefined, keyring)
  onTestFinished(made.remove)
  const file = join(folderOf?.folder ?? made.folder, 'credentials.json')
  const env = { ATRIUM_CONFIG_DIR: folderOf?.folder ?? made.folder }
  const atrium: typeof made.atrium = (words, options) =>
    made.atrium(words, { ...options, env: { ...env, ...options?.env } })
  return { atrium, folder: made.folder, inFile: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''), file }
}

const who = async ({ atrium }: Awaited<ReturnType<typeof line>>) => JSON.parse((await atrium('whoami')).stdout)

describe('a login with a keyring', () => {
  it('is kept in it, and the file has nothing secret', async () => {
    const { keyring, entries } = memoryKeyring()
    const made = await line(keyring)
    const key = await running.key(owner)
    expect((await made.atrium('login --api-key -', { stdin: key.token })).code).toBe(0)
    expect(entries.get('default')).toContain(key.token)
    expect(JSON.parse(made.inFile())).toEqual({ default: { kind: 'api_key', baseUrl, inKeyring: true } })
    expect(await who(made)).toMatchObject({ source: 'profile default (keyring)', credential: 'api_key' })
    expect(JSON.parse((await made.atrium('profile list')).stdout).items[0].login).toBe('api_key')
    const given = await made.atrium('whoami', { env: { ATRIUM_TOKEN: owner.token } })
    expect(JSON.parse(given.stdout).source).toBe('environment')
  })

  it('leaves both with logout, and with its profile', async () => {
    const { keyring, entries } = memoryKeyring()
    const made = await line(keyring)
    const session = await running.session(owner.userId)
    await made.atrium('login --token -', { stdin: session.token })
    expect((await made.atrium('logout')).code).toBe(0)
    expect([entries.size, JSON.parse(made.inFile())]).toEqual([0, {}])
    expect((await running.call('auth.whoami', {}, session)).status).toBe(401)
    expect((await made.atrium('whoami')).code).toBe(4)
    await made.atrium('login --token - --profile second', { stdin: owner.token })
    expect([...entries.keys()]).toEqual(['second'])
    await made.atrium('profile remove second')
    expect([entries.size, JSON.parse(made.inFile())]).toEqual([0, {}])
  })

  it('from before, in the file, goes on and moves with the next login', async () => {
    const old = await line()
    await old.atrium('login --token -', { stdin: owner.token })
    const { keyring, entries } = memoryKeyring()
    const made = await line(keyring, old)
    expect(await who(made)).toMatchObject({ id: owner.userId, source: 'profile default' })
    expect(entries.size).toBe(0)
    await made.atrium('login --token -', { stdin: owner.token })
    expect(entries.size).toBe(1)
    expect(made.inFile()).not.toContain(owner.token)
  })

  it('is in the file where the keyring refuses it', async () => {
    const { keyring } = memoryKeyring()
    const refuse = () => Promise.reject(new Error('locked'))
    const made = await line({ ...keyring, set: refuse })
    const ran = await made.atrium('login --token -', { stdin: owner.token })
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/^Logged in [^\n]+\n$/)])
    expect(made.inFile()).toContain(owner.token)
    expect((await who(made)).id).toBe(owner.userId)
  })

  it('says what to do where it cannot be read any more', async () => {
    const { keyring, entries } = memoryKeyring()
    const made = await line(keyring)
    await made.atrium('login --token -', { stdin: owner.token })
    const off = { env: { ATRIUM_KEYRING: 'off' } }
    expect(failureIn(await made.atrium('whoami', off))).toMatchObject({
      code: 4,
      next: expect.stringContaining('Unlock it'),
    })
    const elsewhere = JSON.parse(entries.get('default') ?? '')
    entries.set('default', JSON.stringify({ ...elsewhere, baseUrl: 'https://elsewhere.example.com' }))
    expect(failureIn(await made.atrium('whoami'))).toMatchObject({ code: 4, next: 'Run: atrium login' })
    await made.atrium('login --token -', { stdin: owner.token })
    expect((await who(made)).id).toBe(owner.userId)
  })

  it('is not asked for by help and completion', async () => {
    const { keyring } = memoryKeyring()
    const made = await line(keyring)
    await made.atrium('login --token -', { stdin: owner.token })
    let touches = 0
    const touched = async () => {
      touches++
      return null
    }
    const set = async () => void touches++
    const other = await line({ get: touched, set, remove: set }, made)
    const quiet = ['--version', '--help', 'api_keys list --help', 'completion bash', '__complete -- workspaces get ']
    for (const words of quiet) expect((await other.atrium(words)).code).toBe(0)
    expect(touches).toBe(0)
  })
})

describe('a login without a keyring', () => {
  it.each([
    ['there is none', undefined, {}],
    ['it is turned off', memoryKeyring().keyring, { ATRIUM_KEYRING: 'off' }],
  ])('is in the file where %s', async (_, keyring, env) => {
    const made = await line(keyring)
    const ran = await made.atrium('login --token -', { stdin: owner.token, env })
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/^Logged in [^\n]+\n$/)])
    expect(JSON.parse(made.inFile()).default.secret).toBe(owner.token)
    expect((await who(made)).source).toBe('profile default')
  })
})

describe('the bus of the session', () => {
  async function bus(answer: (socket: Socket) => void): Promise<{ DBUS_SESSION_BUS_ADDRESS: string }> {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-bus-'))
    const server = createServer(answer).listen(join(folder, 'bus'))
    onTestFinished(() => {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    await new Promise(ready => server.once('listening', ready))
    return { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')},guid=0` }
  }

  it('is missed where it is not there or says nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-bus-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'bus'), '')
    expect(await busAnswers({})).toBe(false)
    expect(await busAnswers({ XDG_RUNTIME_DIR: folder })).toBe(false)
    expect(await busAnswers({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })).toBe(false)
    expect(await busAnswers({ DBUS_SESSION_BUS_ADDRESS: 'autolaunch:' })).toBe(false)
    expect(await busAnswers(await bus(() => {}))).toBe(false)
    expect(await busAnswers(await bus(socket => socket.end()))).toBe(false)
  })

  it('is found where it answers', async () => {
    expect(await busAnswers(await bus(socket => socket.write('REJECTED EXTERNAL\r\n')))).toBe(true)
  })

  it.runIf(process.platform === 'linux')('is needed for the keyring', async () => {
    expect(await systemKeyring({})).toBe(undefined)
  })
})
