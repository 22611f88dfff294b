// What strangers send to get at other hosts, other files or a shell: all of it is refused, and nothing runs.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readGitUrl } from '../../src/kit/git_urls.ts'
import { runGit } from '../../src/server/work/git/child.ts'
import { bareEnvironment, settingsOf, writeGitFiles } from '../../src/server/work/git/environment.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, settled, write } from '../helpers/repositories.ts'

let p: TestPlatform
let owner: TestCaller
let id: string
let scratch: string
/** Made by whatever runs that must not. */
let marker: string

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'atrium-hostile-'))
  marker = join(scratch, 'ran')
  p = await platform({ env: { RATE_LIMIT: '1000000', OUTBOUND_ALLOW: '' } })
  owner = await p.user()
  id = await mirrored(p, owner, 'small')
}, 60_000)
afterAll(async () => {
  await p.close()
  rmSync(scratch, { recursive: true, force: true })
})

const { fromEntries } = Object
const call = (what: string, input: object) =>
  p.call(`repositories.${what}`, { workspaceId: owner.workspaceId, ...fromEntries(Object.entries(input)) }, owner)

const addresses = [
  'ext::sh -c "touch /tmp/ran"',
  'ext::sh%20-c%20id',
  'fd::17/foo',
  'file:///etc/passwd',
  'file://localhost/etc',
  'git://git.example.com/code.git',
  'ftp://git.example.com/code.git',
  'ftps://git.example.com/code.git',
  'http://git.example.com/code.git',
  'gopher://git.example.com/1',
  'javascript:alert(1)',
  'data:text/plain,hi',
  '/etc/passwd',
  './code',
  '../code',
  'code',
  '-upload-pack=touch /tmp/ran',
  '--upload-pack=touch',
  'ssh://-oProxyCommand=touch/code',
  'ssh://-oProxyCommand=touch%20x/code',
  'ssh://git@-oProxyCommand=id/code',
  'ssh://-git@git.example.com/code',
  '-oProxyCommand=id:code',
  'git@-oProxyCommand=id:code',
  'git@git.example.com:-x',
  'ssh://git.example.com/-x',
  'ssh://git:password@git.example.com/code',
  'https://user:password@git.example.com/code',
  'https://token@git.example.com/code',
  'https://git.example.com',
  'https://git.example.com/',
  'https://git.example.com/code?x=1',
  'https://git.example.com/code#x',
  'https://git.example.com/a b',
  'https://git.example.com/a\nHost: other',
  'https://git.example.com\\@127.0.0.1/code',
  'https:///code',
  'https://127.0.0.1/code',
  'https://127.1/code',
  'https://2130706433/code',
  'https://0x7f000001/code',
  'https://0177.0.0.1/code',
  'https://localhost/code',
  'https://localhost./code',
  'https://[::1]/code',
  'https://[::ffff:127.0.0.1]/code',
  'https://[::ffff:7f00:1]/code',
  'https://[fe80::1]/code',
  'https://[fd00::1]/code',
  'https://10.0.0.1/code',
  'https://172.16.0.1/code',
  'https://192.168.1.1/code',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/code',
  'https://0.0.0.0/code',
  'https://224.0.0.1/code',
  'https://[64:ff9b::7f00:1]/code',
  'ssh://git@127.0.0.1/code',
  'ssh://git@[::1]:22/code',
  'ssh://git@2130706433/code',
  'ssh://git@0x7f.1/code',
  'git@localhost:code',
  'git@127.0.0.1:code',
  'git@[::1]:code',
]

