// Repositories that are read with the token of an integration: whose it is, where it goes, and what hosts tell of.
import { createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { baseOf, isBelow } from '../../src/areas/integrations/hosts/credentials.ts'
import { sql } from '../../src/kit/sql.ts'
import { answerAsGit } from '../helpers/git_host.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, newRepository, said, settled, write } from '../helpers/repositories.ts'

const token = 'tok_5d41402abc4b2a76b9719d911017c592'
const app = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = (key: typeof app.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

let p: TestPlatform
let owner: TestCaller
let root: string
let path: string
let server: Server
let base: string
const lines: string[] = []
/** Everything that another host was sent. */
let elsewhere: { url: string; headers: IncomingMessage['headers'] }[] = []
let other: Server
let otherBase: string

/** Tokens that the app was given, each with when it ends. */
let given: { token: string; endsMs: number }[] = []
let proofs: string[] = []
let appAnswers: number | null = null
let passwords: (string | undefined)[] = []
let pulls: { path: string; authorization: unknown }[] = []

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** As GitHub does it: the proof must be of this app, made a moment ago, for ten minutes at the most. */
function giveToken(request: IncomingMessage, response: ServerResponse): void {
  const proof = (request.headers.authorization ?? '').replace('Bearer ', '')
  proofs.push(proof)
  if (appAnswers !== null) return void send(response, appAnswers, { message: `no ${proof}` })
  const [head = '', claims = '', signature = ''] = proof.split('.')
  const key = createPublicKey(app.publicKey.export({ type: 'spki', format: 'pem' }))
  const isRight = verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  if (!isRight || read(head).alg !== 'RS256') return void send(response, 401, { message: 'A JWT could not be decoded' })
  const { iss, iat, exp } = read(claims)
  const seconds = p.now().getTime() / 1_000
  if (iss !== '1234' || iat > seconds || exp < seconds || exp - iat > 600)
    return void send(response, 401, { message: 'claims' })
  const made = { token: `ghs_${'x'.repeat(20)}${given.length}`, endsMs: p.now().getTime() + 3_600_000 }
  given.push(made)
  send(response, 201, { token: made.token, expires_at: new Date(made.endsMs).toISOString() })
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/api/v3/app/installations/42/access_tokens') return void giveToken(request, response)
  if (url.pathname.endsWith('/pulls') || url.pathname.endsWith('/merge_requests')) {
    pulls.push({ path: url.pathname, authorization: request.headers.authorization ?? request.headers['private-token'] })
    const address = `${base}/team/code/pull/${pulls.length}`
    return void send(response, 201, { html_url: address, web_url: address })
  }
  const basic = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
  const password = /^.*?:(.*)$/.exec(basic)?.[1]
  if (password !== undefined) passwords.push(basic)
  const isGood = password === token || given.some(one => one.token === password && one.endsMs > p.now().getTime())
  if (!isGood) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="code"' }).end()
  answerAsGit(root, url.pathname.replace(/^(\/gitea)?\/(team|other)/, ''), request, response)
}

async function listen(made: Server): Promise<string> {
  await new Promise<void>(resolve => made.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'atrium-integrated-'))
  path = newRepository(join(root, 'code'))
  write(path, { 'a.txt': 'one\ntwo\nthree\n' })
  commit(path, 'Begin')
  git(path, ['config', 'http.receivepack', 'true'])
  server = createServer(serve)
  base = await listen(server)
  other = createServer((request, response) => {
    elsewhere.push({ url: request.url ?? '', headers: request.headers })
    response.writeHead(401, { 'www-authenticate': 'Basic realm="code"' }).end()
  })
  otherBase = await listen(other)
  p = await platform({ logTo: line => lines.push(line) })
}, 60_000)
beforeEach(async () => {
  owner = await p.user()
  ;[elsewhere, given, proofs, passwords, pulls, appAnswers] = [[], [], [], [], [], null]
})
afterAll(async () => {
  await p.close()
  for (const one of [server, other]) {
    one.close()
    one.closeAllConnections()
  }
  rmSync(root, { recursive: true, force: true })
})

