import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { checkExport } from '../../contract/ledger_verifier.ts'
import { raw, sql } from '../../kit/sql.ts'
import { ledgerKey, link } from '../../server/ledger/ledger.ts'
import { systemEntry } from '../../server/ledger/writer.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

/** An owner whose workspace has a few entries: a key made, renamed and deleted, and a refusal. */
async function history(): Promise<TestCaller> {
  const owner = await p.user()
  const { workspaceId } = owner
  const made = await p.call('api_keys.post', { workspaceId, name: 'first name', scopes: ['teams:read'] }, owner)
  await p.call('api_keys.patch', { workspaceId, id: made.result.id, name: 'second name' }, owner)
  const refused = await p.call(
    'teams.post',
    { workspaceId, name: 'Nope' },
    { headers: { 'x-api-key': made.result.token } },
  )
  expect(refused.status).toBe(403)
  await p.call('api_keys.del', { workspaceId, id: made.result.id }, owner)
  return owner
}

const linesOf = (text: string) => text.trimEnd().split('\n')

describe('audit_logs.list', () => {
  it('tells who did what, with what changed before and after, newest first', async () => {
    const owner = await history()
    const { status, result } = await p.call('audit_logs.list', { workspaceId: owner.workspaceId }, owner)
    expect(status).toBe(200)
    expect(result.count).toBe(4)
    expect(result.items.map((item: { action: string }) => item.action)).toEqual([
      'api_keys.del',
      'teams.post',
      'api_keys.patch',
      'api_keys.post',
    ])
    expect(result.items[2].changes).toEqual([{ path: 'name', before: 'first name', after: 'second name' }])
    expect(result.items[2]).toMatchObject({
      outcome: 'success',
      actor: { type: 'session', id: owner.userId, credentialId: owner.id, surface: 'rest' },
      target: { object: 'api_key' },
      ip: '127.0.0.1',
    })
    expect(result.items[1]).toMatchObject({ outcome: 'denied', reason: 'scope', missing: ['teams:write'] })
  })

  it('masks secrets', async () => {
    const owner = await history()
    const { text } = await p.call('audit_logs.list', { workspaceId: owner.workspaceId }, owner)
    expect(text).not.toContain('atr_nXWP')
    expect(text).not.toMatch(/atr_[0-9A-Za-z]{54}/)
    expect(text).toContain('[secret]')
  })

  it('filters by action, actor, object, target, outcome and time', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const count = async (query: object) =>
      (await p.call('audit_logs.list', { workspaceId, ...query }, owner)).result.count
    expect(await count({ action: ['api_keys.post', 'api_keys.del'] })).toBe(2)
    expect(await count({ action: '!api_keys.post' })).toBe(3)
    expect(await count({ outcome: 'denied' })).toBe(1)
    expect(await count({ actorId: owner.userId, object: 'api_key' })).toBe(3)
    expect(await count({ from: new Date(Date.now() + 60_000).toISOString() })).toBe(0)
    expect(await count({ to: new Date(Date.now() + 60_000).toISOString() })).toBe(4)
    expect((await p.call('audit_logs.list', { workspaceId, from: 'yesterday' }, owner)).status).toBe(400)
  })
})

describe('audit_logs.get', () => {
  it('shows an entry and hides those of other workspaces', async () => {
    const [one, other] = [await history(), await history()]
    const { result } = await p.call('audit_logs.list', { workspaceId: one.workspaceId }, one)
    const { id } = result.items[0]
    expect((await p.call('audit_logs.get', { workspaceId: one.workspaceId, id }, one)).result.id).toBe(id)
    expect((await p.call('audit_logs.get', { workspaceId: other.workspaceId, id }, other)).status).toBe(404)
  })
})

describe('audit_logs.actions', () => {
  it('names every writing operation and what jobs cause', async () => {
    const owner = await p.user()
    const { result } = await p.call('audit_logs.actions', { workspaceId: owner.workspaceId }, owner)
    const actions = result.actions.map((item: { action: string }) => item.action)
    expect(actions).toContain('api_keys.post')
    expect(actions).toContain('audit_logs.pruned')
  })
})

