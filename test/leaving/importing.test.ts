// A workspace with every area filled goes to another installation and comes out of it as it went in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import type { World } from '../calls.ts'
import { type Answer, password, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { storedIn } from '../helpers/stored.ts'
import { codeOnlyHere, everyByte, refsIn } from './code.ts'
import { type Homes, packed, twoHomes } from './homes.ts'
import { exported, filesIn, linesOf } from './zips.ts'

let homes: Homes
let w: World
let zip: Buffer
let files: Map<string, Buffer>
let here: TestPlatform
let owner: TestCaller
let repositoryId: string
beforeAll(async () => {
  homes = await twoHomes(async world => {
    repositoryId = await codeOnlyHere(world)
  })
  ;({ w, zip, files, here, owner } = homes)
}, 600_000)
afterAll(() => here.close())

describe('a dry run', () => {
  it('says what would happen, and writes nothing', async () => {
    const before = await homes.everything()
    const { status, result, error } = await homes.send(zip, owner, { dryRun: true })
    expect([status, error]).toEqual([200, null])
    expect(result).toMatchObject({ dryRun: true, id: w.workspaceId, ids: { renewed: 0 }, warnings: [], imported: null })
    expect(result.people.placeholders).toBeGreaterThan(2)
    expect(result.secretsToSet).toContainEqual({
      table: 'integrations',
      count: expect.any(Number),
      first: expect.arrayContaining([{ id: expect.stringMatching(/^int/), names: expect.any(Array) }]),
    })
    expect(result.beyondPlan).toEqual([])
    expect(result.source.ledgerEntries).toBeGreaterThan(50)
    expect(await homes.everything()).toEqual(before)
  })
})

describe('an import', () => {
  let imported: Answer
  let again: Map<string, Buffer>
  beforeAll(async () => {
    imported = await homes.send(zip, owner)
    expect([imported.status, imported.error]).toEqual([201, null])
    again = filesIn(await exported({ p: here, workspaceId: imported.result.id }, owner))
  }, 120_000)

  async function codeReadIn(workspaceId: string, id: string): Promise<void> {
    const read = async (path: string, ref?: string) => {
      const input = { workspaceId, id, path, ...(ref && { ref }) }
      const { result, error } = await here.call('repositories.contents', input, owner)
      return error?.detail ?? result.text ?? result.base64
    }
    expect(await read('src/valve.ts')).toBe('export const open = false\n')
    expect(await read('src/valve.ts', 'v1.0')).toBe('export const open = true\n')
    expect(await read('README', 'ancient')).toBe('Old\n')
    expect(await read('src/seal.bin', 'fix/leak')).toBe(Buffer.from(everyByte).toString('base64'))
    const { result } = await here.call('repositories.commits', { workspaceId, id }, owner)
    expect(result.commits.map(({ subject }: { subject: string }) => subject)).toEqual(['Close it', 'Begin'])
  }

  /** The owner has another id here, which stands wherever the old one stood. */
  const asThere = (text: string) => text.replaceAll(owner.userId, w.owner.userId)

  it('makes the same workspace under the same id, owned by the same person', async () => {
    expect(imported.result).toMatchObject({ id: w.workspaceId, ownerId: owner.userId, dryRun: false })
    const { result } = await here.call('workspaces.get', { workspaceId: w.workspaceId }, owner)
    expect(result).toMatchObject({ status: 'active', deleteAt: null })
  })

  it('exported again, is the same, line by line', () => {
    const differing: string[] = []
    const compared = [...files.keys()].filter(path => /^(areas|files|rows)\/|^people/.test(path))
    for (const folder of ['areas', 'files', 'rows', 'people']) {
      expect(
        compared.filter(path => path.startsWith(folder) && files.get(path)?.length),
        folder,
      ).not.toEqual([])
    }
    for (const path of compared) {
      const sorted = (text: string) => asThere(text).split('\n').sort().join('\n')
      const [one, other] = [files.get(path), again.get(path)].map(bytes => sorted(bytes?.toString('latin1') ?? ''))
      if (one === other) continue
      const [lines, others] = [one?.split('\n') ?? [], new Set(other?.split('\n'))]
      differing.push(`${path}: ${lines.filter(line => !others.has(line))[0]?.slice(0, 600)}`)
    }
    expect(differing).toEqual([])
    expect([...again.keys()].filter(path => !files.has(path))).toEqual(['history/1.ndjson'])
    expect(asThere(String(again.get('workspace.json')))).toBe(String(files.get('workspace.json')))
  })

  it('has the same branches and tags in every bundle', () => {
    const bundles = [...files.keys()].filter(path => path.startsWith('repositories/'))
    expect(bundles).toContain(`repositories/${repositoryId}.bundle`)
    const names = Object.keys(refsIn(files.get(`repositories/${repositoryId}.bundle`))).sort()
    expect(names).toEqual(['refs/heads/ancient', 'refs/heads/fix/leak', 'refs/heads/main', 'refs/tags/v1.0'])
    for (const path of bundles) expect(refsIn(again.get(path)), path).toEqual(refsIn(files.get(path)))
  })

  it('reads the code whose host is gone', async () => {
    await codeReadIn(w.workspaceId, repositoryId)
  })

  it('keeps the order of what is counted', () => {
    const timeline = 'areas/issues/issue_timeline.ndjson'
    expect(asThere(String(again.get(timeline)))).toBe(String(files.get(timeline)))
  })

  it('keeps the old ledger as it was signed, and begins a new one with the import', async () => {
    expect(again.get('history/1.ndjson')).toEqual(files.get('ledger.ndjson'))
    const { result } = await here.call('audit_logs.list', { workspaceId: w.workspaceId, order: 'asc' }, owner)
    expect(result.items[0]).toMatchObject({ seq: 1, action: 'workspaces.import', actor: { id: owner.userId } })
    expect((await here.call('audit_logs.verify', { workspaceId: w.workspaceId }, owner)).result.ok).toBe(true)
  })

  it('has no secret left to be read, and names those to be set', () => {
    const [{ secrets }] = linesOf(again, 'manifest.json') as [{ secrets: unknown[] }]
    expect(secrets).toEqual([])
    const tables = imported.result.secretsToSet.map(({ table }: { table: string }) => table)
    expect(tables).toContain('integrations')
  })

  it('is seen by every list of the areas, without an error', { timeout: 120_000 }, async () => {
    const { operationIds, operation: lookUp } = await import('../../src/operations.ts')
    const failed: string[] = []
    for (const id of operationIds.filter(one => one.endsWith('.list'))) {
      const path = Object.keys(lookUp(id)?.path?.properties ?? {})
      if (path.join() !== 'workspaceId') continue
      const { status, cause } = await here.call(id, { workspaceId: w.workspaceId }, owner)
      if (status !== 200) failed.push(`${id} ${status} ${cause}`)
    }
    expect(failed).toEqual([])
  })

  it('once more beside itself, has new ids everywhere, and nothing names the old ones', async () => {
    const { status, result, error } = await homes.send(zip, owner)
    expect([status, error]).toEqual([201, null])
    expect(result.id).not.toBe(w.workspaceId)
    expect(result.ids.kept).toBe(0)
    const copy = filesIn(await exported({ p: here, workspaceId: result.id }, owner))
    const text = [...copy]
      .filter(([path]) => path.startsWith('areas/'))
      .map(([, bytes]) => String(bytes))
      .join('\n')
    const old = [...files].filter(([path]) => path.startsWith('areas/')).flatMap(([path]) => linesOf(files, path))
    const ids = old.flatMap(({ id }) => (typeof id === 'string' && !id.startsWith('usr_') ? [id] : []))
    expect(ids.length).toBeGreaterThan(50)
    expect(ids.filter(id => text.includes(id))).toEqual([])
    const [one] = linesOf(copy, 'areas/repositories/repositories.ndjson').filter(({ url }) =>
      /^leaving-/.test(String(url)),
    )
    await codeReadIn(result.id, String(one?.id))
  })

  it('gives a placeholder to whoever claims it with its address, with all that was theirs', {
    timeout: 60_000,
  }, async () => {
    const members = linesOf(files, 'areas/workspaces/workspace_members.ndjson')
    const lost = members.find(({ position }) => position === 'admin')?.user_id as string
    const email = homes.addressOf(lost) ?? ''
    const { result: signedUp } = await here.call('auth.signup', { email, password })
    const headers = { authorization: `Bearer ${signedUp.token}` }
    expect((await here.call('auth.verifyEmail', { email, code: await here.code(email) }, { headers })).status).toBe(200)
    expect((await here.call('workspaces.claims.accept', { id: lost }, { headers })).status).toBe(200)
    const gone = () => here.database.query(sql`select user_id from placeholders where user_id = ${lost}`)
    await expect.poll(async () => (await gone()).length, { timeout: 30_000 }).toBe(0)
    const { result } = await here.call('workspaces.get', { workspaceId: w.workspaceId }, { headers })
    expect(result).toMatchObject({ id: w.workspaceId })
    const left = (await storedIn(here, table => /ledger|workspace_file|mailbox/.test(table))).filter(
      ({ value }) => value === lost,
    )
    expect(left.map(({ table, column }) => `${table}.${column}`)).toEqual([])
  })

  it('by somebody else makes them the owner, and the old one nothing until they say so', async () => {
    const other = await homes.stranger()
    const { result } = await homes.send(zip, other)
    const { id: workspaceId, ownerId } = result
    expect(ownerId).toBe(other.userId)
    expect((await here.call('workspaces.get', { workspaceId }, owner)).status).toBe(403)
    const { result: claims } = await here.call('workspaces.claims.list', { workspaceId }, owner)
    expect(claims.items).toMatchObject([{ position: 'owner' }])
    expect((await here.call('workspaces.claims.accept', { id: claims.items[0].id }, owner)).status).toBe(200)
    const member = { workspaceId, userId: owner.userId }
    expect((await here.call('workspace_members.get', member, other)).result).toMatchObject({ position: 'owner' })
  })
})

describe('an archive that is not whole', () => {
  async function refused(bytes: Uint8Array, status = 400): Promise<string> {
    const by = await homes.stranger()
    const [{ count }] = (await here.database.query(sql`select count(*)::int as count from workspaces`)) as [
      { count: number },
    ]
    const answer = await homes.send(bytes, by)
    expect(answer.status, answer.cause ?? answer.error?.detail).toBe(status)
    const [{ count: after }] = (await here.database.query(sql`select count(*)::int as count from workspaces`)) as [
      { count: number },
    ]
    expect(after).toBe(count)
    return answer.error.detail
  }

  it('is refused wherever it is cut off', async () => {
    for (const part of [0.1, 0.5, 0.9, 0.999]) await refused(zip.subarray(0, Math.floor(zip.length * part)))
    await refused(Buffer.concat([zip, Buffer.from('more')]))
    await refused(Buffer.from('no zip at all, only some text that is long enough'))
  })

  it('is refused where any byte was changed', async () => {
    for (let place = 40; place < zip.length; place += Math.floor(zip.length / 25)) {
      const bytes = Buffer.from(zip)
      bytes[place] = (bytes[place] ?? 0) ^ 0x55
      const answer = await homes.send(bytes, await homes.stranger(), { dryRun: true })
      // Some bytes, such as a date in a header, say nothing.
      if (answer.status === 200) expect(answer.result.source.workspaceId).toBe(w.workspaceId)
      else expect([400, 413]).toContain(answer.status)
    }
  })

  it('is refused where a file was changed and packed again', async () => {
    const path = 'areas/labels/labels.ndjson'
    const text = String(files.get(path)).replace(/"name":"[^"]*"/, '"name":"Forged"')
    expect(await refused(await packed(files, { [path]: text }, false))).toContain('changed')
  })
})
