// The command line by its behaviour: spelling, input, output, failures and their codes.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundledDocument, commandLine, failureIn, ownersCommandLine } from '../../test/helpers/terminal.ts'

const { running, baseUrl, owner, line, atrium } = await ownersCommandLine('workspaces:read,api_keys:read')

async function fresh(document = bundledDocument()) {
  const made = await commandLine(baseUrl, document)
  onTestFinished(made.remove)
  return made
}

describe('an operation', () => {
  it('is spelled with blanks or dots', async () => {
    const [one, other] = [await atrium('api_keys list'), await atrium('api_keys.list')]
    expect(one.code).toBe(0)
    expect(one.stdout).toBe(other.stdout)
    expect(JSON.parse(one.stdout).count).toBe(3)
  })

  it('takes path fields as words, by flag, or the workspace from the profile', async () => {
    const { id } = JSON.parse((await atrium('api_keys list --limit 1')).stdout).items[0]
    const { workspaceId } = owner
    const spellings = [
      ['api_keys', 'get', workspaceId, id],
      ['api_keys', 'get', id],
      ['api_keys', 'get', '--id', id],
      ['api_keys', 'get', id, '--workspaceId', workspaceId],
      ['api_keys', 'get', `--workspaceId=${workspaceId}`, `--id=${id}`],
    ]
    for (const words of spellings) expect(JSON.parse((await atrium(words)).stdout).id).toBe(id)
    const elsewhere = await atrium(['api_keys', 'get', id], { env: { ATRIUM_WORKSPACE: `ws_${'0'.repeat(32)}` } })
    expect(failureIn(elsewhere).status).toBe(403)
  })

  it('takes a query as flags, as JSON, or both, flags first', async () => {
    const byFlag = await atrium(['api_keys', 'list', '--name', 'Alpha key', '--name', 'Beta key', '--order', 'asc'])
    const byJson = await atrium(['api_keys', 'list', '--query', '{"name":["Alpha key","Beta key"],"order":"asc"}'])
    const both = await atrium(['api_keys', 'list', '--query', '{"name":["Alpha key","Beta key"]}', '--order', 'asc'])
    expect(JSON.parse(byFlag.stdout).items.map((key: { name: string }) => key.name)).toEqual(['Alpha key', 'Beta key'])
    expect(byJson.stdout).toBe(byFlag.stdout)
    expect(both.stdout).toBe(byFlag.stdout)
    const without = await atrium(['api_keys', 'list', '--name', '!Alpha key', '--jq', '.count'])
    expect(without.stdout).toBe('2\n')
  })

  it('takes a body as JSON, from a file, from stdin, or as flags over these', async () => {
    const file = join(line.folder, 'team.json')
    writeFileSync(file, '{"name": "From file"}')
    const named = async (...words: string[]) => JSON.parse((await atrium(['teams', 'post', ...words])).stdout).name
    expect(await named('--body', '{"name":"From JSON"}')).toBe('From JSON')
    expect(await named('--body-file', file)).toBe('From file')
    expect(await named('--body-file', file, '--name', 'From flag', '--color', 'null')).toBe('From flag')
    const piped = await atrium('teams post --body-file -', { stdin: '{"name":"From stdin"}' })
    expect(JSON.parse(piped.stdout).name).toBe('From stdin')
  })

  it('sends numbers, booleans and null as what they are', async () => {
    const id = (await atrium(['api_keys', 'list', '--name', 'Gamma key', '--jq', '.items[0].id'])).stdout.trim()
    const off = JSON.parse((await atrium(['api_keys', 'patch', id, '--no-enabled', '--expires', 'null'])).stdout)
    expect(off).toMatchObject({ enabled: false, expires: null })
    expect(JSON.parse((await atrium(['api_keys', 'patch', id, '--enabled'])).stdout).enabled).toBe(true)
    expect((await atrium(['api_keys', 'rotate', id, '--overlapHours', '2'])).code).toBe(0)
  })

  it('prints a body to fill in', async () => {
    const { stdout } = await atrium('api_keys post --body-template')
    expect(Object.keys(JSON.parse(stdout))).toEqual(['workspaceId', 'name', 'scopes'])
  })

  it('prints the request instead of sending it, without the credential', async () => {
    const words = ['teams', 'post', '--name', "Ada's", '--dry-run']
    const { stdout } = await atrium(words)
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: `${baseUrl}/v1/teams`,
      headers: { authorization: 'Bearer $ATRIUM_TOKEN' },
      body: { name: "Ada's", workspaceId: owner.workspaceId },
    })
    const curl = await atrium([...words.slice(0, -1), '--curl'])
    expect(curl.stdout).toContain(`curl -X POST '${baseUrl}/v1/teams'`)
    expect(curl.stdout).toContain(`Ada'\\''s`)
    expect(curl.stdout + stdout).not.toContain(owner.token)
    expect((await atrium(['teams', 'list', '--name', "Ada's", '--jq', '.count'])).stdout).toBe('0\n')
  })

  it.each(['--dry-run', '--dryRun'])('asks the service to try it by %s, where the service can', async flag => {
    const { stdout } = await atrium(['agent_tools', 'run', 'teams_post', '--args', '{"name":"Tried"}', flag])
    expect(JSON.parse(stdout)).toMatchObject({ operationId: 'teams.post', result: null })
    expect((await atrium(['teams', 'list', '--name', 'Tried', '--jq', '.count'])).stdout).toBe('0\n')
    const { stdout: curl } = await atrium(['agent_tools', 'run', 'teams_post', '--args', '{}', flag, '--curl'])
    expect(curl).toContain('"dryRun":true')
  })

  it('deletes only when told so', async () => {
    const { id } = JSON.parse((await atrium('teams post --name Doomed')).stdout)
    const silent = await atrium(['teams', 'del', id])
    expect([silent.code, failureIn(silent).next]).toEqual([2, 'Add --yes to do it.'])
    const doubtful = await atrium(['teams', 'del', id], { tty: true, stdin: 'n\n' })
    expect(doubtful.code).toBe(1)
    expect(doubtful.stderr).toContain('Delete a team. Go on? [y/N]')
    expect((await atrium(['teams', 'get', id])).code).toBe(0)
    expect((await atrium(['teams', 'del', id], { tty: true, stdin: 'y\n' })).code).toBe(0)
    expect((await atrium(['teams', 'get', id])).code).toBe(3)
  })
})

