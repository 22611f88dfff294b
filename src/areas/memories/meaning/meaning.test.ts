// Searches by meaning, against a stand-in for an embeddings endpoint.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type EmbeddingsServer,
  embeddingsKey,
  embeddingsServer,
  type Fault,
} from '../../../../test/helpers/embeddings_server.ts'
import { isPostgres } from '../../../../test/helpers/engines.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../../test/helpers/platform.ts'
import { sql } from '../../../kit/sql.ts'

let p: TestPlatform
let server: EmbeddingsServer
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  server = await embeddingsServer()
  p = await platform({ env: { RATE_LIMIT: '1000000', OUTBOUND_ALLOW: '127.0.0.1' } })
})
afterAll(async () => {
  await p.close()
  server.close()
})
afterEach(() => {
  server.fail(null)
  expect(server.faults).toEqual([])
})

const endpoint = () => ({ baseUrl: server.baseUrl, model: 'stand-in', key: embeddingsKey })

const settle = async (embeddings: object, at = workspaceId, by = owner) => {
  const answer = await p.call('workspaces.settings.patch', { workspaceId: at, embeddings }, by)
  expect(answer.error).toBeNull()
  return answer.result
}
const shown = async () => (await p.call('workspaces.settings.get', { workspaceId }, owner)).result.embeddings

const made = async (title: string, fields: object = {}, by = owner) => {
  const input = { workspaceId, title, markdown: `${title}.`, ...fields }
  const answer = await p.call('memories.post', input, by)
  expect(answer.error).toBeNull()
  return answer.result.id as string
}
const patch = async (id: string, fields: object) =>
  expect((await p.call('memories.patch', { workspaceId, id, ...fields }, owner)).error).toBeNull()

type Item = { memory: { id: string; title: string }; score: number; why: Record<string, number>; snippet: object[] }

const searched = async (q: string, by = owner, more: object = {}): Promise<Item[]> => {
  const answer = await p.call('memories.search', { workspaceId, q, ...more }, by)
  expect(answer.error).toBeNull()
  return answer.result.items
}
const idsOf = (items: readonly Item[]) => items.map(({ memory }) => memory.id)

const rows = () =>
  p.database.query<{ memoryId: string; version: number; dimensions: number; source: string }>(sql`
    select memory_id, version, dimensions, source from memory_embeddings
    where workspace_id = ${workspaceId} order by memory_id`)
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 })
const untilEmbedded = (...ids: string[]) =>
  until(async () => expect((await rows()).map(row => row.memoryId)).toEqual(expect.arrayContaining(ids)))

/** A workspace of one's own, since jobs go on between tests. */
async function begin(embeddings: object | null = endpoint()): Promise<void> {
  owner = await p.user()
  workspaceId = owner.workspaceId
  server.asked.length = 0
  if (embeddings) await settle(embeddings)
}

