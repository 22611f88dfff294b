// Real hosts: git's own http-backend with and without credentials, and an sshd with a deploy key.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createSocket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerAsGit } from '../helpers/git_host.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, newRepository, said, settled, write } from '../helpers/repositories.ts'

let p: TestPlatform
let owner: TestCaller
let root: string
let path: string
const lines: string[] = []
const token = 'tok_5d41402abc4b2a76b9719d911017c592'

/** What git's own server answers, behind a password for what is below `/private`. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  asked.push(`${request.method} ${url.pathname}${url.search}`)
  if (url.pathname.startsWith('/moved')) {
    response.writeHead(302, { location: `/open${url.pathname.slice(6)}${url.search}` }).end()
    return
  }
  if (url.pathname.startsWith('/slow')) return
  const [, user, password] =
    /^(.*?):(.*)$/.exec(
      Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString(),
    ) ?? []
  if (url.pathname.startsWith('/private') && password !== token) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="code"' }).end('no')
    return
  }
  seen.push({ user, password })
  answerAsGit(root, url.pathname.replace(/^\/(open|private)/, ''), request, response)
}

const asked: string[] = []
const seen: { user?: string | undefined; password?: string | undefined }[] = []
let server: Server
let base: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'atrium-hosts-'))
  path = newRepository(join(root, 'code'))
  write(path, { 'a.txt': 'one\n' })
  commit(path, 'Begin')
  server = createServer(serve).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  p = await platform({ env: { OUTBOUND_ALLOW: '127.0.0.1' }, logTo: line => lines.push(line) })
  owner = await p.user()
}, 60_000)
afterAll(async () => {
  await p.close()
  server.close()
  server.closeAllConnections()
  rmSync(root, { recursive: true, force: true })
})

const post = async (fields: object) => {
  const { workspaceId } = owner
  const given = { workspaceId, syncIntervalMinutes: null, ...fields }
  const { result, status } = await p.call('repositories.post', given, owner)
  expect(status).toBe(201)
  return await settled(p, owner, result.id)
}
const read = async (id: string, at: string) =>
  (await p.call('repositories.contents', { workspaceId: owner.workspaceId, id, path: at }, owner)).result?.text

describe('over http', () => {
  it('clones and fetches without credentials, and asks once where nothing has changed', async () => {
    const found = await post({ url: `${base}/open/code/.git` })
    expect(found).toMatchObject({ status: 'ready', headSha: said(path, 'rev-parse', 'HEAD') })
    expect(await read(found.id, 'a.txt')).toBe('one\n')
    asked.length = 0
    await settled(p, owner, found.id)
    expect(asked.map(line => line.split('?')[0])).toEqual([
      'GET /open/code/.git/info/refs',
      'POST /open/code/.git/git-upload-pack',
    ])
    write(path, { 'a.txt': 'two\n' })
    const next = commit(path, 'Go on')
    expect(await settled(p, owner, found.id)).toMatchObject({ status: 'ready', headSha: next })
    expect(await read(found.id, 'a.txt')).toBe('two\n')
  })

  it('is refused without credentials or with wrong ones: a status, no failure of the call', async () => {
    for (const credentials of [undefined, { token: 'wrong' }]) {
      const url = `${base}/private/code/.git${credentials ? '/' : ''}`
      const found = await post({ url, ...(credentials && { credentials }) })
      expect(found).toMatchObject({ status: 'error', error: { code: 'auth' }, headSha: null })
      await p.call('repositories.del', { workspaceId: owner.workspaceId, id: found.id }, owner)
    }
  })

  it('sends the token to the host, and leaves it nowhere else', async () => {
    const url = `${base}/private/code/.git`
    const found = await post({ url, credentials: { username: 'ada', token } })
    expect(found).toMatchObject({ status: 'ready', secretsSet: ['token', 'username'] })
    expect(seen).toContainEqual({ user: 'ada', password: token })
    const mirror = join(p.config.DATA_DIR, 'repositories', found.id)
    const texts = readdirSync(mirror, { recursive: true, withFileTypes: true }).flatMap(entry =>
      entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [],
    )
    expect(texts.filter(text => text.includes(token) || text.includes('127.0.0.1'))).toEqual([])
    expect(lines.filter(line => line.includes(token))).toEqual([])
    // A token that no longer works is told without it.
    server.removeAllListeners('request')
    server.on('request', (_, response) => response.writeHead(403).end(`denied ${token}`))
    const after = await settled(p, owner, found.id)
    server.removeAllListeners('request')
    server.on('request', serve)
    expect(after).toMatchObject({ status: 'error', error: { code: 'auth' } })
    expect(JSON.stringify(after)).not.toContain(token)
  })

  it('follows no redirect', async () => {
    expect(await post({ url: `${base}/moved/code/.git` })).toMatchObject({
      status: 'error',
      error: { code: 'address' },
    })
  })

  it('waits for one slow host of a workspace at a time, and other workspaces do not wait', async () => {
    const other = await p.user()
    const { workspaceId } = other
    asked.length = 0
    const ids: string[] = []
    for (const n of [1, 2, 3, 4, 5]) {
      const fields = { workspaceId, url: `${base}/slow/${n}`, syncIntervalMinutes: null }
      ids.push((await p.call('repositories.post', fields, other)).result.id)
    }
    const slow = () => asked.filter(line => line.includes('/slow/'))
    await expect.poll(slow, { timeout: 10_000 }).toHaveLength(1)
    const fields = { workspaceId: owner.workspaceId, url: `${base}/open/code`, syncIntervalMinutes: null }
    const { result } = await p.call('repositories.post', fields, owner)
    const status = async () =>
      (await p.call('repositories.get', { workspaceId: owner.workspaceId, id: result.id }, owner)).result.status
    await expect.poll(status, { timeout: 20_000 }).toBe('ready')
    expect(slow()).toHaveLength(1)
    for (const id of ids) await p.call('repositories.del', { workspaceId, id }, other)
    server.closeAllConnections()
  }, 60_000)

  it('tells of a repository that is not there, and of a host that is not', async () => {
    expect(await post({ url: `${base}/open/nothing` })).toMatchObject({ status: 'error', error: { code: 'not_found' } })
    expect(await post({ url: 'http://127.0.0.1:1/code' })).toMatchObject({ error: { code: 'unreachable' } })
    expect(await post({ url: 'https://code.invalid/code' })).toMatchObject({ error: { code: 'unreachable' } })
  })
})

const keygen = ['/usr/bin/ssh-keygen', '/usr/local/bin/ssh-keygen'].find(existsSync) ?? 'ssh-keygen'

/** `.ci/run` installs it; where it is not, these tests fail rather than say nothing. */
const sshd = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find(existsSync) ?? 'sshd'