describe('--all and --limit', () => {
  it('walk the pages of a list', async () => {
    const all = JSON.parse((await atrium('api_keys list --all --perPage 2')).stdout)
    expect([all.items.length, all.count]).toEqual([3, 3])
    const two = await atrium('api_keys list --limit 2 -o ndjson --columns name')
    expect(two.stdout.trim().split('\n')).toHaveLength(2)
    expect((await atrium('auth whoami --all')).code).toBe(2)
    expect((await atrium('api_keys list --limit 0')).code).toBe(2)
  })

  it('let --jq see the whole list', async () => {
    const { stdout } = await atrium('api_keys list --all --perPage 1 --order asc --orderBy name --jq .items[].name')
    expect(stdout).toBe('Alpha key\nBeta key\nGamma key\n')
  })
})

describe('output', () => {
  it('is a table on a terminal and JSON elsewhere', async () => {
    const { stdout, stderr } = await atrium('api_keys list --orderBy name --order asc', { tty: true, columns: 110 })
    const [head, first] = stdout.split('\n')
    expect(head).toMatch(/^\x1b\[1mid +name +scopes/)
    expect(first).toMatch(/^key_[0-9a-z]{64} {2}Alpha key {2}/)
    expect(stderr).toContain('not shown: ')
    expect(stdout.split('\n').every(text => text.replaceAll(/\x1b\[\d+m/g, '').length <= 110)).toBe(true)
    expect(JSON.parse((await atrium('api_keys list')).stdout).count).toBe(3)
  })

  it('has no colours where NO_COLOR is set', async () => {
    const { stdout, stderr } = await atrium('api_keys list', { tty: true, env: { NO_COLOR: '1' } })
    expect(stdout + stderr).not.toContain('\x1b[1m')
  })

  it('comes as yaml, as ndjson, and cut to columns', async () => {
    expect((await atrium('whoami -o yaml')).stdout).toContain('email: ada@example.com\n')
    const lines = (await atrium('api_keys list -o ndjson --columns name,scopes')).stdout.trim().split('\n')
    expect(lines.map(text => Object.keys(JSON.parse(text)))).toEqual(Array(3).fill(['name', 'scopes']))
    const table = await atrium('api_keys list --columns name,enabled -o table')
    expect(table.stdout.split('\n')[0]).toBe('name       enabled')
  })

  it('shows a record by its fields, and never lets it steer the terminal', async () => {
    await atrium(['teams', 'post', '--name', 'red \u001b[31m\u202e team'])
    const { stdout } = await atrium('teams list --columns name', { tty: true, env: { NO_COLOR: '1' } })
    expect(stdout).not.toMatch(/\x1b|\u202e/)
    expect((await atrium('whoami', { tty: true, env: { NO_COLOR: '1' } })).stdout).toMatch(/^email +ada@example.com$/m)
  })

  it('streams what is no JSON as it comes', async () => {
    // Characters that some readers take for the end of a line.
    await atrium(['teams', 'post', '--name', 'two\u2028lines\u2029'])
    const { stdout, code } = await atrium('audit_logs export')
    expect(code).toBe(0)
    const file = join(line.folder, 'audit.ndjson')
    writeFileSync(file, stdout)
    expect(JSON.parse((await atrium(['audit', 'verify', file])).stdout)).toMatchObject({ ok: true })
    writeFileSync(file, stdout.replace('api_keys.post', 'api_keys.get'))
    expect(failureIn(await atrium(['audit', 'verify', file])).message).toContain('the entry was changed')
    expect((await atrium('audit verify nowhere')).code).toBe(2)
  })
})

describe('a failure', () => {
  const cases: [string, string[], number, string][] = [
    ['wrong JSON', ['teams', 'post', '--body', '{nope'], 2, '--body is not JSON'],
    ['JSON that is no object', ['teams', 'post', '--body', '[]'], 2, 'must be a JSON object'],
    ['a missing file', ['teams', 'post', '--body-file', '/nowhere/x.json'], 2, 'There is no file /nowhere/x.json'],
    ['an unknown operation', ['api_key.list'], 2, 'Did you mean api_keys.list'],
    ['an unknown verb', ['api_keys', 'lisst'], 2, 'Did you mean api_keys.list'],
    ['an unknown command', ['logn'], 2, 'There is no command logn'],
    ['an unknown flag', ['api_keys', 'list', '--perpage', '3'], 2, 'Unknown option'],
    ['an unknown query field', ['api_keys', 'list', '--query', '{"perPag":3}'], 2, 'Did you mean perPage'],
    ['a missing field', ['teams', 'post'], 2, 'needs --name'],
    ['a missing path field', ['api_keys', 'get'], 2, 'needs <id>'],
    ['too many words', ['api_keys', 'list', 'a', 'b'], 2, 'takes <workspaceId>'],
    ['a number that is none', ['api_keys', 'list', '--perPage', 'many'], 2, 'must be a number'],
    ['a wrong filter', ['api_keys', 'list', '--jq', '.['], 2, '--jq'],
    ['a format that is none', ['api_keys', 'list', '-o', 'xml'], 2, 'xml'],
    ['no such record', ['teams', 'get', `team_${'0'.repeat(24)}`], 3, 'Not found'],
    ['refused input', ['teams', 'post', '--name', 'x'], 6, '"name" is not acceptable'],
  ]
  it.each(cases)('tells of %s in one line with its code', async (_, words, code, text) => {
    const ran = await atrium(words, { tty: true, env: { NO_COLOR: '1' } })
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toContain(text)
    expect(ran.stderr).toMatch(/^atrium: [^\n]+\n$/)
    expect(ran.code).toBe(code)
    const piped = failureIn(await atrium(words))
    expect(piped.code).toBe(code)
  })

  it('tells of a key that the service does not know', async () => {
    const { atrium: other, folder } = await fresh()
    const ran = await other('login --api-key -', { stdin: 'atr_wrong' })
    expect(failureIn(ran)).toMatchObject({ code: 4, next: expect.stringContaining('Make a new one') })
    expect(() => statSync(join(folder, 'credentials.json'))).toThrow('ENOENT')
    const used = await other('workspaces list', { env: { ATRIUM_API_KEY: 'atr_wrong' } })
    expect(failureIn(used)).toMatchObject({ code: 4, status: 401, next: 'Run: atrium login' })
  })

  it('tells of a login that has ended', async () => {
    const { atrium: other } = await fresh()
    const session = await running.session(owner.userId)
    await other('login --token -', { stdin: session.token })
    await running.call('auth.logout', {}, session)
    expect(failureIn(await other('workspaces list'))).toMatchObject({ code: 4, next: 'Run: atrium login' })
  })

  it('tells of a service that is not there', async () => {
    const ran = await atrium('--retries 0 --base-url http://127.0.0.1:9 scopes list')
    expect(failureIn(ran)).toMatchObject({ code: 8, kind: 'network', retryable: true })
    expect(failureIn(await atrium('--base-url nowhere scopes list')).code).toBe(2)
  })

  it('tells of an interruption', async () => {
    const ran = await atrium('scopes list', { signal: AbortSignal.abort() })
    expect([ran.code, failureIn(ran).kind, ran.stdout]).toEqual([130, 'interrupted', ''])
  })

  it('waits where the service asks for it, and says when it gave up', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      const isBusy = ++asked < 3
      response.writeHead(isBusy ? 429 : 200, { 'retry-after': '0', 'content-type': 'application/json' })
      const good = { success: true, message: null, error: null, result: { items: [], count: 0 } }
      const refusal = { success: false, message: null, error: { message: 'Slow down' } }
      response.end(JSON.stringify(isBusy ? refusal : good))
    })
    await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close().closeAllConnections())
    const busy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect((await atrium(`--offline --base-url ${busy} scopes list`)).code).toBe(0)
    asked = 0
    expect((await atrium(`--offline --retries 1 --base-url ${busy} scopes list`)).code).toBe(7)
  })
})

