// What people who know gh, stripe and restish type: other spellings, raw requests, aliases, files, and a look inside.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandLine, failureIn, ownersCommandLine } from '../../test/helpers/terminal.ts'

const { baseUrl, owner, line, atrium } = await ownersCommandLine('workspaces:read')

const json = async (words: string[] | string) => JSON.parse((await atrium(words)).stdout)

describe('other spellings', () => {
  it('has every spelling that its help prints', async () => {
    const help = (await atrium('--help')).stdout
    const areas = help.slice(help.indexOf('Operations'), help.indexOf('Commands:'))
    expect(areas).toContain('grants.list')
    for (const words of ['auth grants.list', 'auth grants list', 'auth.grants.list', 'auth.grants list']) {
      expect((await atrium(words)).code, words).toBe(0)
      expect((await atrium(`${words} --help`)).stdout, words).toContain('Usage: atrium auth grants list')
    }
  })

  it('understands create, show, update and delete', async () => {
    const team = await json(['teams', 'create', '--name', 'Engines'])
    expect((await json(['teams', 'show', team.id])).name).toBe('Engines')
    expect((await json(['teams.update', team.id, '--name', 'Differences'])).name).toBe('Differences')
    expect((await atrium(['teams', 'delete', team.id, '--yes'])).code).toBe(0)
  })

  it('prints nothing where there is nothing to answer', async () => {
    for (const more of ['', '--jq .run', '-o table']) {
      const { code, stdout, stderr } = await atrium(`threads runs claim ${more}`.trim())
      expect([code, stdout, stderr]).toEqual([0, '', ''])
    }
  })

  it('takes flags with hyphens too', async () => {
    const { items } = await json('api_keys list --per-page 2 --order-by name --order asc')
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['Alpha key', 'Beta key'])
  })

  it('reads a flag from a file, and a text that begins with @ as it is', async () => {
    const file = join(line.folder, 'name.txt')
    writeFileSync(file, 'Named in a file\n')
    expect((await json(['teams', 'post', '--name', `@${file}`])).name).toBe('Named in a file')
    expect((await json(['teams', 'post', '--name', '@@home'])).name).toBe('@home')
    expect(failureIn(await atrium('teams post --name @nowhere')).message).toContain('There is no file nowhere')
  })

  it('lets a name stand for a command', async () => {
    expect((await atrium(['alias', 'set', 'newest', "api_keys list --perPage 1 --columns 'name'"])).code).toBe(0)
    expect((await json('newest')).items).toEqual([{ name: 'Gamma key' }])
    expect((await json('-o json newest --perPage 2')).items).toHaveLength(2)
    expect((await json('alias list')).items[0].name).toBe('newest')
    expect(failureIn(await atrium(['alias', 'set', 'api_keys', 'x'])).code).toBe(2)
    await atrium('alias remove newest')
    expect((await atrium('newest')).code).toBe(2)
  })
})

describe('a profile that is not there', () => {
  it.each([['--profile nobody workspaces list'], ['whoami --profile nobody']])('is an error: %s', async words => {
    expect(failureIn(await atrium(words))).toMatchObject({
      code: 2,
      message: 'There is no profile nobody.',
      next: 'Run: atrium login --profile nobody',
    })
  })

  it('is an error from the environment too, and is made by a login', async () => {
    const env = { ATRIUM_PROFILE: 'other' }
    expect((await atrium('workspaces list', { env })).code).toBe(2)
    expect((await atrium('login --token -', { env, stdin: owner.token })).code).toBe(0)
    expect((await atrium('workspaces list', { env })).code).toBe(0)
  })
})

