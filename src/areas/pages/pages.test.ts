import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
const lines: string[] = []
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' }, logTo: line => void lines.push(line) })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

async function issue(fields: object = {}, caller = owner): Promise<string> {
  const input = { workspaceId, title: 'Checkout answers 502', body: 'The **pool** was full.', ...fields }
  return (await p.call('issues.post', input, caller)).result.id
}

const publish = async (fields: object = {}, caller = owner, id?: string) =>
  await p.call('issues.publish', { workspaceId, id: id ?? (await issue({}, caller)), ...fields }, caller)

const publicly = (id: string, caller?: TestCaller) => p.call('pages.public', { id }, caller)
const atAddress = (id: string, caller?: TestCaller) => p.request({ url: `/p/${id}`, headers: caller?.headers ?? {} })

describe('issues.publish', () => {
  it('makes a page of the issue as it stands, for members unless said otherwise', async () => {
    const id = await issue()
    await p.call('issues.notes.post', { workspaceId, id, text: 'It was ~~the network~~ the pool.' }, owner)
    const { status, result } = await publish({}, owner, id)
    expect(status).toBe(201)
    expect(result).toMatchObject({
      kind: 'issue_report',
      title: 'Checkout answers 502',
      source: { object: 'issue', id },
      visibility: 'workspace',
      url: `${p.config.PUBLIC_URL}/p/${result.id}`,
      redactions: 0,
      expiresAt: null,
      views: 0,
      createdBy: owner.userId,
      deleted: null,
    })
    expect(result.id).toMatch(/^page_[0-9a-z]{40}$/)
    const html = await p.call('pages.content', { workspaceId, id: result.id }, owner)
    expect(html.text).toContain('The <strong>pool</strong> was full.')
    expect(html.text).toContain('<del>the network</del>')
    expect(html.text).toContain('Issue #')
    expect(hash('sha256', html.text)).toBe(result.sha256)
    expect(Buffer.byteLength(html.text)).toBe(result.bytes)
    expect(html.headers.etag).toBe(`"${result.sha256}"`)
    await p.call('issues.patch', { workspaceId, id, title: 'Renamed since' }, owner)
    expect((await p.call('pages.content', { workspaceId, id: result.id }, owner)).text).toBe(html.text)
  })

  it('shows the same as Markdown and as JSON', async () => {
    const { result } = await publish({ title: 'A [title] of its own' })
    const md = await p.call('pages.content', { workspaceId, id: result.id, format: 'md' }, owner)
    expect(md.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(md.text).toMatch(/^# A \\\[title\\\] of its own\n/)
    expect(md.text).toContain('The **pool** was full.')
    const json = await p.call('pages.content', { workspaceId, id: result.id, format: 'json' }, owner)
    expect(json.body).toMatchObject({ title: 'A [title] of its own', kind: 'issue_report', redactions: 0 })
  })

  it('takes out secrets and addresses, everywhere, and counts them', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const id = await issue({ title: `Token ${secret} leaked`, body: `ada@example.com wrote \`${secret}\`` })
    const { result, text } = await publish({}, owner, id)
    expect(result.redactions).toBe(3)
    expect(text).not.toContain(secret)
    for (const format of ['html', 'md', 'json']) {
      const content = await p.call('pages.content', { workspaceId, id: result.id, format }, owner)
      expect(content.text).not.toMatch(/ghp_|ada@/)
      expect(content.text).toContain('redacted')
    }
  })

  it('keeps to what the workspace has settled', async () => {
    const settle = (pages: object) => p.call('workspaces.settings.patch', { workspaceId, pages }, owner)
    await settle({ links: false, maxTtlDays: 7 })
    expect((await publish({ visibility: 'link' })).status).toBe(409)
    const long = await publish({ ttlDays: 8 })
    expect([long.status, long.error.metadata.issues[0].path]).toEqual([400, 'ttlDays'])
    const inDays = (days: number) => new Date(p.now().getTime() + days * 86_400_000).toISOString().slice(0, 13)
    expect((await publish()).result.expiresAt.slice(0, 13)).toBe(inDays(7))
    await settle({ links: true, maxTtlDays: null })
    expect((await publish({ ttlDays: 30 })).result.expiresAt.slice(0, 13)).toBe(inDays(30))
  })

  it('needs the right to write issues, and an issue', async () => {
    const viewer = await p.as('viewer', workspaceId)
    expect((await publish({}, viewer, await issue())).status).toBe(403)
    expect((await publish({}, owner, `issue_${'0'.repeat(24)}`)).status).toBe(404)
  })
})

describe('a page', () => {
  it('by link is read by everybody who has its address', async () => {
    const { result } = await publish({ visibility: 'link' })
    for (const answer of [await publicly(result.id), await atAddress(result.id)]) {
      expect(answer.status).toBe(200)
      expect(answer.text).toContain('<strong>pool</strong>')
      expect(answer.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^ ]+'; base-uri/,
      )
      expect(answer.headers['x-robots-tag']).toContain('noindex')
      expect(answer.headers['referrer-policy']).toBe('no-referrer')
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.text).not.toContain('<script')
    }
  })

  it('for the workspace is read by members alone; nobody else can tell that it is there', async () => {
    const { result } = await publish()
    const stranger = await p.user()
    const none = `page_${'0'.repeat(40)}`
    for (const caller of [undefined, stranger]) {
      expect((await publicly(result.id, caller)).text).toBe((await publicly(none, caller)).text)
      expect((await publicly(result.id, caller)).status).toBe(404)
      expect((await atAddress(result.id, caller)).text).toBe((await atAddress(none, caller)).text)
    }
    const viewer = await p.as('viewer', workspaceId)
    for (const caller of [owner, viewer]) {
      expect((await publicly(result.id, caller)).status).toBe(200)
      expect((await atAddress(result.id, caller)).status).toBe(200)
    }
    const key = await p.key(owner, { scopes: ['issues:read'] })
    expect((await publicly(result.id, key)).status).toBe(404)
    expect((await publicly(result.id, await p.key(owner, { scopes: ['pages:read'] }))).status).toBe(200)
    expect((await p.call('pages.content', { workspaceId: stranger.workspaceId, id: result.id }, stranger)).status).toBe(
      404,
    )
  })

  it('counts its views, and of nobody who they were', async () => {
    const { result } = await publish({ visibility: 'link' })
    await publicly(result.id)
    await atAddress(result.id)
    await p.call('pages.content', { workspaceId, id: result.id }, owner)
    const views = async () => (await p.call('pages.get', { workspaceId, id: result.id }, owner)).result
    await expect.poll(async () => (await views()).views).toBe(2)
    expect((await views()).lastViewedAt).not.toBeNull()
    const columns = await p.database.query<{ name: string }>(sql`
      select column_name as name from information_schema.columns where table_name = 'page_views' order by 1`)
    expect(columns.map(({ name }) => name)).toEqual(['last_viewed_at', 'page_id', 'views'])
  })

  it('ends when its time is over', async () => {
    const { result } = await publish({ visibility: 'link', ttlDays: 1 })
    p.advance(86_400_000 - 60_000)
    expect((await atAddress(result.id)).status).toBe(200)
    p.advance(60_000)
    expect((await atAddress(result.id)).status).toBe(410)
    expect((await publicly(result.id)).status).toBe(410)
    expect((await p.call('pages.content', { workspaceId, id: result.id }, owner)).status).toBe(410)
    expect((await p.call('pages.get', { workspaceId, id: result.id }, owner)).status).toBe(200)
  })

  it('goes with its workspace, and stays when its source goes', async () => {
    const other = await p.user()
    const made = await p.call('issues.post', { workspaceId: other.workspaceId, title: 'Elsewhere' }, other)
    const input = { workspaceId: other.workspaceId, id: made.result.id, visibility: 'link' }
    const { result } = await p.call('issues.publish', input, other)
    await p.call('issues.del', { workspaceId: other.workspaceId, id: made.result.id }, other)
    expect((await p.call('pages.get', { ...input, id: result.id }, other)).result.source).toBeNull()
    expect((await publicly(result.id)).status).toBe(200)
    await p.database.query(sql`update workspaces set status = 'deleting' where id = ${other.workspaceId}`)
    expect((await publicly(result.id)).status).toBe(410)
  })

  it('stands in no log, and in no text of the ledger', async () => {
    const { result } = await publish({ visibility: 'link' })
    await atAddress(result.id)
    await publicly(result.id)
    await p.call('pages.del', { workspaceId, id: result.id }, owner)
    await publicly(result.id)
    expect(lines.join('\n')).not.toContain(result.id)
    const log = await p.call('audit_logs.list', { workspaceId, perPage: 50 }, owner)
    const about = log.result.items.filter(({ target }: { target: { id: string } }) => target?.id === result.id)
    expect(about.map(({ action }: { action: string }) => action)).toEqual(['pages.del', 'issues.publish'])
    for (const { changes } of about) expect(JSON.stringify(changes)).not.toContain(result.id)
  })
})