describe.skipIf(isPostgres)('with an endpoint and pgvector, a search', () => {
  it('finds what shares no word with it, and says why', async () => {
    await begin()
    const id = await made('The pool of checkout holds 20')
    const other = await made('A certificate ends in May')
    await untilEmbedded(id, other)
    const [first, ...rest] = await searched('payment sockets')
    expect([first?.memory.id, rest]).toEqual([id, []])
    const { score, why } = first as Item
    const { text = -1, meaning = -1, confidence = -1, rating = -1, recency = -1, pinned = -1 } = why
    expect(text).toBe(0)
    expect(meaning).toBeGreaterThan(0.9)
    expect(meaning).toBeLessThanOrEqual(1)
    expect(score).toBeCloseTo((text + meaning) * confidence * rating * recency * pinned, 10)
  })

  it('ranks what words and meaning find together, each once', async () => {
    await begin()
    const both = await made('Deploy of checkout')
    const words = await made('Vacations', { markdown: 'Nobody may release the hounds.' })
    const meant = await made('Rollout of payment')
    const none = await made('Certificate')
    await untilEmbedded(both, words, meant, none)
    const items = await searched('release checkout')
    expect(idsOf(items)[0]).toBe(both)
    expect(new Set(idsOf(items))).toEqual(new Set([both, meant, words]))
    expect(items).toHaveLength(3)
    for (const { why } of items) expect(why.meaning).toBeGreaterThan(0)
    const scores = items.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(await searched('release checkout', owner, { limit: 1 })).toHaveLength(1)
    // Whoever writes "phrases" and -not asks for words.
    for (const q of ['release -rollout', '"release the"']) {
      const exact = await searched(q)
      expect(exact.map(({ why }) => why.meaning)).toEqual([undefined])
      expect(idsOf(exact)).not.toContain(meant)
    }
  })

  it('joins words by or, and means all of them', async () => {
    await begin()
    const [pool, late] = [await made('Connections'), await made('Latency')]
    await untilEmbedded(pool, late)
    server.asked.length = 0
    const items = await searched('sockets or  nothing OR sluggish')
    expect(server.texts()).toEqual(['sockets nothing sluggish'])
    expect(new Set(idsOf(items))).toEqual(new Set([pool, late]))
    expect(await searched('or')).toEqual([])
    expect(server.texts()).toHaveLength(1)
  })

  it('takes what was there before the endpoint, in batches of at most 64, and only once', async () => {
    await begin(null)
    for (let i = 0; i < 70; i++) await made(`Latency ${i}`)
    expect(server.asked).toEqual([])
    await settle(endpoint())
    await until(async () => expect(await rows()).toHaveLength(70))
    const sizes = server.asked.map(({ input }) => input.length)
    expect(sizes).toEqual([64, 6])
    expect(await searched('sluggish', owner, { limit: 50 })).toHaveLength(50)
  })

  it('looks at the memory that has changed and the newest, and at all where the settings have changed', async () => {
    await begin()
    const [changed, lost] = [await made('Pool'), await made('Checkout')]
    // One job for the settings, and one for each of them.
    const done = () =>
      p.database.query(sql`
        select from jobs.job where name = 'memories.embed' and state = 'completed' and data->>'workspaceId' = ${workspaceId}`)
    await until(async () => expect(await done()).toHaveLength(3))
    await p.database.query(sql`
      insert into memories (id, workspace_id, owner_id, title, markdown, hash, source_type, visibility, status, pinned,
        confidence, version, created, updated)
      select 'memory_' || ${workspaceId} || n, ${workspaceId}, ${owner.id}, 'Payment', 'n', 'h' || n, 'manual',
        'workspace', 'active', false, 1, 1, now() + interval '1 day', now() from generate_series(1, 500) n`)
    await p.database.query(sql`
      insert into memory_embeddings (memory_id, workspace_id, version, source, dimensions, vector)
      select m.id, m.workspace_id, m.version, e.source, e.dimensions, e.vector from memories m
      join memory_embeddings e on e.memory_id = ${changed} where m.workspace_id = ${workspaceId} and m.markdown = 'n'`)
    await p.database.query(sql`delete from memory_embeddings where memory_id = ${lost}`)
    server.asked.length = 0
    await patch(changed, { title: 'Latency' })
    await until(async () => expect((await rows()).find(row => row.memoryId === changed)?.version).toBe(2))
    expect(server.texts().map(text => text.split('\n')[0])).toEqual(['Latency'])
    await settle({ threshold: 0.5 })
    await untilEmbedded(lost)
  })

  it('follows a changed text, and never uses the old one', async () => {
    await begin()
    const id = await made('Pool')
    await untilEmbedded(id)
    server.fail({ status: 503 })
    await patch(id, { title: 'Certificate', markdown: 'It ends in May.' })
    server.fail(null)
    expect(idsOf(await searched('sockets'))).toEqual([])
    await settle({ threshold: 0.5 })
    await until(async () => expect((await rows())[0]?.version).toBe(2))
    expect(idsOf(await searched('tls'))).toEqual([id])
    expect(idsOf(await searched('sockets'))).toEqual([])
  })

  it('leaves out what is archived, expired or filtered away', async () => {
    await begin()
    const expiresAt = new Date(p.now().getTime() + 3_600_000).toISOString()
    const [archived, expired, current] = [
      await made('Pool one'),
      await made('Pool two', { expiresAt }),
      await made('Pool three'),
    ]
    await untilEmbedded(archived, expired, current)
    await patch(archived, { status: 'archived' })
    expect(new Set(idsOf(await searched('sockets')))).toEqual(new Set([expired, current]))
    p.advance(7_200_000)
    expect(idsOf(await searched('sockets'))).toEqual([current])
    expect(new Set(idsOf(await searched('sockets', owner, { include: 'expired' })))).toEqual(
      new Set([expired, current]),
    )
    expect(await searched('sockets', owner, { about: `issue:issue_${'0'.repeat(24)}` })).toEqual([])
    p.advance(-7_200_000)
  })

  it('never sends what is private, and forgets what becomes so', async () => {
    await begin()
    const member = await p.as('member', workspaceId)
    const hidden = await made('Secret pool', { visibility: 'private' }, member)
    const open = await made('Public pool', {}, member)
    await untilEmbedded(open)
    expect(server.texts().join()).not.toContain('Secret')
    expect(idsOf(await searched('sockets', member))).toEqual([open])
    // Its owner finds it by words.
    const own = await searched('secret', member)
    expect([idsOf(own), own[0]?.why.meaning]).toEqual([[hidden], 0])
    await p.call('memories.patch', { workspaceId, id: open, visibility: 'private' }, member)
    expect(await rows()).toEqual([])
    expect(await searched('sockets')).toEqual([])
    await p.call('memories.patch', { workspaceId, id: hidden, visibility: 'workspace' }, member)
    await untilEmbedded(hidden)
    expect(idsOf(await searched('sockets'))).toEqual([hidden])
    // What an endpoint says may repeat what it was sent: it is shown to nobody.
    server.fail({ status: 400 })
    await made('Another pool')
    await until(async () => expect((await shown()).lastError).toBe('The embeddings endpoint answered 400.'))
  })

  it('sees teams’ memories as the caller does, and nothing of another workspace', async () => {
    await begin()
    const { id: teamId } = (await p.call('teams.post', { workspaceId, name: 'Tills' }, owner)).result
    const ofTeam = await made('Pool of a team', { visibility: 'team', teamId })
    await untilEmbedded(ofTeam)
    expect(idsOf(await searched('sockets'))).toEqual([ofTeam])
    expect(await searched('sockets', await p.as('member', workspaceId))).toEqual([])
    await begin()
    expect(await searched('sockets')).toEqual([])
  })

  it('begins anew with another model, and ends with the endpoint', async () => {
    await begin()
    const id = await made('Pool')
    await untilEmbedded(id)
    const [before] = await rows()
    await settle({ model: 'stand-in-2' })
    await until(async () => expect((await rows())[0]?.source).not.toBe(before?.source))
    await untilEmbedded(id)
    expect(server.asked.map(({ model }) => model)).toEqual(['stand-in', 'stand-in-2'])
    await settle({ baseUrl: null })
    await until(async () => expect(await rows()).toEqual([]))
    server.asked.length = 0
    const [found] = await searched('pool')
    expect(found?.why).not.toHaveProperty('meaning')
    await made('Payment')
    expect(server.asked).toEqual([])
  })

  it('goes with its memory', async () => {
    await begin()
    const id = await made('Pool')
    await untilEmbedded(id)
    expect((await p.call('memories.del', { workspaceId, id }, owner)).status).toBe(200)
    expect(await rows()).toEqual([])
    expect(await searched('sockets')).toEqual([])
  })

  const faults: Fault[] = [{ status: 429 }, { status: 500 }, 'cut', 'nonsense', 'few', 'nan', 'zero', 'slow']
  it.each(faults)('goes by words where the endpoint fails: %j', async fault => {
    await begin()
    const id = await made('Pool of checkout')
    await untilEmbedded(id)
    server.fail(fault)
    const since = performance.now()
    const [found] = await searched('pool')
    expect(performance.now() - since).toBeLessThan(5_000)
    expect(found?.memory.id).toBe(id)
    expect(found?.why).not.toHaveProperty('meaning')
    await until(async () => expect((await shown()).lastError).toContain('The embeddings endpoint'))
    expect(JSON.stringify(await shown())).not.toContain(embeddingsKey)
    // The next ones do not wait for it.
    server.asked.length = 0
    expect(await searched('sockets')).toEqual([])
    expect(server.asked).toEqual([])
  })

  it.each([{ status: 429 }, 'unequal'] as Fault[])('embeds later what could not be embedded: %j', async fault => {
    await begin(null)
    const ids = [await made('Pool'), await made('Payment')]
    server.fail(fault)
    await settle(endpoint())
    await until(async () => expect((await shown()).lastError).toContain('The embeddings endpoint'))
    expect(await rows()).toEqual([])
    // Until it is time, nothing more is sent, whatever else is written down.
    server.fail(null)
    server.asked.length = 0
    await made('Certificate')
    await p.platform.jobs.runNow('memories.embed', { workspaceId, cause: 'test' })
    expect(server.asked).toEqual([])
    p.advance(60_000)
    await p.platform.jobs.runNow('memories.embed', { workspaceId, cause: 'test' })
    await untilEmbedded(...ids)
    expect(await shown()).toMatchObject({ lastError: null, lastErrorAt: null, isUsed: true })
    p.advance(-60_000)
  })

  it('does not mix vectors of two lengths', async () => {
    await begin()
    const id = await made('Pool')
    await untilEmbedded(id)
    server.fail({ dimensions: 9 })
    const [found] = await searched('pool')
    expect([found?.memory.id, found?.why.meaning]).toEqual([id, 0])
    const late = await made('Payment')
    await until(async () => expect((await shown()).lastError).toContain('vectors of 9 numbers'))
    expect((await rows()).map(row => row.memoryId)).toEqual([id])
    await settle({ model: 'longer' })
    await untilEmbedded(id, late)
    expect((await rows()).map(row => row.dimensions)).toEqual([9, 9])
  })

  it('takes the threshold that is set', async () => {
    await begin({ ...endpoint(), threshold: 0.99 })
    const id = await made('Pool and payment')
    await untilEmbedded(id)
    expect(await searched('sockets')).toEqual([])
    await settle({ threshold: 0.5 })
    expect(idsOf(await searched('sockets'))).toEqual([id])
  })
})

