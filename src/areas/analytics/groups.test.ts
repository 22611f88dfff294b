// Groups of figures: the largest, the rest, and each beside itself in the span before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asking, dayMs, type Grouped, type Points, total } from '../../../test/analytics/asking.ts'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'
import { sumAgain } from './following/store.ts'

let p: TestPlatform
let q: ReturnType<typeof asking>
let w: World
beforeAll(async () => {
  p = await platform()
  q = asking(p)
  w = await world(p)
})
afterAll(() => p.close())

describe('groups', () => {
  it('compares with the span before, bucket by bucket', async () => {
    const [group] = (await q.series(w, 'issues.opened', { compare: 'previous' })).groups
    expect(group?.previous).toHaveLength(group?.points.length ?? 0)
    expect(total(group?.previous ?? [])).toBe(0)
  })

  it('counts an issue with two labels in the group of each', async () => {
    const label = async (name: string) =>
      (await p.call('labels.post', { workspaceId: w.workspaceId, name }, w.owner)).result.id
    const [one, other] = [await label('payments'), await label('web')]
    await q.issue(w, { labels: [one, other] })
    await q.counted(w)
    expect(await q.totals(w, 'issues.opened', 'label', {})).toEqual({ [one]: 1, [other]: 1 })
  })

  it('tells ratings of skills apart by the skill, and others not', async () => {
    const { workspaceId, owner } = w
    const skill = { workspaceId, slug: 'look-first', description: 'Looks first', body: 'Look.' }
    const { id } = (await p.call('skills.post', skill, owner)).result
    const issue = await q.issue(w, {})
    const rate = (object: string, objectId: string, value: number) =>
      p.call('ratings.post', { workspaceId, object, objectId, value }, w.member)
    expect([(await rate('skill', id, 1)).status, (await rate('issue', issue, 1)).status]).toEqual([201, 201])
    await q.counted(w)
    const { groups } = await q.series(w, 'ratings.score', { groupBy: ['skill'] })
    expect(groups.map(({ by }: Grouped) => by.skill).sort()).toEqual([id, null].sort())
  })

  it('shows the largest 50 groups, and the rest as one', async () => {
    const many = await world(p)
    for (let n = 0; n < 52; n++) await q.issue(many, { resources: [`service/${n}`, ...(n < 2 ? ['service/all'] : [])] })
    await q.counted(many)
    const { groups } = await q.series(many, 'issues.opened', { groupBy: ['node'] })
    expect(groups).toHaveLength(51)
    expect(groups[0].by).toEqual({ node: 'service/all' })
    expect(groups.at(-1)).toMatchObject({ isOther: true, by: { node: 'other' } })
    expect(total(groups.flatMap(({ points }: { points: Points }) => points))).toBe(54)
  })

  /** As if so much had been counted at a moment, in each of these repositories. */
  async function facts(own: World, metric: string, at: string, repositories: readonly [name: string, count: number][]) {
    const rows = repositories.flatMap(([name, count]) => Array.from({ length: count }, () => name))
    const seq = seqs++
    await p.database.query(sql`
      insert into analytics_facts (workspace_id, metric, at, seq, place, weight, value, dims)
      select ${own.workspaceId}, ${metric}, ${at}::timestamptz, ${seq}, n.place, 1, 0, jsonb_build_object(
        'repository', jsonb_build_array(n.name), 'origin', jsonb_build_array('manual'))
      from unnest(${rows}::text[]) with ordinality n (name, place)`)
    await sumAgain(p.database, own.workspaceId)
  }
  let seqs = 1_000_000

  const spans = () => ({ from: q.ago(10 * dayMs), to: q.ago(0), groupBy: ['repository'] })
  const many = (count: number, each: (n: number) => number): [string, number][] =>
    Array.from({ length: count }, (_, n) => [`repo_${n}`, each(n)])

  it('are held against themselves before, also where they were small then, or are gone', async () => {
    const own = await world(p)
    const metric = 'autofixes.merged'
    await facts(own, metric, q.ago(5 * dayMs), [
      ['stays', 4],
      ['new', 1],
    ])
    await facts(own, metric, q.ago(15 * dayMs), [
      ['stays', 1],
      ['gone', 3],
    ])
    const asked = { ...spans(), compare: 'previous' }
    const read = async () => {
      const { groups } = await q.series(own, metric, asked)
      return (groups as Grouped[]).map(({ by, points, previous }) => [
        by.repository,
        total(points),
        total(previous ?? []),
      ])
    }
    expect(await read()).toEqual([
      ['stays', 4, 1],
      ['new', 1, 0],
      ['gone', 0, 3],
    ])
    // Fifty that were larger before must not hide what those of now were.
    await facts(
      own,
      metric,
      q.ago(15 * dayMs),
      many(60, () => 5),
    )
    const after = await read()
    expect(after.slice(0, 2)).toEqual([
      ['stays', 4, 1],
      ['new', 1, 0],
    ])
    expect(after).toHaveLength(51)
    expect(after.at(-1)?.[0]).toBe('other')
    expect(after.reduce((sum, [, , previous]) => sum + Number(previous), 0)).toBe(1 + 3 + 60 * 5)
  })

  it('of a ratio are those of both numbers, however many there are', async () => {
    const own = await world(p)
    // The largest of the one are the smallest of the other.
    await facts(
      own,
      'autofixes.merged',
      q.ago(5 * dayMs),
      many(60, n => n + 1),
    )
    await facts(
      own,
      'autofixes.rejected',
      q.ago(5 * dayMs),
      many(60, n => 60 - n),
    )
    const asked = { ...spans(), granularity: 'month' }
    const groups: Grouped[] = (await q.series(own, 'autofixes.merge_rate', asked)).groups
    expect(groups).toHaveLength(51)
    const [bucket] = groups[0]?.points.flatMap(({ count }, index) => (count ? [index] : [])) ?? []
    for (const { by, isOther, points } of groups) {
      const { value, count } = points[bucket ?? 0] ?? {}
      const n = Number(by.repository?.slice(5))
      if (isOther) expect(count).toBe(610)
      else expect([by.repository, value, count]).toEqual([by.repository, (n + 1) / 61, 61])
    }
  })

  it.each(['toString', 'constructor', '__proto__'])(
    'and filters by %s, which is no dimension, are refused',
    async name => {
      const asked = { metrics: ['issues.opened'], ...q.lately() }
      const filters = JSON.parse(`{"${name}": "x"}`)
      expect((await q.call(w, 'query', { ...asked, groupBy: [name] })).status).toBe(400)
      expect((await q.call(w, 'query', { ...asked, filters })).status).toBe(400)
      const point = { metric: 'issues.opened', bucket: q.ago(0), filter: `${name}:x` }
      expect((await q.call(w, 'explain', point)).status).toBe(400)
    },
  )
})
