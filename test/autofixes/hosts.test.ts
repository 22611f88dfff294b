// Autofixes to real hosts: branches pushed to git's own http-backend, and pull requests by REST as three forges speak it.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { answerAsGit } from '../helpers/git_host.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, newRepository, said, settled, write } from '../helpers/repositories.ts'

const token = 'tok_5d41402abc4b2a76b9719d911017c592'
const readOnly = 'tok_read_only_0000000000000000000000'
let p: TestPlatform
let owner: TestCaller
let root: string
let path: string
let server: Server
let base: string
let asked: { line: string; body: Record<string, unknown>; headers: IncomingMessage['headers'] }[] = []
/** What the forge has: by branch. */
const pulls = new Map<string, Record<string, unknown>>()
let refuses: number | null = null

function passwordIn({ headers }: IncomingMessage): string | undefined {
  const basic = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
  return /^.*?:(.*)$/.exec(basic)?.[1]
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname.startsWith('/api/')) return void forge(request, response, url)
  const password = passwordIn(request)
  if (password !== token && password !== readOnly) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="code"' }).end()
    return
  }
  const isPush = url.searchParams.get('service') === 'git-receive-pack' || url.pathname.endsWith('git-receive-pack')
  if (isPush && password === readOnly) response.writeHead(403).end('denied')
  else answerAsGit(root, url.pathname.replace('/team', ''), request, response)
}

const forms = {
  '/api/v3/repos/team/code/pulls': {
    auth: ['authorization', `Bearer ${token}`],
    head: 'head',
    base: 'base',
    address: 'html_url',
    taken: 422,
  },
  '/api/v1/repos/team/code/pulls': {
    auth: ['authorization', `token ${token}`],
    head: 'head',
    base: 'base',
    address: 'html_url',
    taken: 409,
  },
  '/api/v4/projects/team%2Fcode/merge_requests': {
    auth: ['private-token', token],
    head: 'source_branch',
    base: 'target_branch',
    address: 'web_url',
    taken: 409,
  },
} as Record<string, { auth: [string, string]; head: string; base: string; address: string; taken: number }>

/** Strict: another path, credential or field is refused, as the real ones do. */
async function forge(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  let text = ''
  for await (const part of request) text += part
  const body = text ? JSON.parse(text) : {}
  asked.push({ line: `${request.method} ${url.pathname}${url.search}`, body, headers: request.headers })
  const send = (status: number, said: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  const form = forms[url.pathname]
  if (!form) return void send(404, { message: 'Not Found' })
  if (request.headers[form.auth[0]] !== form.auth[1]) return void send(401, { message: 'Bad credentials' })
  if (refuses !== null) return void send(refuses, { message: 'Not for you' })
  if (request.method === 'GET') return void send(200, [...pulls.values()])
  const branch = String(body[form.head])
  if (body[form.base] !== 'main' || !body.title) return void send(400, { message: 'Fields are missing' })
  if (said(path, 'branch', '--list', branch) === '') return void send(form.taken, { message: 'No such branch' })
  if (pulls.has(branch)) return void send(form.taken, { message: 'A pull request already exists' })
  const made = {
    [form.address]: `${base}/team/code/pulls/${pulls.size + 1}`,
    head: { ref: branch },
    source_branch: branch,
  }
  pulls.set(branch, made)
  send(201, made)
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'atrium-forge-'))
  path = newRepository(join(root, 'code'))
  write(path, { 'a.txt': 'one\ntwo\nthree\n' })
  commit(path, 'Begin')
  git(path, ['config', 'http.receivepack', 'true'])
  server = createServer(serve).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  p = await platform({ env: { OUTBOUND_ALLOW: '127.0.0.1' } })
}, 60_000)
beforeEach(async () => {
  // A workspace each: an address can be added once.
  owner = await p.user()
  asked = []
  refuses = null
})
afterAll(async () => {
  await p.close()
  server.close()
  server.closeAllConnections()
  rmSync(root, { recursive: true, force: true })
})

let count = 0

async function approved(fields: object): Promise<{ id: string; repositoryId: string }> {
  const { workspaceId } = owner
  const given = { workspaceId, syncIntervalMinutes: null, url: `${base}/team/code/.git`, ...fields }
  const { result: repository } = await p.call('repositories.post', given, owner)
  expect(await settled(p, owner, repository.id)).toMatchObject({ status: 'ready' })
  const patch = `--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+two ${count++}\n three\n`
  const text = { title: 'Change the second line', description: 'It was wrong.', patch }
  const { result, status } = await p.call(
    'autofixes.post',
    { workspaceId, repositoryId: repository.id, ...text },
    owner,
  )
  expect(status).toBe(201)
  await p.call('autofixes.approve', { workspaceId, id: result.id }, owner)
  return { id: result.id, repositoryId: repository.id }
}
const apply = (id: string, target: string) =>
  p.call('autofixes.apply', { workspaceId: owner.workspaceId, id, target }, owner)