describe('a login', () => {
  it('is kept for its owner alone, and goes to its own service alone', async () => {
    const { atrium: other, folder } = await fresh()
    const key = await running.key(owner)
    const ran = await other('login --api-key -', { stdin: key.token })
    expect(ran.stderr).toBe(
      `Logged in to ${baseUrl} as ada@example.com, workspace ${owner.workspaceId} (profile default).\n`,
    )
    const file = join(folder, 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
    expect((await other('whoami')).stderr).toContain('others could read')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const elsewhere = await other('whoami', { env: { ATRIUM_BASE_URL: 'http://127.0.0.1:9' } })
    expect(failureIn(elsewhere).message).toContain('Not logged in')
    await other('logout')
    expect(readFileSync(file, 'utf8')).not.toContain(key.token)
    expect((await other('whoami')).code).toBe(4)
  })

  it('goes by flag before environment before file', async () => {
    const [key, member] = [await running.key(owner), await running.as('member')]
    const source = async (words: string[], env = {}) => JSON.parse((await atrium(words, { env })).stdout)
    expect(await source(['whoami'])).toMatchObject({ source: 'profile default', credential: 'token' })
    expect(await source(['whoami'], { ATRIUM_API_KEY: key.token })).toMatchObject({
      source: 'environment',
      credential: 'api_key',
    })
    const flagged = await source(['--token', member.token, 'whoami'], { ATRIUM_API_KEY: key.token })
    expect(flagged).toMatchObject({ source: 'flag', id: member.userId })
    const both = await atrium('whoami', { env: { ATRIUM_API_KEY: 'a', ATRIUM_TOKEN: 'b' } })
    expect(both.code).toBe(2)
  })

  it('has profiles', async () => {
    const { atrium: other } = await fresh()
    const member = await running.as('member')
    await other('login --token -', { stdin: owner.token })
    await other('login --token - --profile second', { stdin: member.token })
    const list = JSON.parse((await other('profile list')).stdout).items
    expect(list.map(({ name, isCurrent }: { name: string; isCurrent: boolean }) => [name, isCurrent])).toEqual([
      ['default', true],
      ['second', false],
    ])
    const who = async (...words: string[]) => JSON.parse((await other([...words, 'whoami'])).stdout).id
    expect(await who('--profile', 'second')).toBe(member.userId)
    await other('profile use second')
    expect(await who()).toBe(member.userId)
    await other(`profile set --workspace ${member.workspaceId}`)
    expect((await other('workspaces get --jq .id')).stdout.trim()).toBe(member.workspaceId)
    await other('profile remove second')
    expect(await who()).toBe(owner.userId)
    expect((await other('profile use second')).code).toBe(2)
  })

  it('works with a key that may not list workspaces', async () => {
    const { atrium: other } = await fresh()
    const key = await running.key(owner, { scopes: [] })
    expect((await other('login --api-key -', { stdin: key.token })).code).toBe(0)
    expect(failureIn(await other('workspaces list'))).toMatchObject({ code: 4, status: 403 })
  })
})

describe('the document', () => {
  it('is learnt from the service where the bundled one is older', async () => {
    const old = bundledDocument()
    const { '/v1/scopes': _, ...paths } = old.paths
    const { atrium: other } = await fresh({ ...old, paths })
    expect(failureIn(await other('--offline scopes list')).message).toContain('There is no operation scopes.list')
    expect((await other('scopes list')).code).toBe(0)
    expect((await other('--offline scopes list')).code).toBe(0)
  })

  it('is fetched again only when it has changed', async () => {
    const { atrium: other } = await fresh()
    expect((await other('spec update')).stderr).toContain('has a new document')
    expect((await other('spec update')).stderr).toContain('no newer document')
    expect(JSON.parse((await other('spec show')).stdout).openapi).toBe('3.1.0')
  })

  it('describes an operation with its schemas', async () => {
    const described = JSON.parse((await atrium('describe api_keys.post')).stdout)
    expect(described).toMatchObject({ operationId: 'api_keys.post', method: 'POST' })
    expect(JSON.stringify(described)).not.toContain('$ref')
    expect((await atrium('describe api_keys.pst')).code).toBe(2)
  })
})

describe('completion', () => {
  const words = async (...typed: string[]) =>
    (await atrium(['__complete', '--', ...typed])).stdout.split('\n').map(text => text.split('\t')[0])

  it('knows commands, flags and values', async () => {
    expect(await words('api')).toContain('api_keys')
    expect(await words('api_keys.li')).toContain('api_keys.list')
    expect(await words('auth', 'sess')).toContain('sessions')
    expect(await words('api_keys', 'list', '--per')).toContain('--perPage')
    expect(await words('api_keys', 'list', '--order', '')).toEqual(['asc', 'desc', ''])
    expect(await words('profile', 'use', '')).toContain('default')
    expect(await words('log')).toEqual(['login', 'logout', ''])
  })

  it('knows the ids that are there just now', async () => {
    const ids = (await atrium('api_keys list --jq .items[].id')).stdout.trim().split('\n')
    expect((await words('api_keys', 'get', '')).filter(Boolean).sort()).toEqual(ids.sort())
    const team = JSON.parse((await atrium('teams post --name Finishers')).stdout).id
    expect(await words('teams', 'members', 'list', 'team_')).toContain(team)
    expect(await words('workspace_members', 'get', 'usr_')).toContain(owner.userId)
    expect(await words('workspaces', 'get', '')).toContain(owner.workspaceId)
  })

  it('prints a script for each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish', 'pwsh']) {
      expect((await atrium(['completion', shell])).stdout).toContain('atrium __complete')
    }
    expect((await atrium('completion tcsh')).code).toBe(2)
  })
})