describe('without pgvector', () => {
  it('nothing is sent, nothing changes, and the settings say so', async () => {
    const { settings } = p.platform
    const { vectors } = settings
    settings.vectors = null
    try {
      await begin()
      const id = await made('Pool')
      await p.platform.jobs.runNow('memories.embed', { workspaceId, cause: 'test' })
      expect(await shown()).toMatchObject({
        baseUrl: server.baseUrl,
        isUsed: false,
        notUsedBecause: expect.stringContaining('pgvector'),
      })
      const [found] = await searched('pool')
      expect([found?.memory.id, Object.keys(found?.why ?? {})]).toEqual([
        id,
        ['text', 'confidence', 'rating', 'recency', 'pinned'],
      ])
      expect(await searched('sockets')).toEqual([])
      expect([server.asked, await rows()]).toEqual([[], []])
    } finally {
      settings.vectors = vectors
    }
  })
})

describe('the settings of embeddings', () => {
  it('keep the key sealed, send it to no other host, and refuse what is no address', async () => {
    await begin(null)
    expect(await shown()).toEqual({
      baseUrl: null,
      model: null,
      threshold: 0.4,
      isUsed: false,
      notUsedBecause: 'No endpoint is named: searches rank by words.',
      lastError: null,
      lastErrorAt: null,
    })
    const set = await settle({ baseUrl: 'https://models.example.com/v1', key: 'sk-theirs' })
    expect(set).toMatchObject({ embeddings: { notUsedBecause: expect.stringContaining('No model') } })
    expect(set.secretsSet).toEqual(['embeddings.key'])
    const { result: log } = await p.call('audit_logs.list', { workspaceId }, owner)
    const stored = await p.database.query(sql`
      select secrets::text, settings::text from workspaces where id = ${workspaceId}`)
    expect(JSON.stringify([set, log, stored])).not.toContain('sk-theirs')
    expect(JSON.stringify(log)).toContain('"embeddings.key"')
    expect((await settle({ baseUrl: 'https://models.example.com/v2' })).secretsSet).toEqual(['embeddings.key'])
    expect((await settle({ baseUrl: 'https://elsewhere.example.com/v1' })).secretsSet).toEqual([])
    for (const embeddings of [{ baseUrl: 'ftp://x.example' }, { threshold: 2 }, { isUsed: true }, { model: '' }]) {
      const { status } = await p.call('workspaces.settings.patch', { workspaceId, embeddings }, owner)
      expect({ embeddings, status }).toEqual({ embeddings, status: 400 })
    }
    const member = await p.as('member', workspaceId)
    const refused = await p.call('workspaces.settings.patch', { workspaceId, embeddings: endpoint() }, member)
    expect(refused.status).toBe(403)
  })

  it.skipIf(isPostgres)('do not reach private addresses that the operator does not allow', async () => {
    await begin({ ...endpoint(), baseUrl: 'https://10.0.0.1/v1' })
    await made('Pool')
    await until(async () => expect((await shown()).lastError).toContain('OUTBOUND_ALLOW'))
    expect(await searched('pool')).toHaveLength(1)
  })
})
