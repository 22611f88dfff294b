// Bodies that are not small JSON: their forms, their limits, compression, and answers without the envelope.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { bundledDocument, commandLine, listen } from '../helpers/terminal.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
})
afterAll(() => p.close())

const mebibyte = 1024 * 1024

function post(verb: 'import' | 'measure', payload: Buffer | string, headers: Record<string, string>) {
  const url = `/v1/examples/${owner.workspaceId}/${verb}`
  return p.request({ method: 'POST', url, headers: { ...owner.headers, ...headers }, payload })
}

const ndjson = { 'content-type': 'application/x-ndjson' }
const gzip = { 'content-encoding': 'gzip' }
const line = (name: string) => `${JSON.stringify({ name })}\n`

describe('a body that an operation consumes', () => {
  it('comes in any of its forms, under any name of these', async () => {
    expect(await post('import', line('One') + line('Two'), ndjson)).toMatchObject({
      status: 201,
      result: { created: 2 },
    })
    expect(await post('import', line('Three'), { 'content-type': 'application/jsonl; charset=utf-8' })).toMatchObject({
      result: { created: 1 },
    })
    expect(await post('import', 'Four\n\nFive', { 'content-type': 'text/plain' })).toMatchObject({
      result: { created: 2 },
    })
  })

  it('is refused in any other, and where it is missing', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'image/png' }]) {
      expect(await post('import', line('Six'), headers)).toMatchObject({
        status: 400,
        error: { detail: 'Send the body as application/x-ndjson or text/plain.' },
      })
    }
    expect(await post('import', '', ndjson)).toMatchObject({ status: 400 })
    expect((await post('import', line('Six'), {})).status).toBe(400)
  })

  it('names the line that is wrong, and creates nothing', async () => {
    const text = `${line('Seven')}\n{"name": "Ei`
    expect(await post('import', text, ndjson)).toMatchObject({
      status: 400,
      error: { detail: 'Line 3: The body is not valid JSON.' },
    })
    expect(await post('import', Buffer.from([0x22, 0xff, 0x22]), ndjson)).toMatchObject({
      status: 400,
      error: { detail: 'Line 1: The body is not valid UTF-8.' },
    })
    const { result } = await p.call('examples.list', { workspaceId: owner.workspaceId, name: 'Seven' }, owner)
    expect(result.count).toBe(0)
  })

  it('is authorised before anything is made of it', async () => {
    const stranger = await p.user()
    const url = `/v1/examples/${owner.workspaceId}/import`
    const asked = (headers: object) =>
      p.request({ method: 'POST', url, headers: { ...headers, ...ndjson }, payload: 'not json' })
    expect((await asked(stranger.headers)).status).toBe(403)
    expect((await asked({})).status).toBe(401)
  })

  it('sent twice with one Idempotency-Key is carried out once; other bytes are a conflict', async () => {
    const headers = { ...ndjson, 'idempotency-key': 'import-1' }
    expect((await post('import', line('Eight'), headers)).result).toEqual({ created: 1 })
    expect((await post('import', line('Eight'), headers)).result).toEqual({ created: 1 })
    expect((await post('import', line('Nine'), headers)).status).toBe(409)
  })
})

describe('a limit of its own', () => {
  it('lets in more than 1 MiB, and no more than it says', async () => {
    expect((await post('import', Buffer.alloc(2 * mebibyte, '\n'), ndjson)).status).toBe(201)
    expect(await post('import', Buffer.alloc(2 * mebibyte + 1, '\n'), ndjson)).toMatchObject({
      status: 413,
      error: { detail: 'The body is larger than 2 MiB.' },
    })
    expect(await post('measure', Buffer.alloc(64 * 1024 + 1), { 'content-type': 'application/zip' })).toMatchObject({
      status: 413,
      error: { detail: 'The body is larger than 65536 bytes.' },
    })
  })

  it('changes nothing elsewhere', async () => {
    const payload = JSON.stringify({ workspaceId: owner.workspaceId, name: 'x'.repeat(mebibyte) })
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    expect(await p.request({ method: 'POST', url: '/v1/examples', headers, payload })).toMatchObject({
      status: 413,
      error: { detail: 'The body is larger than 1 MiB.' },
    })
  })
})

