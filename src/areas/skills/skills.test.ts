// Skills over HTTP: their text in the Agent Skills format, files, versions, prompts, and what is counted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { zipped } from '../../../test/skills/zipped.ts'
import { requestOf } from '../../client/request.ts'
import { operations } from '../../operations.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const description = 'Sorts new alerts by cause. Use when several come at once.'
let count = 0
const slug = () => `skill-${count++}`
const call = (id: string, input: Record<string, unknown> = {}, caller: TestCaller = owner) =>
  p.call(`skills.${id}`, { workspaceId, ...input }, caller)
const made = async (input: Record<string, unknown> = {}) =>
  (await call('post', { slug: slug(), description, body: 'Look first.\n', ...input })).result
const put = (id: string, path: string, text: string | Uint8Array, caller = owner) =>
  call('files.put', { id, path, content: { kind: 'bytes', bytes: Buffer.from(text as string) } }, caller)
const importing = async (files: Record<string, string>, caller = owner) =>
  call('import', { content: { kind: 'zip', bytes: await zipped(files) } }, caller)
const skillMd = (name: string, rest = '') => `---\nname: ${name}\ndescription: ${description}\n${rest}---\nDo it.\n`

async function downloaded(id: string, input: Record<string, unknown>): Promise<Buffer> {
  const { path } = requestOf(operations[id as 'skills.export'], { workspaceId, ...input })
  const answer = await p.app.inject({ url: path, headers: owner.headers })
  expect(answer.statusCode, answer.payload).toBe(200)
  return answer.rawPayload
}

describe('skills.post', () => {
  it('writes a SKILL.md from fields, and shows what it says', async () => {
    const fields = {
      slug: slug(),
      description: 'Says "yes: no" # and more.\nUse when asked.',
      body: '\n# Steps\n',
      license: 'Apache-2.0',
      compatibility: 'Needs git',
      metadata: { version: '1.0' },
      allowedTools: ['issues_list', 'Bash(git add:*)'],
    }
    const { status, result } = await call('post', fields)
    expect(status).toBe(201)
    expect(result).toMatchObject({ ...fields, version: 1, enabled: true, source: 'manual', files: [], useCount: 0 })
    expect(result.warnings).toEqual(['"Bash(git add:*)" is no tool of this platform; a run here cannot call it.'])
    const again = await call('validate', { markdown: result.markdown })
    expect(again.result).toMatchObject({ valid: true, errors: [] })
    expect((await call('get', { id: result.id })).result).toEqual(result)
  })

  it('takes a whole SKILL.md and keeps it byte for byte', async () => {
    const name = slug()
    const markdown = `\ufeff---\r\n# why\r\nname:   ${name}\r\ndescription: >-\r\n  Folded\r\n  text for when it is needed\r\nmetadata: {a: 1}\r\n---\r\n\r\nBody\r\n`
    const { result } = await call('post', { markdown })
    expect(result).toMatchObject({ slug: name, description: 'Folded text for when it is needed', markdown })
    expect(result).toMatchObject({ body: '\r\nBody\r\n', metadata: { a: '1' } })
  })

  it('refuses with the line, another slug, a mixture, a taken name and a schema that is none', async () => {
    const wrong = await call('post', { markdown: '---\nname: x\ndescription: [\n---\n' })
    expect(wrong.status).toBe(400)
    expect(wrong.error.detail).toMatch(/^"markdown", line \d: /)
    expect(wrong.error.metadata.issues[0]).toMatchObject({ path: 'markdown', line: 4 })
    expect((await call('post', { slug: 'other', markdown: skillMd('one') })).status).toBe(400)
    expect((await call('post', { description, markdown: skillMd('one') })).status).toBe(400)
    expect((await call('post', { slug: 'no-description' })).status).toBe(400)
    for (const bad of ['Upper', '-a', 'a-', 'a--b', 'a_b', 'x'.repeat(65)]) {
      expect((await call('post', { slug: bad, description, body: '' })).status).toBe(400)
    }
    const taken = await made()
    expect((await call('post', { slug: taken.slug, description })).status).toBe(409)
    for (const schema of [
      {},
      { type: 'array' },
      { type: 'object', properties: { 'a b': {} } },
      { type: 'object', required: ['x'] },
    ]) {
      const refused = await call('post', { slug: slug(), description, parametersSchema: schema })
      expect(refused.status, JSON.stringify(schema)).toBe(400)
    }
  })
})