describe('pages.del', () => {
  it('revokes at once, also for members, and says who did it', async () => {
    const { result } = await publish({ visibility: 'link' })
    expect((await p.call('pages.del', { workspaceId, id: result.id }, owner)).status).toBe(200)
    for (const answer of [await publicly(result.id), await atAddress(result.id, owner)]) expect(answer.status).toBe(410)
    const page = (await p.call('pages.get', { workspaceId, id: result.id }, owner)).result
    expect(page.deletedBy).toBe(owner.userId)
    expect(page.deleted).not.toBeNull()
    expect((await p.call('pages.del', { workspaceId, id: result.id }, owner)).status).toBe(410)
    const [content] = await p.database.query<{ purgeAt: string }>(sql`
      select purge_at from page_contents where page_id = ${result.id}`)
    expect(Date.parse(content?.purgeAt ?? '') - Date.parse(page.deleted)).toBe(30 * 86_400_000)
  })

  it('is for who published it, and for admins', async () => {
    const [mine, other] = [await p.as('member', workspaceId), await p.as('member', workspaceId)]
    const { result } = await publish({}, mine)
    expect((await p.call('pages.del', { workspaceId, id: result.id }, other)).status).toBe(404)
    expect((await p.call('pages.del', { workspaceId, id: result.id }, mine)).status).toBe(200)
  })
})