it('pushes one new branch, once, and never another', async () => {
  const { id } = await approved({ credentials: { token } })
  const main = said(path, 'rev-parse', 'main')
  const { status, result } = await apply(id, 'push')
  expect([status, result.status, typeof result.pushedAt]).toEqual([200, 'applied', 'string'])
  expect(said(path, 'rev-parse', `refs/heads/autofix/${id}`)).toBe(result.commitSha)
  expect(said(path, 'rev-parse', `refs/heads/autofix/${id}~1`)).toBe(main)
  expect(said(path, 'rev-parse', 'main')).toBe(main)
  expect((await apply(id, 'push')).status).toBe(409)
})

it('takes what an earlier try pushed, and leaves what somebody else has under that name', async () => {
  const one = await approved({ credentials: { token } })
  const [first, second] = await Promise.all([apply(one.id, 'push'), apply(one.id, 'push')])
  expect([first.status, second.status].sort()).toEqual([200, 409])
  const other = await approved({ url: `${base}/team/code/.git/`, credentials: { token } })
  git(path, ['branch', `autofix/${other.id}`, 'main'])
  expect((await apply(other.id, 'push')).status).toBe(409)
  expect(said(path, 'rev-parse', `autofix/${other.id}`)).toBe(said(path, 'rev-parse', 'main'))
  expect((await p.call('autofixes.get', { workspaceId: owner.workspaceId, id: other.id }, owner)).result.status).toBe(
    'approved',
  )
})

it('pushes a commit that was kept here first, also when its mirror was lost', async () => {
  const { id, repositoryId } = await approved({ credentials: { token } })
  const { result } = await apply(id, 'branch')
  rmSync(join(p.config.DATA_DIR, 'repositories', repositoryId), { recursive: true })
  const { status, result: pushed } = await apply(id, 'push')
  expect([status, pushed.commitSha]).toEqual([200, result.commitSha])
  expect(said(path, 'rev-parse', `refs/heads/autofix/${id}`)).toBe(result.commitSha)
})

it('says what to do where the credentials may not write, or there are none', async () => {
  const { id, repositoryId } = await approved({ credentials: { token: readOnly } })
  const { status, error } = await apply(id, 'push')
  expect([status, error.metadata.reason]).toEqual([409, 'auth'])
  expect(JSON.stringify(error)).not.toContain(readOnly)
  await p.call('repositories.patch', { workspaceId: owner.workspaceId, id: repositoryId, credentials: {} }, owner)
  expect((await apply(id, 'push')).error.detail).toContain('no credentials')
  await p.call('repositories.patch', { workspaceId: owner.workspaceId, id: repositoryId, autofixEnabled: false }, owner)
  expect((await apply(id, 'branch')).error.detail).toContain('switched off')
})

it.each(['github', 'gitlab', 'gitea'])(
  'asks %s for a pull request, and takes the one that is there',
  async provider => {
    const { id } = await approved({ provider, credentials: { token } })
    refuses = 403
    const no = await apply(id, 'pull_request')
    expect([no.status, no.error.metadata.status]).toEqual([409, 403])
    refuses = null
    pulls.set(`autofix/${id}`, {
      html_url: `${base}/x/1`,
      web_url: `${base}/x/1`,
      head: { ref: `autofix/${id}` },
      source_branch: `autofix/${id}`,
    })
    const { status, result } = await apply(id, 'pull_request')
    expect([status, result.pullRequestUrl, result.status]).toEqual([200, `${base}/x/1`, 'applied'])
    const other = await approved({ provider, url: `${base}/team/code/.git/`, credentials: { token } })
    const made = await apply(other.id, 'pull_request')
    expect(made.result.pullRequestUrl).toBe(`${base}/team/code/pulls/${pulls.size}`)
    expect((await apply(other.id, 'pull_request')).status).toBe(409)
    const { body } = asked.findLast(({ line }) => line.startsWith('POST')) ?? { body: {} }
    expect(Object.values(body)).toContain(`autofix/${other.id}`)
  },
)

it('asks for none where the provider has no such thing', async () => {
  const { id } = await approved({ provider: 'git', credentials: { token } })
  expect((await apply(id, 'pull_request')).status).toBe(409)
  expect(asked).toEqual([])
})