describe('skills.validate', () => {
  it('names every error with its line and field, and advises', async () => {
    const markdown = '---\nname: Bad Name\nfoo: 1\nmetadata:\n  v: 1.0\n  x: [1]\nallowed-tools: [a]\n---\n'
    const { result } = await call('validate', { markdown })
    expect(result.valid).toBe(false)
    expect(result.errors.map(({ line, field }: { line: number; field: string }) => [line, field])).toEqual([
      [1, 'description'],
      [2, 'name'],
      [3, 'foo'],
      [4, 'metadata'],
      [7, 'allowed-tools'],
    ])
    expect(result.advice).toContainEqual(expect.objectContaining({ line: 5, field: 'metadata.v' }))
  })

  it.each([
    ['no front matter', 'Just text', 1],
    ['front matter without an end', '---\nname: a\n', 1],
    ['YAML that is none', '---\nname: "a\n---\n', 3],
    ['a name twice', '---\nname: a\nname: b\n---\n', 3],
    ['a tag', '---\nname: !!js/function x\ndescription: y\n---\n', 2],
    ['an alias', '---\nname: a\ndescription: *d\n---\n', 3],
    ['a NUL', '---\nname: a\ndescription: "x\\0y"\n---\n', 3],
    ['an empty description', '---\nname: a\ndescription: ""\n---\n', 3],
    ['a long description', `---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\n`, 3],
  ])('refuses %s', async (_, markdown, line) => {
    const { status, result } = await call('validate', { markdown })
    expect(status).toBe(200)
    expect(result).toMatchObject({ valid: false, errors: [expect.objectContaining({ line })] })
  })
})

describe('skills.patch', () => {
  it('changes only the lines that it must, and makes a version of each new text', async () => {
    const name = slug()
    const markdown = `---\nname: ${name}\n# keep me\ndescription: ${description}\n---\nBody\n`
    const { id } = (await call('post', { markdown })).result
    const licensed = (await call('patch', { id, license: 'MIT' })).result
    expect(licensed.markdown).toBe(
      `---\nname: ${name}\n# keep me\ndescription: ${description}\nlicense: MIT\n---\nBody\n`,
    )
    expect(licensed.version).toBe(2)
    expect((await call('patch', { id, license: null })).result).toMatchObject({ markdown, version: 3, license: null })
    expect((await call('patch', { id, body: 'New\n' })).result).toMatchObject({ body: 'New\n', version: 4 })
    expect((await call('patch', { id, body: 'New\n' })).result.version).toBe(4)
    expect((await call('patch', { id, enabled: false })).result).toMatchObject({ enabled: false, version: 4 })
    expect((await call('patch', { id })).result.version).toBe(4)
  })

  it('renames it in the text too, and refuses a text of another name', async () => {
    const skill = await made()
    const renamed = slug()
    const after = (await call('patch', { id: skill.id, slug: renamed })).result
    expect(after.markdown).toContain(`name: ${renamed}\n`)
    expect((await call('patch', { id: skill.id, markdown: skillMd('another') })).status).toBe(400)
    const both = await call('patch', { id: skill.id, slug: 'both', markdown: skillMd('both') })
    expect(both.result).toMatchObject({ slug: 'both', version: 3 })
    const taken = await made()
    expect((await call('patch', { id: skill.id, slug: taken.slug })).status).toBe(409)
    const stale = await p.call('skills.patch', { workspaceId, id: skill.id, body: '' }, owner, { 'if-match': '"old"' })
    expect(stale.status).toBe(409)
  })
})