async function integration(type: string, config: object, by = owner): Promise<{ id: string; inboundUrl: string }> {
  const { status, result } = await p.call(
    'integrations.post',
    { workspaceId: by.workspaceId, name: `Host ${type}`, type, config },
    by,
  )
  expect(status).toBe(201)
  return result
}
const gitea = (by = owner) => integration('gitea', { url: base, token }, by)
const github = () =>
  integration('github', {
    ...{ apiUrl: `${base}/api/v3`, appId: '1234', installationId: '42' },
    privateKey: pem(app.privateKey),
  })
const url = () => `${base}/team/code/.git`
const add = (fields: object, by = owner) =>
  p.call('repositories.post', { workspaceId: by.workspaceId, syncIntervalMinutes: null, url: url(), ...fields }, by)
const change = (id: string, fields: object, by = owner) =>
  p.call('repositories.patch', { workspaceId: by.workspaceId, id, ...fields }, by)
const synced = (id: string) => settled(p, owner, id)

describe('a repository with an integration', () => {
  it('is read with its token, and shows its id alone', async () => {
    const { id } = await gitea()
    const { status, result } = await add({ integrationId: id })
    expect([status, result.integrationId, result.provider, result.secretsSet]).toEqual([201, id, 'gitea', []])
    expect(await synced(result.id)).toMatchObject({ status: 'ready', headSha: said(path, 'rev-parse', 'HEAD') })
    expect(passwords).toContain(`git:${token}`)
    expect(lines.filter(line => line.includes(token))).toEqual([])
    expect(
      JSON.stringify((await p.call('repositories.list', { workspaceId: owner.workspaceId }, owner)).result),
    ).not.toContain(token)
  })

  it('loses it with the integration, and is then read by nobody', async () => {
    const { id } = await gitea()
    const { result } = await add({ integrationId: id })
    await synced(result.id)
    await p.call('integrations.del', { workspaceId: owner.workspaceId, id }, owner)
    expect(await synced(result.id)).toMatchObject({ integrationId: null, status: 'error', error: { code: 'auth' } })
  })

  it('has one or credentials of its own: each replaces the other', async () => {
    const { id } = await gitea()
    const both = await add({ integrationId: id, credentials: { token: 'own' } })
    expect([both.status, both.error.metadata.issues?.[0]?.path ?? both.error.detail]).toEqual([
      400,
      expect.stringContaining('integrationId'),
    ])
    const { result } = await add({ credentials: { token: 'own' } })
    expect((await change(result.id, { integrationId: id })).result).toMatchObject({ integrationId: id, secretsSet: [] })
    expect(await synced(result.id)).toMatchObject({ status: 'ready' })
    const back = await change(result.id, { credentials: { token: 'own' } })
    expect(back.result).toMatchObject({ integrationId: null, secretsSet: ['token'] })
    expect((await change(result.id, { integrationId: id })).status).toBe(200)
    expect((await change(result.id, { integrationId: null })).result).toMatchObject({
      integrationId: null,
      secretsSet: [],
    })
    expect((await change(result.id, { integrationId: id, credentials: { token } })).status).toBe(400)
  })

  it('tells nothing of what is not there, of another type, of another workspace, or not to be read', async () => {
    const stranger = await p.user()
    const foreign = await gitea(stranger)
    const webhook = await integration('webhook', { url: 'https://example.com/hook' })
    const own = await gitea()
    const blind = await p.key(owner, { scopes: ['repositories:write', 'repositories:read'] })
    const { result } = await add({})
    const answers = [
      await add({ integrationId: 'int_000000000000000000000000' }),
      await add({ integrationId: foreign.id }),
      await add({ integrationId: webhook.id }),
      await add({ integrationId: own.id }, blind),
      await change(result.id, { integrationId: foreign.id }),
      await change(result.id, { integrationId: own.id }, blind),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    expect(new Set(answers.map(({ error }) => error.detail)).size).toBe(1)
    expect(
      (await p.call('repositories.get', { workspaceId: owner.workspaceId, id: result.id }, owner)).result,
    ).toMatchObject({
      integrationId: null,
    })
  })

  it('is refused for another host, another scheme and another way in, when it is saved', async () => {
    const { id } = await gitea()
    for (const wrong of [
      `${otherBase}/team/code.git`,
      `${base.replace('127.0.0.1', 'localhost')}/team/code.git`,
      `https://${base.slice('http://'.length)}/team/code.git`,
      'git@127.0.0.1:team/code.git',
    ]) {
      const { status, error } = await add({ url: wrong, integrationId: id })
      expect([status, error.detail]).toEqual([400, expect.stringContaining('"integrationId"')])
    }
    expect((await add({ url: 'small', provider: 'local', integrationId: id })).status).toBe(400)
    const { result } = await add({ integrationId: id })
    expect((await change(result.id, { url: `${otherBase}/team/code.git`, integrationId: id })).status).toBe(400)
    expect(elsewhere).toEqual([])
  })

  it('does not follow to another address, unless it is named again', async () => {
    const { id } = await gitea()
    const { result } = await add({ integrationId: id })
    const moved = await change(result.id, { url: `${base}/other/code/.git` })
    expect(moved.result).toMatchObject({ integrationId: null, secretsSet: [] })
    const named = await change(result.id, { url: url(), integrationId: id })
    expect(named.result).toMatchObject({ integrationId: id, url: url() })
  })

  it('sends nothing to another host, whatever became of address and integration in between', async () => {
    const { id } = await gitea()
    const { result } = await add({ integrationId: id })
    await synced(result.id)
    await p.database.query(sql`update repositories set url = ${`${otherBase}/team/code.git`} where id = ${result.id}`)
    expect(await synced(result.id)).toMatchObject({
      error: { code: 'auth', text: expect.stringContaining('another host') },
    })
    await p.database.query(sql`update repositories set url = ${url()} where id = ${result.id}`)
    const move = { workspaceId: owner.workspaceId, id, config: { url: otherBase, token } }
    expect((await p.call('integrations.patch', move, owner)).status).toBe(200)
    expect(await synced(result.id)).toMatchObject({
      error: { code: 'auth', text: expect.stringContaining('another host') },
    })
    expect(elsewhere).toEqual([])
  })

  it('is not read while the integration is paused, or without a token', async () => {
    const { id } = await gitea()
    const { workspaceId } = owner
    const { result } = await add({ integrationId: id })
    await synced(result.id)
    await p.call('integrations.patch', { workspaceId, id, status: 'paused' }, owner)
    expect(await synced(result.id)).toMatchObject({ error: { code: 'auth', text: expect.stringContaining('paused') } })
    await p.call('integrations.patch', { workspaceId, id, status: 'active', config: { token: '' } }, owner)
    expect(await synced(result.id)).toMatchObject({
      error: { code: 'auth', text: expect.stringContaining('no token') },
    })
    await p.call('integrations.patch', { workspaceId, id, config: { token } }, owner)
    expect(await synced(result.id)).toMatchObject({ status: 'ready', error: null })
  })

  it('is read again with it where the mirror was lost', async () => {
    const { id } = await gitea()
    const { result } = await add({ integrationId: id })
    await synced(result.id)
    rmSync(join(p.config.DATA_DIR, 'repositories', result.id), { recursive: true })
    const { workspaceId } = owner
    const read = await p.call('repositories.contents', { workspaceId, id: result.id, path: 'a.txt' }, owner)
    expect(read.result.text).toContain('one')
  })
})

describe('an app of GitHub', () => {
  it('proves itself by its key, and asks for a token again five minutes before it ends', async () => {
    const { id } = await github()
    const { result } = await add({ integrationId: id })
    expect(await synced(result.id)).toMatchObject({ status: 'ready', provider: 'github' })
    expect(passwords).toContain(`x-access-token:${given[0]?.token}`)
    const asked = given.length
    p.advance(54 * 60_000)
    await synced(result.id)
    expect(given).toHaveLength(asked)
    p.advance(2 * 60_000)
    expect(await synced(result.id)).toMatchObject({ status: 'ready' })
    expect(given.length).toBeGreaterThan(asked)
    const secrets = [...proofs, ...given.map(one => one.token)]
    expect(lines.filter(line => secrets.some(secret => line.includes(secret)))).toEqual([])
  })

  it('is tried by integrations.test', async () => {
    const { id } = await github()
    const { result } = await p.call('integrations.test', { workspaceId: owner.workspaceId, id }, owner)
    // The stand-in has no list of repositories: that it was asked with the token is what counts.
    expect([given.length, result.code]).toEqual([1, 401])
    appAnswers = 404
    p.advance(3_600_000)
    const failed = await p.call('integrations.test', { workspaceId: owner.workspaceId, id }, owner)
    expect(failed.result).toMatchObject({ ok: false, detail: expect.stringContaining('(404)') })
    expect(JSON.stringify(failed.body)).not.toContain(proofs.at(-1))
  })

  it.each([
    [401, 'auth'],
    [404, 'auth'],
    [503, 'unreachable'],
    [200, 'auth'],
  ])('that is answered with %i is told as %s, without its proof', async (status, code) => {
    const { id } = await github()
    appAnswers = status
    const { result } = await add({ integrationId: id })
    const found = await synced(result.id)
    expect(found.error.code).toBe(code)
    expect(JSON.stringify(found)).not.toContain(proofs[0])
    expect(passwords).toEqual([])
  })

  it('needs an RSA key that can be read', async () => {
    const { workspaceId } = owner
    const config = { apiUrl: `${base}/api/v3`, appId: '1234', installationId: '42' }
    for (const privateKey of [
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----',
    ]) {
      const given = { workspaceId, name: 'App', type: 'github', config: { ...config, privateKey } }
      const { status, error } = await p.call('integrations.post', given, owner)
      expect([status, error.detail]).toEqual([400, expect.stringContaining('config.privateKey')])
    }
  })
})

const patch = () => `--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+two ${performance.now()}\n three\n`

async function approved(fields: object): Promise<{ id: string; repositoryId: string }> {
  const { workspaceId } = owner
  const { result: repository } = await add(fields)
  expect(await synced(repository.id)).toMatchObject({ status: 'ready' })
  const made = { workspaceId, repositoryId: repository.id, title: 'Change the second line', patch: patch() }
  const { result } = await p.call('autofixes.post', made, owner)
  await p.call('autofixes.approve', { workspaceId, id: result.id }, owner)
  return { id: result.id, repositoryId: repository.id }
}
const apply = (id: string, target: string) =>
  p.call('autofixes.apply', { workspaceId: owner.workspaceId, id, target }, owner)

describe('an autofix', () => {
  it('is pushed and asked for with the token of the app', async () => {
    const { id: integrationId } = await github()
    const { id } = await approved({ integrationId })
    const { status, result } = await apply(id, 'pull_request')
    expect([status, result.pullRequestUrl]).toEqual([200, `${base}/team/code/pull/1`])
    expect(said(path, 'rev-parse', `refs/heads/autofix/${id}`)).toBe(result.commitSha)
    const expected = { path: '/api/v3/repos/team/code/pulls', authorization: `Bearer ${given.at(-1)?.token}` }
    expect(pulls).toEqual([expected])
  })

  it('is asked for where the host is, also below a path', async () => {
    const { id: integrationId } = await integration('gitea', { url: `${base}/gitea/`, token })
    const outside = await add({ integrationId })
    expect(outside.status).toBe(400)
    const { id } = await approved({ url: `${base}/gitea/team/code/.git`, integrationId })
    expect((await apply(id, 'pull_request')).status).toBe(200)
    expect(pulls).toEqual([{ path: '/gitea/api/v1/repos/team/code/pulls', authorization: `token ${token}` }])
  })

  it('says why where the integration has no token for it', async () => {
    const { id: integrationId } = await gitea()
    const { id } = await approved({ integrationId })
    await p.call('integrations.patch', { workspaceId: owner.workspaceId, id: integrationId, status: 'paused' }, owner)
    const { status, error } = await apply(id, 'push')
    expect([status, error.metadata.reason, error.detail]).toEqual([409, 'auth', expect.stringContaining('paused')])
  })
})

describe('baseOf', () => {
  it.each([
    ['github', {}, 'https://github.com'],
    ['github', { apiUrl: 'https://api.github.com/' }, 'https://github.com'],
    ['github', { apiUrl: 'https://api.acme.ghe.com' }, 'https://acme.ghe.com'],
    ['github', { apiUrl: 'https://Git.example.com:8443/api/v3' }, 'https://git.example.com:8443'],
    ['gitlab', {}, 'https://gitlab.com'],
    ['gitlab', { url: 'https://example.com/gitlab/' }, 'https://example.com/gitlab'],
    ['gitea', { url: 'https://gitea.example.com' }, 'https://gitea.example.com'],
    ['gitea', {}, null],
    ['webhook', { url: 'https://example.com' }, null],
  ] as const)('of %s with %j is %s', (type, config, expected) => {
    expect(baseOf({ type, config })).toBe(expected)
  })

  it('is nothing that another name begins with', () => {
    const place = { type: 'gitea', config: { url: 'https://git.example.com' } } as const
    expect(isBelow(place, 'https://git.example.com/team/code.git')).toBe(true)
    for (const wrong of [
      'https://git.example.com.evil.example/x',
      'https://git.example.com@evil.example/x',
      'https://git.example.com:444/x',
      'http://git.example.com/x',
      'https://git.example.com',
      'git@git.example.com:x',
    ]) {
      expect(isBelow(place, wrong)).toBe(false)
    }
  })
})

describe('what a host tells', () => {
  const secret = 'webhook-secret-0123456789'

  async function told(at: string, event: string, body: object, signed = secret) {
    const text = JSON.stringify(body)
    const signature = createHmac('sha256', signed).update(text).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-gitea-event': event, 'x-gitea-signature': signature }
    const { pathname } = new URL(at)
    return await p.request({ method: 'POST', url: pathname, headers, payload: text })
  }
  const outcomes = async (id: string) => {
    const { result } = await p.call('integrations.payloads.list', { workspaceId: owner.workspaceId, id }, owner)
    return result.items.map(({ outcome }: { outcome: string }) => outcome)
  }
  const hooked = () => integration('gitea', { url: base, token, webhookSecret: secret })
  const state = async (id: string) =>
    (await p.call('autofixes.get', { workspaceId: owner.workspaceId, id }, owner)).result
  const entries = async (action: string) => {
    const { result } = await p.call('audit_logs.list', { workspaceId: owner.workspaceId, action }, owner)
    return result.items
  }
  const push = (clone: string) => ({ ref: 'refs/heads/main', after: 'a'.repeat(40), repository: { clone_url: clone } })
  const pull = (htmlUrl: string, action: string, merged: boolean, mergeSha: string | null = 'b'.repeat(40)) => ({
    action,
    number: 1,
    pull_request: { html_url: htmlUrl, number: 1, merged, merge_commit_sha: mergeSha },
    repository: { clone_url: `${base}/team/code.git` },
  })

  it('of a push: the repository is synced at once, under whichever spelling, and no other', async () => {
    const { id, inboundUrl } = await hooked()
    const { result } = await add({ url: `${base}/team/code/.git/`, integrationId: id })
    const { result: off } = await add({ url: `${base}/other/code/.git`, integrationId: id })
    await synced(result.id)
    await synced(off.id)
    const stranger = await p.user()
    const { result: foreign } = await add({ enabled: false }, stranger)
    await change(off.id, { enabled: false })
    write(path, { 'b.txt': `${performance.now()}\n` })
    const next = commit(path, 'Go on')
    expect((await told(inboundUrl, 'push', push(`${base}/Team/code/.git`))).status).toBe(202)
    expect((await told(inboundUrl, 'push', push(`${base}/Team/code/.git`))).status).toBe(202)
    const headOf = async (one: string, by = owner) =>
      (await p.call('repositories.get', { workspaceId: by.workspaceId, id: one }, by)).result.headSha
    await expect.poll(() => headOf(result.id), { timeout: 20_000 }).toBe(next)
    await expect.poll(() => outcomes(id)).toEqual(['taken', 'taken'])
    expect(await headOf(off.id)).not.toBe(next)
    expect(await headOf(foreign.id, stranger)).toBe(null)
  })

  it('of a push with a forged signature: nothing', async () => {
    const { id, inboundUrl } = await hooked()
    expect((await told(inboundUrl, 'push', push(url()), 'guessed')).status).toBe(401)
    expect(await outcomes(id)).toEqual(['refused'])
  })

  it('of a merge: the autofix is merged, once, and the ledger says so', async () => {
    const { id: integrationId, inboundUrl } = await hooked()
    const { id } = await approved({ integrationId })
    const { result } = await apply(id, 'pull_request')
    await told(inboundUrl, 'pull_request', pull(result.pullRequestUrl, 'opened', false))
    await told(inboundUrl, 'pull_request', pull(result.pullRequestUrl, 'closed', false))
    await expect.poll(() => outcomes(integrationId)).toEqual(['taken', 'taken'])
    expect(await state(id)).toMatchObject({ status: 'applied' })
    await told(inboundUrl, 'pull_request', pull(result.pullRequestUrl, 'closed', true))
    await expect.poll(async () => (await state(id)).status).toBe('merged')
    expect(await state(id)).toMatchObject({ mergedSha: 'b'.repeat(40) })
    await told(inboundUrl, 'pull_request', pull(result.pullRequestUrl, 'closed', true, 'c'.repeat(40)))
    await told(inboundUrl, 'pull_request', pull(result.pullRequestUrl, 'closed', false))
    await expect.poll(() => outcomes(integrationId)).toEqual(['taken', 'taken', 'taken', 'taken', 'taken'])
    const job = { workspaceId: owner.workspaceId, url: result.pullRequestUrl, state: 'merged', mergeSha: null }
    await p.platform.jobs.runNow('autofixes.pullRequest', job)
    expect(await state(id)).toMatchObject({ status: 'merged', mergedSha: 'b'.repeat(40) })
    expect(await entries('autofixes.merged')).toMatchObject([{ target: { object: 'autofix', id } }])
  })

  it('of a merge elsewhere: another host and another workspace change nothing here', async () => {
    const { id: integrationId } = await hooked()
    const { id } = await approved({ integrationId })
    const { result } = await apply(id, 'pull_request')
    const merged = pull(result.pullRequestUrl, 'closed', true)
    const low = await integration('gitea', { url: otherBase, token, webhookSecret: secret })
    await told(low.inboundUrl, 'pull_request', merged)
    await expect.poll(() => outcomes(low.id)).toEqual(['ignored'])
    const stranger = await p.user()
    const foreign = await integration('gitea', { url: base, token, webhookSecret: secret }, stranger)
    await told(foreign.inboundUrl, 'pull_request', merged)
    const payloads = () =>
      p.call('integrations.payloads.list', { workspaceId: stranger.workspaceId, id: foreign.id }, stranger)
    await expect.poll(async () => (await payloads()).result.items[0]?.outcome).toBe('taken')
    const job = { url: result.pullRequestUrl, state: 'merged', mergeSha: null, workspaceId: stranger.workspaceId }
    await p.platform.jobs.runNow('autofixes.pullRequest', job)
    expect(await state(id)).toMatchObject({ status: 'applied' })
  })
})
