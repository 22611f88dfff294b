// Asks for figures as tests need them: in a workspace, over the last days, once everything is counted.
import { expect, vi } from 'vitest'
import type { World } from '../calls.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

export const dayMs = 86_400_000

export type Points = { value: number | null; count?: number }[]
export type Grouped = { by: Record<string, string | null>; isOther: boolean; points: Points; previous?: Points }

export const total = (points: Points) => points.reduce((sum, { value }) => sum + (value ?? 0), 0)

export function asking(p: TestPlatform) {
  const ago = (ms: number) => new Date(p.now().getTime() - ms).toISOString()
  const lately = () => ({ from: ago(dayMs), to: ago(-dayMs) })

  const call = (w: World, verb: string, fields: object = {}, caller: TestCaller = w.owner) =>
    p.call(`analytics.${verb}`, { workspaceId: w.workspaceId, ...fields }, caller)

  /**
   * All that was done until now is counted. Asked for one figure of one bucket: the follower has the same database, and
   * on a busy machine a question about everything, again and again, would keep it from counting.
   */
  async function counted(w: World): Promise<void> {
    const newest = { workspaceId: w.workspaceId, perPage: 1, order: 'desc' }
    const head = (await p.call('audit_logs.list', newest, w.owner)).result.items[0].seq as number
    const asked = { metrics: ['issues.opened'], from: ago(1_000), to: ago(0), granularity: 'month' }
    await vi.waitFor(
      async () => {
        const { result } = await call(w, 'query', asked)
        expect(result.series[0].asOfSeq).toBeGreaterThanOrEqual(head)
      },
      { timeout: 45_000, interval: 100 },
    )
  }

  async function series(w: World, metric: string, fields: object = {}) {
    const { status, result, error } = await call(w, 'query', { metrics: [metric], ...lately(), ...fields })
    expect(error?.detail).toBeUndefined()
    expect(status).toBe(200)
    return result.series[0]
  }

  /** Group → sum of its points. */
  async function totals(w: World, metric: string, groupBy: string, fields: object = {}) {
    const { groups } = await series(w, metric, { groupBy: [groupBy], ...fields })
    return Object.fromEntries(groups.map(({ by, points }: Grouped) => [by[groupBy], total(points)]))
  }

  const issue = async (w: World, fields: object = {}) =>
    (await p.call('issues.post', { workspaceId: w.workspaceId, title: 'Checkout answers 502', ...fields }, w.owner))
      .result.id
  const patch = (w: World, id: string, fields: object) =>
    p.call('issues.patch', { workspaceId: w.workspaceId, id, ...fields }, w.owner)

  return { ago, lately, call, counted, series, totals, issue, patch }
}
