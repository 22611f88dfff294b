// Imports that are cut short, and what is written anew: hashes of texts whose ids are others, and people who come.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../src/areas/memories/changes.ts'
import { sql } from '../../src/kit/sql.ts'
import { type Answer, password, type TestPlatform } from '../helpers/platform.ts'
import { storedIn } from '../helpers/stored.ts'
import { type Homes, twoHomes } from './homes.ts'
import { linesOf } from './zips.ts'

let homes: Homes
let here: TestPlatform
/** The process is gone when it comes to this statement: from then on it writes nothing, not even to clean up. */
let lastWords: string | null = null
let isGone = false

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

beforeAll(async () => {
  homes = await twoHomes(
    async ({ p, workspaceId }) => {
      const [issue] = await p.database.query<{ id: string }>(sql`select id from issues limit 1`)
      const words = `see ${issue?.id}`
      await p.database.query(sql`
        update page_contents set html = html || ${words} where page_id in (
          select id from pages where workspace_id = ${workspaceId})`)
      await p.database.query(sql`
        update pages g set sha256 = encode(sha256(convert_to(c.html, 'UTF8')), 'hex') from page_contents c
        where c.page_id = g.id`)
      await p.database.query(sql`
        update autofixes set patch = patch || ${words},
          patch_sha256 = encode(sha256(convert_to(patch || ${words}, 'UTF8')), 'hex')`)
      await p.database.query(sql`update memories set markdown = markdown || ${words}`)
    },
    ({ text }) => {
      isGone ||= lastWords !== null && text.includes(lastWords)
      if (isGone) throw new Error('the process was killed')
    },
  )
  here = homes.here
}, 600_000)
afterAll(() => here.close())

async function killedAt(words: string): Promise<Answer> {
  lastWords = words
  try {
    return await homes.send(homes.zip, homes.owner)
  } finally {
    lastWords = null
    isGone = false
  }
}

describe('an import whose process is killed', () => {
  const places = ['insert into blobs', 'insert into "messages"', 'insert into workspace_histories']

  it.each(places)('at "%s" leaves nothing that anybody sees, and the purge takes the rest', async place => {
    const before = await homes.everything()
    expect((await killedAt(place)).status).toBeGreaterThanOrEqual(500)
    const { result } = await here.call('workspaces.list', {}, homes.owner)
    expect(result.items.map(({ id }: { id: string }) => id)).not.toContain(homes.w.workspaceId)
    const rows = () => here.database.query(sql`select id from workspaces where id = ${homes.w.workspaceId}`)
    expect(await rows()).toHaveLength(1)
    here.advance(31 * 60_000)
    await here.platform.jobs.enqueue()('workspaces.purge', {})
    await expect.poll(async () => (await rows()).length, { timeout: 20_000 }).toBe(0)
    const people = () => here.database.query(sql`select user_id from placeholders`)
    await expect.poll(async () => (await people()).length, { timeout: 20_000 }).toBe(0)
    // Rows of datasets are removed by the job that removes those of any dataset; how far it was, with all that ages.
    const own = (lines: readonly string[]) =>
      lines.filter(line => !/^public\.(dataset_|workspace_imports\.)/.test(line))
    // What came and went with them is summed up to nothing.
    await here.platform.jobs.runNow('api_keys.sumUpCounts')
    expect(own(await homes.everything()).filter(line => !before.includes(line))).toEqual([])
  })

  it('is made good by the next one, under the ids of the archive', async () => {
    expect((await killedAt('insert into "messages"')).status).toBeGreaterThanOrEqual(500)
    here.advance(31 * 60_000)
    const { status, result } = await homes.send(homes.zip, homes.owner)
    expect([status, result.id, result.ids.renewed]).toEqual([201, homes.w.workspaceId, 0])
    expect(await here.database.query(sql`select id from workspaces where status = 'deleting'`)).toEqual([])
  })
})

describe('under new ids', () => {
  it('hashes of texts are those of the texts as they are', async () => {
    const { status, result } = await homes.send(homes.zip, homes.owner)
    expect([status, result.ids.kept]).toEqual([201, 0])
    const id = result.id
    const pages = await here.database.query<{ html: string; sha256: string }>(sql`
      select c.html, g.sha256 from pages g join page_contents c on c.page_id = g.id where g.workspace_id = ${id}`)
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.map(one => sha256(one.html))).toEqual(pages.map(one => one.sha256))
    const told = linesOf(homes.files, 'areas/pages/pages.ndjson').map(one => one.sha256)
    expect(pages.filter(one => told.includes(one.sha256))).toEqual([])
    const patches = await here.database.query<{ patch: string; patchSha256: string }>(
      sql`select patch, patch_sha256 from autofixes where workspace_id = ${id}`,
    )
    expect(patches.length).toBeGreaterThan(0)
    expect(patches.map(({ patch }) => sha256(patch))).toEqual(patches.map(({ patchSha256 }) => patchSha256))
    const memories = await here.database.query<{ title: string; markdown: string; hash: string }>(
      sql`select title, markdown, hash from memories where workspace_id = ${id}`,
    )
    expect(memories.length).toBeGreaterThan(0)
    expect(memories.map(hashOf)).toEqual(memories.map(({ hash }) => hash))
  })
})