describe('audit_logs.verify', () => {
  type Tampering = [string, (chain: string) => ReturnType<typeof sql>, number | null]
  const tampering: Tampering[] = [
    [
      'a changed entry',
      chain =>
        sql`update ledger set entry = replace(entry, 'second name', 'third name') where chain = ${chain} and seq = 2`,
      2,
    ],
    [
      'a changed personal part',
      chain =>
        sql`update ledger set personal = replace(personal::text, '127.0.0.1', '127.0.0.2')::json where chain = ${chain} and seq = 3`,
      3,
    ],
    ['a removed entry', chain => sql`delete from ledger where chain = ${chain} and seq = 2`, 2],
    ['a cut tail', chain => sql`delete from ledger where chain = ${chain} and seq >= 4`, 4],
    ['a removed beginning', chain => sql`delete from ledger where chain = ${chain} and seq = 1`, 1],
    [
      'two entries that changed places',
      chain =>
        sql`update ledger set seq = case seq when 2 then -3 else -2 end where chain = ${chain} and seq in (2, 3)`,
      2,
    ],
    [
      'a moved head',
      chain =>
        sql`update ledger_heads set seq = 3, hash = (select hash from ledger where chain = ${chain} and seq = 3) where chain = ${chain}`,
      3,
    ],
    [
      'something else in place of the last entry, with a hash that fits',
      chain => sql`
        update ledger set entry = 'x', personal = null,
          hash = encode(sha256(convert_to(previous_hash || ':' || seq || ':x', 'UTF8')), 'hex')
        where chain = ${chain} and seq = 4`,
      4,
    ],
    [
      'something else in place of the last entry, with what is known of a person',
      chain => sql`
        update ledger set entry = 'null',
          hash = encode(sha256(convert_to(previous_hash || ':' || seq || ':null', 'UTF8')), 'hex')
        where chain = ${chain} and seq = 4`,
      4,
    ],
    ...['id', 'at', 'action', 'outcome', 'actor_id', 'target_object', 'target_id'].map(
      (column): Tampering => [
        `an entry that is filed under another ${column}`,
        chain => sql`update ledger set ${raw(column)} = 'aud_x' where chain = ${chain} and seq = 3`,
        3,
      ],
    ),
  ]

  it('finds a whole chain whole', async () => {
    const owner = await history()
    const { result } = await p.call('audit_logs.verify', { workspaceId: owner.workspaceId }, owner)
    expect(result).toMatchObject({ ok: true, checked: 4, firstBrokenSeq: null, headSeq: 4 })
  })

  it.each(tampering)('finds %s', async (_, tamper, seq) => {
    const owner = await history()
    await p.database.query(tamper(owner.workspaceId))
    await p.database.query(sql`update ledger set seq = -seq where chain = ${owner.workspaceId} and seq < 0`)
    const { result } = await p.call('audit_logs.verify', { workspaceId: owner.workspaceId }, owner)
    expect(result).toMatchObject({ ok: false, firstBrokenSeq: seq })
    expect(result.problem).toMatch(/\w/)
  })

  it('finds a chain that was written anew with the key, by an earlier hash', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const before = (await p.call('audit_logs.verify', { workspaceId }, owner)).result
    await p.database.query(sql`delete from ledger where chain = ${workspaceId}`)
    let head = { chain: workspaceId, seq: 0, hash: '', signature: '' }
    for (let seq = 1; seq <= 4; seq++) {
      const { entry, personal: known } = systemEntry('teams.post', { target: null, changes: [] })
      const { id, text, personal, next } = link(ledgerKey(p.config.SECRET_KEY), head, entry, known)
      await p.database.query(sql`
        insert into ledger (chain, seq, id, entry, personal, previous_hash, hash, at, action, outcome, actor_id)
        values (${workspaceId}, ${seq}, ${id}, ${text}, ${personal}::json, ${head.hash}, ${next.hash},
          ${entry.at}, ${entry.action}, ${entry.outcome}, ${entry.actor.id})`)
      head = next
    }
    await p.database.query(sql`
      update ledger_heads set hash = ${head.hash}, signature = ${head.signature} where chain = ${workspaceId}`)
    const expected = { expectSeq: before.headSeq, expectHash: before.headHash }
    expect((await p.call('audit_logs.verify', { workspaceId }, owner)).result.ok).toBe(true)
    expect((await p.call('audit_logs.verify', { workspaceId, ...expected }, owner)).result).toMatchObject({ ok: false })
  })

  it('stays whole under parallel writes', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => p.call('teams.post', { workspaceId, name: `Team ${index}` }, owner)),
    )
    const { result } = await p.call('audit_logs.verify', { workspaceId }, owner)
    expect(result).toMatchObject({ ok: true, checked: 40 })
  })
})