describe('over ssh', () => {
  let folder: string
  let port: number
  let running: ChildProcess
  let deployKey: string

  function newKey(name: string): string {
    execFileSync(keygen, ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, name)])
    return readFileSync(join(folder, name), 'utf8')
  }

  async function start(hostKey: string): Promise<void> {
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(folder, hostKey)}`,
      `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
      `PidFile ${join(folder, 'pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin yes',
      'LogLevel VERBOSE',
    ]
    writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`)
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
    running = spawn(sshd, ['-D', '-e', '-f', join(folder, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    await new Promise<void>((resolve, reject) => {
      running.stderr?.on('data', piece => {
        said += piece
        if (said.includes('Server listening')) resolve()
      })
      running.once('error', reject)
      running.once('exit', code => reject(new Error(`sshd ended with ${code}: ${said}`)))
    })
  }

  async function stop(): Promise<void> {
    const ended = new Promise(resolve => running.once('exit', resolve))
    running.kill()
    await ended
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-sshd-'))
    const socket = createSocket().listen(0, '127.0.0.1')
    await new Promise(resolve => socket.once('listening', resolve))
    port = (socket.address() as AddressInfo).port
    await new Promise(resolve => socket.close(resolve))
    newKey('host')
    newKey('other_host')
    deployKey = newKey('deploy')
    newKey('stranger')
    writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'deploy.pub')), { mode: 0o600 })
    await start('host')
  }, 60_000)
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A fix of the only line as a branch of its own; the commit that it stands on. */
  async function pushed(repositoryId: string): Promise<string> {
    const { workspaceId } = owner
    const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+four\n'
    const { result } = await p.call('autofixes.post', { workspaceId, repositoryId, title: 'Count on', patch }, owner)
    await p.call('autofixes.approve', { workspaceId, id: result.id }, owner)
    const applied = await p.call('autofixes.apply', { workspaceId, id: result.id, target: 'push' }, owner)
    expect(said(path, 'rev-parse', `autofix/${result.id}`)).toBe(applied.result?.commitSha)
    const parent = said(path, 'rev-parse', `autofix/${result.id}~1`)
    // What follows sees the refs as they were.
    git(path, ['branch', '--quiet', '-D', `autofix/${result.id}`])
    return parent
  }

  it('clones and pushes with a deploy key, keeps the first host key, and refuses another until it is forgotten', async () => {
    const url = `ssh://${userInfo().username}@127.0.0.1:${port}${path}`
    const found = await post({ url, credentials: { privateKey: deployKey } })
    expect(found).toMatchObject({
      status: 'ready',
      secretsSet: ['privateKey'],
      headSha: said(path, 'rev-parse', 'HEAD'),
    })
    const fingerprint = execFileSync(keygen, ['-lf', join(folder, 'host.pub')], { encoding: 'utf8' }).split(' ')[1]
    expect(found.hostKey).toBe(`ssh-ed25519 ${fingerprint}`)
    write(path, { 'a.txt': 'three\n' })
    const next = commit(path, 'Over ssh')
    expect(await settled(p, owner, found.id)).toMatchObject({ status: 'ready', headSha: next })
    expect(await pushed(found.id)).toBe(next)
    await stop()
    await start('other_host')
    expect(await settled(p, owner, found.id)).toMatchObject({ status: 'error', error: { code: 'host_key' } })
    const { workspaceId } = owner
    await p.call('repositories.patch', { workspaceId, id: found.id, hostKey: null }, owner)
    const again = await settled(p, owner, found.id)
    expect(again).toMatchObject({ status: 'ready' })
    expect(again.hostKey).not.toBe(found.hostKey)
  }, 60_000)

  it('is refused with a key that the host does not know, and without one', async () => {
    const address = (more: string) => `ssh://${userInfo().username}@127.0.0.1:${port}${path}${more}`
    const stranger = readFileSync(join(folder, 'stranger'), 'utf8')
    for (const credentials of [{ privateKey: stranger }, {}]) {
      const found = await post({ url: address('/.git'), credentials })
      expect(found).toMatchObject({ status: 'error', error: { code: 'auth' } })
      expect(JSON.stringify(found)).not.toContain('PRIVATE KEY')
      await p.call('repositories.del', { workspaceId: owner.workspaceId, id: found.id }, owner)
    }
    expect(lines.filter(line => line.includes(deployKey.split('\n')[1] as string))).toEqual([])
    expect(git(path, ['status', '--porcelain']).toString()).toBe('')
  }, 60_000)
})