describe('an address', () => {
  it.each(addresses)('%j is refused', async url => {
    const { status, error } = await call('post', { url, enabled: false })
    expect([status, error.metadata.issues[0].path]).toEqual([400, 'url'])
  })

  it.each([
    '../../etc',
    '/etc',
    'small/../../..',
    'nothing',
    'small/README.md',
    'escape',
    'escape/passwd',
    '.',
    '',
    'a\nb',
  ])('of a directory, %j is refused where it leads elsewhere', async url => {
    const link = join(repositoriesIn(), 'escape')
    if (!existsSync(link)) symlinkSync('/etc', link)
    expect((await call('post', { url, provider: 'local', enabled: false })).status).toBe(400)
  })

  it('that is good is read as what it is', () => {
    const read = (text: string) => readGitUrl(text)
    expect(read('https://GIT.example.com:443/Team/code.git')).toMatchObject({
      text: 'https://git.example.com/Team/code.git',
      port: 443,
    })
    expect(read('git@Git.example.com:Team/code.git')).toEqual({
      protocol: 'ssh',
      host: 'git.example.com',
      port: 22,
      text: 'git@git.example.com:Team/code.git',
    })
    expect(read('ssh://git@git.example.com:2222/code')).toMatchObject({ port: 2222 })
    expect(read('https://[2001:db8::1]:8443/code')).toMatchObject({ host: '2001:db8::1', port: 8443 })
  })
})

const odd = [
  '--help',
  '-h',
  '--upload-pack=id',
  '--output=/tmp/ran',
  '-',
  '--',
  '@',
  'HEAD',
  '@{-1}',
  'main^',
  'main..x',
]
const oddRefs = [
  ...odd,
  'main:README.md',
  '^main',
  ':/Begin',
  'refs/../config',
  '../../etc/passwd',
  'a b',
  '$(id)',
  '`id`',
  '*',
]