describe('many checks at once', () => {
  it('of one workspace are one after another, shared by who waits, and refused past a few', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const asked = vi.spyOn(p.database, 'query')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => p.call('audit_logs.verify', { workspaceId }, owner)),
    )
    const heads = asked.mock.calls.filter(([statement]) => /as checkpoint_signature/.test(statement.text))
    asked.mockRestore()
    expect(answers.every(({ result }) => result.ok)).toBe(true)
    // Those that came before the first had begun, and those that came after.
    expect(heads.length).toBeLessThan(10)
    const ranges = await Promise.all(
      Array.from({ length: 12 }, (_, index) => p.call('audit_logs.verify', { workspaceId, toSeq: index + 1 }, owner)),
    )
    const statuses = ranges.map(({ status }) => status)
    expect(statuses.filter(status => status === 200).length).toBeGreaterThan(3)
    expect(statuses.filter(status => status === 429).length).toBeGreaterThan(0)
  })
})

describe('audit_logs.export', () => {
  it('takes the filters of the list, and says that such a file is no chain', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const filters = { action: ['api_keys.post', 'api_keys.del'], outcome: '!denied' }
    const { text } = await p.call('audit_logs.export', { workspaceId, ...filters }, owner)
    const lines = linesOf(text).map(line => JSON.parse(line))
    expect(lines[0]).toMatchObject({ type: 'atrium.audit_export.filtered', filters })
    expect(lines[0].note).toContain('cannot be verified as a chain')
    expect(lines.slice(1, -1).map(({ entry }) => JSON.parse(entry).action)).toEqual(['api_keys.post', 'api_keys.del'])
    expect(lines.at(-1)).toEqual({ type: 'atrium.audit_export.filtered.end', count: 2 })
    expect(await checkExport(linesOf(text))).toMatchObject({ ok: false, problem: lines[0].note })
    const csv = (await p.call('audit_logs.export', { workspaceId, format: 'csv', outcome: 'denied' }, owner)).text
    expect(csv.trimEnd().split('\r\n')).toHaveLength(2)
    const { items } = (await p.call('audit_logs.list', { workspaceId, action: 'audit_logs.export' }, owner)).result
    expect(items[1].changes).toContainEqual({ path: 'action', after: filters.action })
  })

  it('writes a file that can be checked without the platform, and records itself', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const { status, headers, text } = await p.call('audit_logs.export', { workspaceId }, owner)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/x-ndjson')
    expect(headers['content-disposition']).toContain('attachment')
    const check = await checkExport(linesOf(text))
    expect(check).toMatchObject({ ok: true, checked: 4, chain: workspaceId })
    const { result } = await p.call('audit_logs.list', { workspaceId, action: 'audit_logs.export' }, owner)
    expect(result.count).toBe(1)
    const { publicKey } = (await p.call('audit_logs.verify', { workspaceId }, owner)).result
    expect(check.publicKey).toBe(publicKey)
  })

  it('can be checked against an earlier export', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const earlier = linesOf((await p.call('audit_logs.export', { workspaceId }, owner)).text).slice(1, -1)
    const known = new Map(earlier.map(line => [JSON.parse(line).seq, JSON.parse(line).hash] as const))
    const later = linesOf((await p.call('audit_logs.export', { workspaceId }, owner)).text)
    expect(await checkExport(later, undefined, known)).toMatchObject({ ok: true, checked: 5 })
    known.set(2, 'f'.repeat(64))
    expect(await checkExport(later, undefined, known)).toMatchObject({
      ok: false,
      problem: 'entry 2: differs from the earlier export',
    })
  })

  it.each([
    ['a changed line', (lines: string[]) => lines.with(2, (lines[2] ?? '').replace('second name', 'third name'))],
    ['a removed line', (lines: string[]) => lines.toSpliced(2, 1)],
    ['lines that changed places', (lines: string[]) => [lines[0], lines[2], lines[1], ...lines.slice(3)] as string[]],
    ['a cut end', (lines: string[]) => lines.slice(0, -1)],
    [
      'a forged end',
      (lines: string[]) => [
        ...lines.slice(0, 3),
        (lines.at(-1) ?? '').replace(
          /"count":4,"end":\{"seq":4,"hash":"\w+"/,
          `"count":2,"end":{"seq":2,"hash":"${JSON.parse(lines[2] ?? '').hash}"`,
        ),
      ],
    ],
  ])('shows %s to the offline check', async (_, change) => {
    const owner = await history()
    const lines = linesOf((await p.call('audit_logs.export', { workspaceId: owner.workspaceId }, owner)).text)
    expect((await checkExport(lines)).ok).toBe(true)
    expect((await checkExport(change(lines))).ok).toBe(false)
  })

  it('makes cells safe for spreadsheets', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await p.call('teams.post', { workspaceId, name: '=HYPERLINK("http://evil")' }, owner, { 'user-agent': '=cmd|calc' })
    const { text, headers } = await p.call('audit_logs.export', { workspaceId, format: 'csv' }, owner)
    expect(headers['content-type']).toContain('text/csv')
    expect(text).toContain("'=cmd|calc")
    expect(text).not.toMatch(/(^|,)"?=/m)
  })

  it('exports a span of time that can be checked by itself', async () => {
    const owner = await history()
    const { workspaceId } = owner
    const { items } = (await p.call('audit_logs.list', { workspaceId, order: 'asc', orderBy: 'seq' }, owner)).result
    const { text } = await p.call('audit_logs.export', { workspaceId, from: items[2].at }, owner)
    const check = await checkExport(linesOf(text))
    expect(check.ok).toBe(true)
    expect(check.checked).toBeLessThanOrEqual(3)
  })
})