describe('files', () => {
  it('are put, listed, read and removed, each a version that keeps its own', async () => {
    const { id } = await made()
    const bytes = Buffer.from([0, 255, 1, 254])
    const first = await put(id, 'scripts/run.py', 'print(1)\n')
    expect(first.result).toMatchObject({ path: 'scripts/run.py', mimeType: 'text/x-python', size: 9 })
    const binary = (await put(id, 'data.bin', bytes)).result
    expect(binary.mimeType).toBe('application/octet-stream')
    expect((await put(id, 'data.bin', bytes)).result.id).toBe(binary.id)
    const second = (await put(id, 'scripts/run.py', 'print(2)\n')).result
    const listed = (await call('files.list', { id, order: 'asc' })).result
    expect(listed.items).toEqual([binary, second])
    expect(await downloaded('skills.files.get', { id, fileId: binary.id })).toEqual(bytes)
    expect(String(await downloaded('skills.files.get', { id, fileId: first.result.id }))).toBe('print(1)\n')
    expect((await call('files.read', { id, path: 'scripts/run.py' })).result.text).toBe('print(2)\n')
    expect((await call('files.read', { id, path: 'data.bin' })).result.base64).toBe(bytes.toString('base64'))
    expect((await call('files.del', { id, fileId: first.result.id })).status).toBe(404)
    expect((await call('files.del', { id, fileId: second.id })).status).toBe(200)
    const { version, files } = (await call('get', { id })).result
    expect([version, files]).toEqual([5, [binary]])
    const versions = (await call('versions.list', { id, order: 'asc' })).result.items
    const paths = versions.map((one: { files: { path: string }[] }) => one.files.map(({ path }) => path))
    expect(paths).toEqual([
      [],
      ['scripts/run.py'],
      ['data.bin', 'scripts/run.py'],
      ['data.bin', 'scripts/run.py'],
      ['data.bin'],
    ])
  })

  it('refuse paths that lead elsewhere, SKILL.md, and what is too large or too many', async () => {
    const { id } = await made()
    await put(id, 'a/b.md', 'x')
    for (const path of [
      '/etc/passwd',
      '../x',
      'a/../../x',
      './x',
      'a//x',
      'a\\x',
      'C:x',
      'A/B.md',
      'a',
      'skill.md',
      'x\u0001',
    ]) {
      expect((await put(id, path, 'x')).status, path).toBe(400)
    }
    expect((await put(id, 'big', Buffer.alloc(1024 * 1024 + 1))).status).toBe(413)
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`many/f${index}`, 'x']))
    expect((await importing({ 'many/SKILL.md': skillMd('many'), ...many })).status).toBe(400)
    expect((await call('get', { id })).result.version).toBe(2)
  })
})

describe('skills.versions.revert', () => {
  it('brings text, parameters and files back as a new version', async () => {
    const schema = { type: 'object', properties: { service: { type: 'string' } } }
    const skill = await made({ parametersSchema: schema })
    const { id } = skill
    await put(id, 'one.md', 'one')
    await call('patch', { id, body: 'Changed.\n', parametersSchema: null })
    await put(id, 'one.md', 'two')
    const back = (await call('versions.revert', { id, version: '2' })).result
    expect(back).toMatchObject({ version: 5, body: skill.body, markdown: skill.markdown, parametersSchema: schema })
    expect((await call('files.read', { id, path: 'one.md' })).result.text).toBe('one')
    expect((await call('versions.revert', { id, version: '9' })).status).toBe(404)
    expect((await call('versions.revert', { id, version: 'x' })).status).toBe(404)
  })
})

describe('skills.import and skills.export', () => {
  it('create, update or leave alone, all or none', async () => {
    const [one, two] = [slug(), slug()]
    const files = { [`${one}/SKILL.md`]: skillMd(one), [`${one}/a/b.txt`]: 'b', [`sub/${two}/SKILL.md`]: skillMd(two) }
    const first = (await importing(files)).result.items
    expect(first.map(({ action }: { action: string }) => action)).toEqual(['created', 'created'])
    const second = (await importing({ ...files, [`${one}/a/b.txt`]: 'c' })).result.items
    expect(second).toEqual([
      { slug: one, id: first[0].id, action: 'updated' },
      { slug: two, id: first[1].id, action: 'unchanged' },
    ])
    const failed = await importing({ ...files, [`${one}/a/b.txt`]: 'd', 'bad/SKILL.md': 'nothing' })
    expect(failed.status).toBe(400)
    expect(failed.error.detail).toMatch(/^"bad\/SKILL.md", line 1: /)
    expect((await call('get', { id: first[0].id })).result).toMatchObject({ version: 2, source: 'imported' })
    const zip = await downloaded('skills.export', { id: first[0].id })
    expect(zip).toEqual(await zipped({ [`${one}/SKILL.md`]: skillMd(one), [`${one}/a/b.txt`]: 'c' }))
  })

  it('take a skill at the top, and refuse strays, other names, and repositories that are not there', async () => {
    const name = slug()
    expect((await importing({ 'SKILL.md': skillMd(name), 'x/SKILL.md': 'a file' })).result.items[0].slug).toBe(name)
    expect((await importing({ 'folder/SKILL.md': skillMd('name') })).status).toBe(400)
    expect((await importing({ [`${name}/SKILL.md`]: skillMd(name), 'README.md': 'x' })).status).toBe(400)
    expect((await importing({ 'README.md': 'x' })).status).toBe(400)
    const json = { kind: 'json', bytes: Buffer.from('{"repositoryId":"repo_1","path":"skills"}') }
    const refused = await call('import', { content: json })
    expect([refused.status, refused.error.metadata.issues[0].path]).toEqual([400, 'repositoryId'])
  })
})