describe('a reading', () => {
  it.each(oddRefs)('at %j finds nothing', async ref => {
    for (const what of ['contents', 'tree', 'commits', 'blame', 'owners']) {
      expect((await call(what, { id, ref, path: 'README.md' })).status, what).toBe(404)
    }
    expect((await call('diff', { id, base: ref })).status).toBe(404)
    expect((await call('grep', { id, ref, q: 'TODO' })).status).toBe(404)
  })

  it.each([
    '..',
    '../..',
    'src/../README.md',
    './README.md',
    '/etc/passwd',
    '.git/config',
    '--help',
    ':(top)README.md',
    ':/README.md',
    'README.md\\x00',
    '$(id)',
    'src//main.ts',
    'README.md/x',
  ])('of %j finds nothing', async path => {
    for (const what of ['contents', 'blame']) expect((await call(what, { id, path })).status, what).toBe(404)
    const history = await call('commits', { id, path })
    if (/(^|\/)\.{0,2}(\/|$)/.test(path.replace(/^\//, ''))) expect(history.status).toBe(404)
    else expect(history.result.commits).toEqual([])
  })

  it.each([
    ['--open-files-in-pager=touch', '*'],
    ['-O', '*'],
    ['TODO', '--help'],
    ['TODO', ':(attr:x)*'],
    ['TODO', ':!README.md'],
    ['TODO', '$(touch x)'],
  ])('for %j in %j runs nothing', async (q, glob) => {
    expect((await call('grep', { id, q, glob })).result).toMatchObject({ hits: [] })
    expect((await call('grep', { id, q: 'TODO', glob: '../*' })).status).toBe(400)
  })

  it('of what another workspace has is the same as of nothing', async () => {
    const other = await p.user()
    for (const what of ['contents', 'tree', 'commits', 'diff', 'refs', 'owners', 'get']) {
      const input = { workspaceId: other.workspaceId, id, path: 'README.md' }
      const foreign = await p.call(`repositories.${what}`, input, other)
      const absent = await p.call(`repositories.${what}`, { ...input, id: `repo_${'0'.repeat(24)}` }, other)
      expect([foreign.status, foreign.error.detail], what).toEqual([404, absent.error.detail])
    }
  })
})

const isRun = () => existsSync(marker)
const program = () => {
  const file = join(scratch, 'program')
  writeFileSync(file, `#!/bin/sh\ntouch ${marker}\ncat\n`, { mode: 0o755 })
  return file
}

describe('what a repository brings along', () => {
  it('runs nothing: neither its configuration nor its attributes, hooks or submodules', async () => {
    const url = `evil-${process.pid}`
    const path = newRepository(join(repositoriesIn(), url))
    const run = program()
    write(path, {
      '.gitattributes': '* filter=evil diff=evil merge=evil\n*.bin filter=lfs diff=lfs\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::${run}\n\tupdate = !${run}\n`,
      '.gitconfig': `[core]\n\tfsmonitor = ${run}\n`,
      'a.txt': 'one\n',
      'b.bin': new Uint8Array([0, 1]),
    })
    commit(path, 'Begin')
    write(path, { 'a.txt': 'two\n', 'b.bin': new Uint8Array([0, 2]) })
    commit(path, 'Go on')
    for (const [name, value] of [
      ['core.fsmonitor', run],
      ['core.sshCommand', run],
      ['core.pager', run],
      ['core.hooksPath', join(path, 'hooks')],
      ['core.alternateRefsCommand', run],
      ['uploadpack.packObjectsHook', run],
      ['diff.external', run],
      ['diff.evil.command', run],
      ['diff.evil.textconv', run],
      ['filter.evil.smudge', run],
      ['filter.evil.clean', run],
      ['credential.helper', run],
      ['protocol.ext.allow', 'always'],
    ]) {
      git(path, ['config', name as string, value as string])
    }
    const hooks = [
      'post-checkout',
      'post-update',
      'pre-receive',
      'reference-transaction',
      'update',
      'post-index-change',
    ]
    mkdirSync(join(path, 'hooks'))
    for (const hook of hooks) writeFileSync(join(path, 'hooks', hook), readFileSync(run), { mode: 0o755 })
    rmSync(marker, { force: true })
    const evil = await mirrored(p, owner, url)
    // Also where somebody has put hooks into the mirror itself.
    const mirror = join(p.config.DATA_DIR, 'repositories', evil)
    mkdirSync(join(mirror, 'hooks'), { recursive: true })
    for (const hook of hooks) writeFileSync(join(mirror, 'hooks', hook), readFileSync(run), { mode: 0o755 })
    write(path, { 'c.txt': 'three\n' })
    git(path, ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', 'add', 'c.txt'])
    git(path, ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'More'])
    rmSync(marker, { force: true })
    expect(await settled(p, owner, evil)).toMatchObject({ status: 'ready' })
    for (const [what, input] of [
      ['contents', { path: 'a.txt' }],
      ['blame', { path: 'a.txt' }],
      ['diff', { format: 'unified' }],
      ['diff', { base: 'main', head: 'main' }],
      ['commits', { path: 'a.txt' }],
      ['grep', { q: 'three' }],
    ] as const) {
      expect((await call(what, { id: evil, ...input })).status, what).toBe(200)
    }
    expect(isRun()).toBe(false)
    expect(readdirSync(mirror).sort()).toEqual(expect.not.arrayContaining(['index', 'modules', 'lfs']))
  })

  it('is bounded: a small object that becomes a large one is not read', async () => {
    const url = `bomb-${process.pid}`
    const path = newRepository(join(repositoriesIn(), url))
    write(path, { 'zeros.txt': Buffer.alloc(64 * 1024 * 1024, '0'), 'line.txt': `${'x'.repeat(900_000)} needle\n` })
    commit(path, 'Begin')
    const bomb = await mirrored(p, owner, url)
    expect((await call('contents', { id: bomb, path: 'zeros.txt' })).status).toBe(413)
    expect((await call('contents', { id: bomb, path: 'zeros.txt', lines: '1' })).status).toBe(413)
    expect((await call('blame', { id: bomb, path: 'zeros.txt' })).status).toBe(413)
    const { result } = await call('grep', { id: bomb, q: 'needle' })
    expect(result.hits[0].text).toHaveLength(500)
    const { result: diff } = await call('diff', { id: bomb, path: 'zeros.txt' })
    expect(diff.files).toMatchObject([{ path: 'zeros.txt', isBinary: true }])
  }, 60_000)

  it('is not mirrored where it is larger than the operator allows', async () => {
    const small = await platform({ env: { REPOSITORY_MAX_MIB: '1' } })
    const caller = await small.user()
    const url = `large-${process.pid}`
    const path = newRepository(join(repositoriesIn(), url))
    const { randomBytes } = await import('node:crypto')
    write(path, { 'random.bin': randomBytes(3 * 1024 * 1024) })
    commit(path, 'Begin')
    const large = await mirrored(small, caller, url)
    const { result } = await small.call('repositories.get', { workspaceId: caller.workspaceId, id: large }, caller)
    expect(result).toMatchObject({ status: 'error', error: { code: 'too_large' }, headSha: null })
    const packs = readdirSync(join(small.config.DATA_DIR, 'repositories', large, 'objects/pack'))
    expect(packs.filter(name => name.startsWith('tmp_'))).toEqual([])
    await small.close()
  }, 60_000)
})

describe('git', () => {
  const files = () => writeGitFiles(join(scratch, 'git'), { OUTBOUND_CA: undefined })
  const run = (args: string[], more = {}, signal = new AbortController().signal) =>
    runGit(args, { environment: { ...bareEnvironment(files()), ...more }, signal, timeoutMs: 5_000 })

  it('uses no transport but the one that a command names', async () => {
    for (const url of ['ext::sh -c id', 'file:///tmp', 'https://git.example.com/x', 'git@git.example.com:x', '/tmp']) {
      await expect(run(['ls-remote', url]), url).rejects.toThrow(/not allowed/)
    }
  })

  it('goes to the address that was checked, whatever a name means by then', async () => {
    const heard: string[] = []
    const server = createServer((request, response) => {
      heard.push(`${request.headers.host}${request.url}`)
      response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const pinned = settingsOf({
      'protocol.http.allow': 'always',
      'http.curloptResolve': `code.invalid:${port}:127.0.0.1`,
    })
    const asked = run(['ls-remote', `http://code.invalid:${port}/x`], { GIT_ALLOW_PROTOCOL: 'http', ...pinned })
    await expect(asked).rejects.toThrow(/not found/)
    server.close()
    expect(heard[0]).toBe(`code.invalid:${port}/x/info/refs?service=git-upload-pack`)
  })

  it('knows nothing of the environment of the service', async () => {
    process.env.GIT_TRACE = join(scratch, 'trace')
    process.env.GIT_SSH_COMMAND = program()
    await run(['--version'])
    delete process.env.GIT_TRACE
    delete process.env.GIT_SSH_COMMAND
    expect(existsSync(join(scratch, 'trace'))).toBe(false)
    const all = (await run(['config', '--list', '--show-origin'])).toString().split('\n').filter(Boolean)
    expect(all.every(line => line.startsWith(`file:${join(scratch, 'git')}`))).toBe(true)
  })

  it('ends with everything that it has started, when nobody waits or its time is over', async () => {
    const mark = `atrium-${process.pid}-waits`
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const allowed = { GIT_ALLOW_PROTOCOL: 'http', ...settingsOf({ 'protocol.http.allow': 'always' }) }
    const gone = new AbortController()
    const asked = run(['ls-remote', `http://127.0.0.1:${port}/${mark}`], allowed, gone.signal)
    const processes = () =>
      readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .filter(pid => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark)
          } catch {
            return false
          }
        })
    await expect.poll(() => processes().length, { timeout: 5_000 }).toBeGreaterThan(1)
    gone.abort()
    await expect(asked).rejects.toMatchObject({ fault: 'aborted' })
    await expect.poll(() => processes(), { timeout: 5_000 }).toEqual([])
    server.close()
    server.closeAllConnections()
    chmodSync(scratch, 0o700)
  })
})