describe('retention', () => {
  it('prunes nothing that only looks old from outside', async () => {
    const owner = await history()
    const { workspaceId } = owner
    await p.database.query(sql`update ledger set at = '2020-01-01T00:00:00.000Z' where chain = ${workspaceId}`)
    await p.platform.jobs.runNow('audit_logs.prune')
    const verified = (await p.call('audit_logs.verify', { workspaceId }, owner)).result
    expect(verified).toMatchObject({ ok: false, firstBrokenSeq: 1, checked: 0, headSeq: 4 })
  })

  it('prunes behind a signed checkpoint, and the chain still verifies', async () => {
    const owner = await history()
    const { workspaceId } = owner
    p.advance(401 * 86_400_000)
    try {
      const session = await p.session(owner.userId)
      await p.call('teams.post', { workspaceId, name: 'Later team' }, session)
      await p.platform.jobs.runNow('audit_logs.prune')
      const { result } = await p.call('audit_logs.list', { workspaceId, order: 'asc' }, session)
      expect(result.items.map((item: { action: string }) => item.action)).toEqual(['teams.post', 'audit_logs.pruned'])
      const verified = (await p.call('audit_logs.verify', { workspaceId }, session)).result
      expect(verified).toMatchObject({ ok: true, checked: 2, headSeq: 6 })
      const { text } = await p.call('audit_logs.export', { workspaceId }, session)
      expect(await checkExport(linesOf(text))).toMatchObject({ ok: true, checked: 2 })
      await p.database.query(sql`update ledger_checkpoints set seq = 3 where chain = ${workspaceId}`)
      expect((await p.call('audit_logs.verify', { workspaceId }, session)).result.ok).toBe(false)
    } finally {
      p.advance(-401 * 86_400_000)
    }
  })
})

describe('erasure', () => {
  it('keeps the entries of an erased account under a pseudonym, and the chain whole', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const leaver = await p.as('admin', workspaceId)
    await p.call('teams.post', { workspaceId, name: 'By the leaver' }, leaver)
    expect((await p.call('auth.del', {}, leaver)).status).toBe(200)
    const { result } = await p.call('audit_logs.list', { workspaceId, action: 'teams.post' }, owner)
    expect(result.items[0]).toMatchObject({
      actor: { id: leaver.userId, name: `deleted-${leaver.userId.slice(-6)}` },
      ip: null,
      userAgent: null,
    })
    expect((await p.call('audit_logs.verify', { workspaceId }, owner)).result.ok).toBe(true)
  })
})