describe('skills.prompt', () => {
  it('puts arguments where they are named, and the others behind', async () => {
    const properties = {
      service: { type: 'string', enum: ['checkout', 'search'] },
      days: { type: 'integer', minimum: 1 },
    }
    const parametersSchema = { type: 'object', properties, required: ['service'] }
    const { id } = await made({ body: 'Look at {{ service }} and {{other}}.\n', parametersSchema })
    const prompt = (args?: Record<string, string>) => call('prompt', { id, ...(args && { arguments: args }) })
    const { result } = await prompt({ service: 'checkout', days: '3' })
    expect(result.text).toBe('Look at checkout and {{other}}.\n\nArguments:\n\n- days: 3')
    const wrong: (Record<string, string> | undefined)[] = [
      undefined,
      { service: 'x' },
      { service: 'search', days: '0' },
      { service: 'search', days: 'x' },
      { service: 'search', more: '' },
    ]
    for (const args of wrong) {
      expect((await prompt(args)).status, JSON.stringify(args)).toBe(400)
    }
  })

  it('refuses what would be very large before it is made', async () => {
    const parametersSchema = { type: 'object', properties: { x: { type: 'string' } } }
    const { id } = await made({ body: '{{x}}'.repeat(1_000), parametersSchema })
    const refused = await call('prompt', { id, arguments: { x: 'x'.repeat(2_000) } })
    expect([refused.status, refused.error.detail]).toEqual([413, expect.stringContaining('shorten them')])
    expect((await call('prompt', { id, arguments: { x: 'y' } })).result.text).toBe('y'.repeat(1_000))
  })
})

describe('use and ratings', () => {
  it('are counted for the version that they are about; people are not counted', async () => {
    const { id } = await made()
    const run = await p.run(owner, 'private')
    const rate = (value: number, caller: TestCaller) =>
      p.call('ratings.post', { workspaceId, object: 'skill', objectId: id, value, reason: 'other' }, caller)
    await call('prompt', { id }, run)
    await call('prompt', { id })
    await rate(1, owner)
    p.advance(10)
    await call('patch', { id, body: 'Better.\n' })
    p.advance(10)
    await call('get', { id }, run)
    await call('files.read', { id, path: 'SKILL.md' }, run)
    await rate(-1, await p.as('member', workspaceId))
    await expect.poll(async () => (await call('get', { id })).result.useCount, { timeout: 10_000 }).toBe(3)
    const [second, first] = (await call('versions.list', { id })).result.items
    expect(first).toMatchObject({ version: 1, useCount: 1, rating: { up: 1, down: 0 } })
    expect(second).toMatchObject({ version: 2, useCount: 2, rating: { up: 0, down: 1 } })
    expect((await call('get', { id })).result.rating).toEqual({ up: 1, down: 1 })
  })
})

describe('a skill', () => {
  it('is found by its words, listed without its text, and its ledger holds no texts', async () => {
    const skill = await made({ body: 'Restart the zanzibar daemon.\n' })
    const found = (await p.call('search.query', { workspaceId, q: 'zanzibar' }, owner)).result.items
    expect(found).toContainEqual(expect.objectContaining({ object: 'skill', id: skill.id }))
    const [item] = (await call('list', { slug: skill.slug })).result.items
    expect(item).toMatchObject({ id: skill.id, description })
    expect(Object.keys(item)).not.toContain('body')
    const { result } = await p.call('audit_logs.list', { workspaceId, perPage: 1 }, owner)
    expect(result.items[0].action).toBe('skills.post')
    expect(JSON.stringify(result)).not.toContain('zanzibar daemon')
  })
})
