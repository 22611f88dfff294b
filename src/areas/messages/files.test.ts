import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let owner: TestCaller
let member: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
  member = await p.as('member', workspaceId)
})
afterAll(() => p.close())

const upload = (bytes: Uint8Array, by = owner, fields: object = {}) =>
  p.call('messages.files.post', { workspaceId, name: 'trace.log', content: { kind: 'bytes', bytes }, ...fields }, by)
const download = async (id: string, by = owner) => {
  const { statusCode, headers, rawPayload } = await p.app.inject({
    url: `/v1/messages/${workspaceId}/files/${id}`,
    headers: by.headers,
  })
  return { status: statusCode, headers, bytes: rawPayload }
}
const thread = async (fields: object = {}, by = owner) =>
  (await p.call('threads.post', { workspaceId, ...fields }, by)).result.id as string
const post = async (threadId: string, fileIds: string[], by = owner) =>
  p.call('messages.post', { workspaceId, threadId, parts: fileIds.map(fileId => ({ type: 'file', fileId })) }, by)
const kept = async () =>
  (
    await p.database.query<{ count: number }>(sql`
    select (select count(*)::int from blobs) + (select count(*)::int from blob_pieces) as count`)
  )[0]?.count

describe('files of messages', () => {
  it('come back byte for byte, with what is known of them in the message', async () => {
    const bytes = Buffer.alloc(700_001, 'a line of a log\n')
    const { status, result } = await upload(bytes, owner, { name: 'Größe 1.log', mimeType: 'text/plain' })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect([status, result]).toMatchObject([
      201,
      { name: 'Größe 1.log', mimeType: 'text/plain', size: 700_001, sha256 },
    ])
    const posted = await post(await thread(), [result.id])
    expect(posted.result.parts).toEqual([
      { type: 'file', fileId: result.id, name: 'Größe 1.log', mimeType: 'text/plain', size: 700_001 },
    ])
    for (const by of [owner, member]) {
      const { headers, bytes: got } = await download(result.id, by)
      expect(got.equals(bytes)).toBe(true)
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': '700001',
        'content-disposition': `attachment; filename="Gr__e 1.log"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201.log`,
      })
    }
  })

  it('are seen as their message is, and before that by whoever uploaded them', async () => {
    const { result } = await upload(Buffer.from('secret'))
    expect([(await download(result.id)).status, (await download(result.id, member)).status]).toEqual([200, 404])
    const others = await post(await thread({}, member), [result.id], member)
    expect([others.status, others.error.metadata.issues[0].path]).toEqual([400, 'parts.0.fileId'])
    await post(await thread({ visibility: 'private' }), [result.id])
    expect([(await download(result.id)).status, (await download(result.id, member)).status]).toEqual([200, 404])
    // A file is in one message only.
    expect((await post(await thread(), [result.id])).status).toBe(400)
    const stranger = await p.user()
    expect((await download(result.id, stranger)).status).toBe(403)
  })

  it('go with their message, and with the part that names them; the same bytes are kept once', async () => {
    const before = await kept()
    const bytes = Buffer.from('the same bytes')
    const [one, two] = [(await upload(bytes)).result.id, (await upload(bytes)).result.id]
    expect(await kept()).toBe((before ?? 0) + 2)
    const { result: message } = await post(await thread(), [one, two])
    const parts = [{ type: 'text', markdown: 'Only one' }, message.parts[1]]
    const changed = await p.call('messages.patch', { workspaceId, id: message.id, parts }, owner)
    expect(changed.result.parts).toEqual(parts)
    expect([(await download(one)).status, (await download(two)).status]).toEqual([404, 200])
    await p.call('messages.del', { workspaceId, id: message.id }, owner)
    expect([(await download(two)).status, await kept()]).toEqual([404, before])
  })

  it('are refused where they are too large, wrongly named, empty or hoarded', async () => {
    const bytes = Buffer.from('x')
    for (const name of ['', 'a/b', 'a"b', 'a\nb', 'x'.repeat(256)]) {
      expect([name, (await upload(bytes, owner, { name })).status]).toEqual([name, 400])
    }
    expect((await upload(bytes, owner, { mimeType: 'text/html; charset=x' })).status).toBe(400)
    expect((await upload(Buffer.alloc(0))).status).toBe(400)
    expect((await upload(Buffer.alloc(10 * 1024 * 1024 + 1))).status).toBe(413)
    const hoarder = await p.as('member', workspaceId)
    for (let count = 0; count < 50; count++) expect((await upload(bytes, hoarder)).status).toBe(201)
    expect((await upload(bytes, hoarder)).status).toBe(409)
  })

  it('of the largest size are kept and given back', async () => {
    const bytes = Buffer.alloc(10 * 1024 * 1024, 'abc')
    const { result } = await upload(bytes)
    expect((await download(result.id)).bytes.equals(bytes)).toBe(true)
  })
})
