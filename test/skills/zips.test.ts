// Skills through zips: what is valid comes out as it went in, what means harm is refused and leaves nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { readZip } from '../../src/kit/zip.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { hostileZips } from './hostile_zips.ts'
import { validSkill } from './valid_skills.ts'
import { zipped } from './zipped.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
})
afterAll(() => p.close())

const total = Number(process.env.SKILLS ?? 100)
const perZip = 50

const send = async (zip: Uint8Array) =>
  await p.call('skills.import', { workspaceId: owner.workspaceId, content: { kind: 'zip', bytes: zip } }, owner)

const counted = async () => {
  const [row] = await p.database.query(sql`
    select (select count(*)::int from skills) as skills, (select count(*)::int from skill_versions) as versions,
      (select count(*)::int from skill_files) as files, (select count(*)::int from blobs) as contents`)
  return row
}

describe('hostile zips', () => {
  it('are refused before anything is written, within a bounded memory', async () => {
    const all = hostileZips()
    expect(all.length).toBeGreaterThanOrEqual(200)
    const before = await counted()
    const wrong: string[] = []
    let most = 0
    const held = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
    for (const { what, zip, status } of all) {
      const bytes = zip()
      const idle = held()
      const sampling = setInterval(() => {
        most = Math.max(most, held() - idle)
      }, 1)
      const answer = await send(bytes)
      clearInterval(sampling)
      most = Math.max(most, held() - idle)
      if (answer.status !== status) wrong.push(`${what}: ${answer.status} ${answer.error?.detail ?? ''}`)
    }
    expect(wrong).toEqual([])
    expect(await counted()).toEqual(before)
    expect(most).toBeLessThan(64 * 1024 * 1024)
  })

  it('have their names cut in messages', async () => {
    const zip = await zipped({ ['x'.repeat(60_000)]: 'x' })
    const refused = () => readZip(zip, { entries: 1, fileBytes: 0, totalBytes: 0 })
    expect(refused).toThrow(/The zip is refused: "x{255}" is larger/)
  })
})

describe('valid skills', () => {
  it(`come out as they went in (${total})`, async () => {
    for (let start = 0; start < total; start += perZip) {
      const skills = Array.from({ length: Math.min(perZip, total - start) }, (_, index) => validSkill(start + index))
      const answer = await send(await zipped(Object.assign({}, ...skills.map(({ files }) => files))))
      expect(answer.error).toBeNull()
      const ids = new Map(answer.result.items.map(({ slug, id }: { slug: string; id: string }) => [slug, id]))
      for (const { slug, files } of skills) {
        const url = `/v1/skills/${owner.workspaceId}/${ids.get(slug)}/export`
        const { rawPayload } = await p.app.inject({ url, headers: owner.headers })
        expect(await contentsOf(rawPayload)).toEqual(Object.fromEntries(Object.entries(files).sort()))
      }
      expect(new Set(answer.result.items.map(({ action }: { action: string }) => action))).toEqual(new Set(['created']))
    }
  })
})

/** As hex, since texts could be told apart less exactly. */
async function contentsOf(zip: Buffer): Promise<Record<string, Buffer>> {
  const entries = readZip(zip, { entries: 1_000, fileBytes: 2 ** 24, totalBytes: 2 ** 26 })
  const read = await Promise.all(entries.map(async ({ path, read }) => [path, Buffer.from(await read())] as const))
  return Object.fromEntries(read.sort())
}