describe('whoever claims a placeholder', () => {
  it('stands wherever it stood, also where they stood before', { timeout: 90_000 }, async () => {
    const { workspaceId } = homes.w
    const members = linesOf(homes.files, 'areas/workspaces/workspace_members.ndjson')
    const lost = members.find(({ position }) => position === 'admin')?.user_id as string
    const email = homes.addressOf(lost) ?? ''
    const { result: signedUp } = await here.call('auth.signup', { email, password })
    const headers = { authorization: `Bearer ${signedUp.token}` }
    const [user] = await here.database.query<{ id: string }>(sql`select id from users where email = ${email}`)
    const own = user?.id ?? ''
    const now = here.now()
    // They are a member by then, and both have rated the same issue.
    await here.database.query(sql`
      insert into workspace_members (workspace_id, user_id, position, status, created, updated)
      values (${workspaceId}, ${own}, 'member', 'active', ${now}, ${now})`)
    const [issue] = await here.database.query<{ id: string }>(
      sql`select id from issues where workspace_id = ${workspaceId} limit 1`,
    )
    for (const rater of [lost, own]) {
      await here.database.query(sql`
        insert into ratings (id, workspace_id, object, record_id, rater, credential, value, created, updated)
        values (${`rating_${rater.slice(-24)}`}, ${workspaceId}, 'issue', ${issue?.id}, ${rater}, 'session', 1, ${now}, ${now})`)
    }
    const text = `ask ${lost} first`
    await here.database.query(sql`update messages set text = ${text} where workspace_id = ${workspaceId}`)
    // A table without the workspace.
    const steps = await here.database.query(sql`
      update automation_steps set people = array[${lost}], output = ${JSON.stringify({ by: lost })}::json
      where execution_id in (select id from automation_executions where workspace_id = ${workspaceId}) returning path`)
    expect(steps.length).toBeGreaterThan(0)
    const code = await here.code(email)
    expect((await here.call('auth.verifyEmail', { email, code }, { headers })).status).toBe(200)
    // The process is gone in the middle of the writing, and another one goes on.
    lastWords = 'update "messages" t'
    expect((await here.call('workspaces.claims.accept', { id: lost }, { headers })).status).toBe(200)
    await expect.poll(() => isGone, { timeout: 30_000 }).toBe(true)
    lastWords = null
    isGone = false
    await here.platform.jobs.runNow('workspaces.claim')
    const gone = () => here.database.query(sql`select user_id from placeholders where user_id = ${lost}`)
    await expect.poll(async () => (await gone()).length, { timeout: 60_000 }).toBe(0)
    const left = await storedIn(here, table => /ledger|workspace_file|mailbox/.test(table))
    const naming = left.filter(({ value }) => String(value).includes(lost))
    expect(naming.map(({ table, column }) => `${table}.${column}`)).toEqual([])
    const ratings = await here.database.query<{ rater: string }>(
      sql`select rater from ratings where workspace_id = ${workspaceId} and record_id = ${issue?.id}`,
    )
    expect(ratings.filter(({ rater }) => rater === own)).toHaveLength(1)
  })

  it('is offered the place when the workspace is back that was away', { timeout: 90_000 }, async () => {
    const { workspaceId } = homes.w
    const [waiting] = await here.database.query<{ userId: string; address: string }>(
      sql`select user_id, address from placeholders where workspace_id = ${workspaceId} and address is not null limit 1`,
    )
    const { result } = await here.call('workspaces.get', { workspaceId }, homes.owner)
    await here.call('workspaces.del', { workspaceId, confirm: result.slug }, homes.owner)
    const email = waiting?.address ?? ''
    const { result: signedUp } = await here.call('auth.signup', { email, password })
    const headers = { authorization: `Bearer ${signedUp.token}` }
    await here.call('auth.verifyEmail', { email, code: await here.code(email) }, { headers })
    expect((await here.call('workspaces.restore', { workspaceId }, homes.owner)).status).toBe(200)
    const told = async () =>
      (await here.call('auth.inbox.list', { type: 'workspaces.imported' }, { headers })).result.items.length
    // The same archive is here under other ids, too: of that they may have been told when they proved their address.
    await expect.poll(told, { timeout: 60_000 }).toBeGreaterThan(0)
    expect((await here.call('workspaces.claims.accept', { id: waiting?.userId }, { headers })).status).toBe(200)
    expect((await here.call('workspaces.get', { workspaceId }, { headers })).status).toBe(200)
  })
})