describe('atrium api', () => {
  it('sends any request with the login', async () => {
    expect((await json('api /v1/auth/whoami')).result.email).toBe('ada@example.com')
    expect((await json(`api ${baseUrl}/v1/auth/whoami`)).success).toBe(true)
    const made = await json(['api', '/v1/teams', '-f', `workspaceId=${owner.workspaceId}`, '-f', 'name=Raw team'])
    expect(made.result.name).toBe('Raw team')
    const bare = await atrium(['api', '/v1/auth/whoami', '--jq', '.result.id'])
    expect(bare.stdout.trim()).toBe(owner.userId)
    const words = ['api', '-X', 'DELETE', `/v1/teams/${owner.workspaceId}/${made.result.id}`]
    expect((await json(words)).success).toBe(true)
  })

  it('walks a list', async () => {
    const { items, count } = await json(`api /v1/api_keys/${owner.workspaceId}?perPage=2 --all`)
    expect([items.length, count]).toEqual([3, 3])
  })

  it('tells of a refusal as everywhere, and sends the login nowhere else', async () => {
    expect(failureIn(await atrium('api /v1/nothing'))).toMatchObject({ code: 3, status: 404 })
    expect(failureIn(await atrium('api https://example.com/v1/auth/whoami')).code).toBe(2)
    expect(failureIn(await atrium('api //example.com/v1/auth/whoami')).code).toBe(2)
  })
})

describe('a look inside', () => {
  it.each([
    [['--verbose'], {}],
    [[], { ATRIUM_DEBUG: '1' }],
  ])('shows requests and times, no secrets: %j', async (words, env) => {
    const { stderr, stdout } = await atrium(['auth', 'whoami', ...words], { env: env as Record<string, string> })
    expect(stderr).toMatch(/> GET \S+\/v1\/auth\/whoami/)
    expect(stderr).toContain('> authorization: Bearer ***')
    expect(stderr).toMatch(/< 200 after \d+ ms, request \S+/)
    expect(stderr + stdout).not.toContain(owner.token)
  })

  it('masks secrets in a body', async () => {
    const ran = await atrium(['auth', 'login', '--email', 'ada@example.com', '--password', 'Wrong4Horse!', '--verbose'])
    expect(ran.stderr).toContain('"password":"***"')
    expect(ran.stderr).not.toContain('Wrong4Horse!')
  })
})

describe('files and streams', () => {
  it('filters records that come line by line', async () => {
    const { stdout, stderr } = await atrium(['audit_logs', 'export', '--jq', 'select(.seq) | .seq'])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^1\n2\n3\n/)
    const lines = (await atrium('audit_logs export -o ndjson --columns seq')).stdout.trim().split('\n')
    expect(JSON.parse(lines[1] ?? '')).toEqual({ seq: expect.any(Number) })
    const words = ['events', 'stream', '--lastEventId', '0', '--jq', '.action']
    const followed = await atrium(words, { stopAtOutput: true })
    expect(followed.stdout.split('\n')[0]).toMatch(/^\w+\.\w+/)
  })

  it('refuses a format that a file cannot take', async () => {
    expect(failureIn(await atrium('audit_logs export -o yaml'))).toMatchObject({ code: 2 })
    expect(failureIn(await atrium('audit_logs export --format csv --jq .action')).message).toContain('text/csv')
  })
})

describe('a narrow terminal', () => {
  it('keeps names and shortens ids', async () => {
    const { stdout, stderr } = await atrium('api_keys list', { tty: true, columns: 50, env: { NO_COLOR: '1' } })
    const [head = '', first = ''] = stdout.split('\n')
    expect(head).toMatch(/^id +name/)
    expect(first).toMatch(/^key_\w{5}…\w{4} +Gamma key/)
    expect(stderr).toContain('ids are shortened')
    const wide = await atrium('teams list', { tty: true, columns: 160, env: { NO_COLOR: '1' } })
    expect(wide.stdout).toMatch(/^team_\w{24} /m)
  })
})

describe('--web', () => {
  it('opens the page of the console', async () => {
    const { stderr, stdout } = await atrium('api_keys list --web', { env: { BROWSER: 'true' } })
    expect([stderr, stdout]).toEqual([`Opening ${baseUrl}/w/${owner.workspaceId}/keys\n`, ''])
    const record = await atrium('teams get team_1 --web', { env: { BROWSER: 'true' } })
    expect(record.stderr).toContain(`/w/${owner.workspaceId}/teams/team_1`)
  })
})

describe('help', () => {
  it('says when the operations are those that came along', async () => {
    const other = await commandLine(baseUrl)
    expect((await other.atrium('--offline --help')).stdout).toContain('Operations that atrium 0.0.1 knows (')
    await other.atrium('spec update')
    expect((await other.atrium('--help')).stdout).toContain(`Operations of ${baseUrl}:`)
    await other.remove()
  })
})