describe('gzip', () => {
  it('is inflated where the operation takes it', async () => {
    expect((await post('import', gzipSync(line('Ten')), { ...ndjson, ...gzip })).result).toEqual({ created: 1 })
  })

  it('is refused where it is not, or is something else', async () => {
    const url = '/v1/examples'
    const payload = gzipSync(JSON.stringify({ workspaceId: owner.workspaceId, name: 'Eleven' }))
    const headers = { ...owner.headers, 'content-type': 'application/json', ...gzip }
    expect(await p.request({ method: 'POST', url, headers, payload })).toMatchObject({
      status: 400,
      error: { detail: 'Send the body as it is, without Content-Encoding.' },
    })
    expect((await post('import', line('Twelve'), { ...ndjson, 'content-encoding': 'br' })).status).toBe(400)
    expect((await post('import', line('Twelve'), { ...ndjson, ...gzip })).status).toBe(400)
    expect((await post('import', gzipSync(line('Twelve')).subarray(0, 20), { ...ndjson, ...gzip })).status).toBe(400)
  })

  it('counts what it inflates to: a bomb is 413 before it is whole', async () => {
    const most = gzipSync(Buffer.alloc(2 * mebibyte, '\n'))
    expect((await post('import', most, { ...ndjson, ...gzip })).status).toBe(201)
    const bomb = gzipSync(Buffer.alloc(200 * mebibyte))
    expect(bomb.length).toBeLessThan(mebibyte)
    const before = process.memoryUsage().arrayBuffers
    expect((await post('import', bomb, { ...ndjson, ...gzip })).status).toBe(413)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * mebibyte)
  })
})

describe('envelope: false', () => {
  it('sends the result as it is, and refusals in the envelope', async () => {
    const zip = { 'content-type': 'application/zip' }
    const { status, body } = await post('measure', Buffer.from('PK\x05\x06'), zip)
    expect(status).toBe(200)
    expect(body).toEqual({ kind: 'zip', bytes: 4 })
    expect(await post('measure', 'x', { 'content-type': 'text/plain' })).toMatchObject({
      status: 400,
      body: { success: false },
    })
  })
})

describe('content, from', () => {
  let baseUrl: string
  beforeAll(async () => {
    baseUrl = await listen(p)
  })

  it('the document: its forms, its limit, gzip, and an answer without the envelope', () => {
    const { paths } = bundledDocument()
    const imported = paths['/v1/examples/{workspaceId}/import']?.post
    expect(imported).toMatchObject({
      'x-body-limit': 2 * mebibyte,
      requestBody: { required: true, content: { 'application/x-ndjson': {}, 'text/plain': {} } },
    })
    expect(imported?.parameters?.map(({ name }) => name)).toContain('Content-Encoding')
    const measured = paths['/v1/examples/{workspaceId}/measure']?.post
    const answer = measured?.responses?.['200']?.content?.['application/json']
    expect(Object.keys(answer?.schema?.properties ?? {})).toEqual(['kind', 'bytes'])
  })

  it('the client', async () => {
    const client = createClient({ baseUrl, token: owner.token }) as unknown as {
      call(id: string, input: object): Promise<unknown>
    }
    const { workspaceId } = owner
    const bytes = new TextEncoder().encode(line('From the client'))
    expect(await client.call('examples.import', { workspaceId, content: { kind: 'ndjson', bytes } })).toEqual({
      created: 1,
    })
    expect(await client.call('examples.measure', { workspaceId, content: { kind: 'protobuf', bytes } })).toEqual({
      kind: 'protobuf',
      bytes: bytes.length,
    })
  })

  it('the command line: a file by its ending, or stdin', async () => {
    const shell = await commandLine(baseUrl, bundledDocument())
    const run = (words: string[], stdin?: string) =>
      shell.atrium(words, { env: { ATRIUM_TOKEN: owner.token }, ...(stdin !== undefined && { stdin }) })
    const path = join(shell.folder, 'names.txt')
    writeFileSync(path, 'From a file\n')
    const { workspaceId } = owner
    const ran = await run(['examples', 'import', workspaceId, '--content', `@${path}`])
    expect([ran.stderr, ran.code, JSON.parse(ran.stdout)]).toEqual(['', 0, { created: 1 }])
    const zipped = join(shell.folder, 'bytes.zip')
    writeFileSync(zipped, Buffer.from([0x50, 0x4b, 0xff, 0x00]))
    const measured = await run(['examples', 'measure', workspaceId, '--content', `@${zipped}`])
    expect([measured.stderr, JSON.parse(measured.stdout)]).toEqual(['', { kind: 'zip', bytes: 4 }])
    const piped = await run(['examples', 'import', workspaceId, '--content', '@-'], line('From stdin'))
    expect([piped.stderr, JSON.parse(piped.stdout)]).toEqual(['', { created: 1 }])
    expect((await run(['examples', 'import', workspaceId])).code).toBe(2)
    const dry = await run(['examples', 'import', workspaceId, '--content', `@${path}`, '--curl'])
    expect(dry.stdout).toContain('--data-binary')
    await shell.remove()
  })
})
