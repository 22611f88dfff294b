// What an archive has against what the plan of a new workspace lets it have.
import type { PlanDimension } from '../../../contract/plans.ts'
import type { Db } from '../../../kit/db.ts'
import { type Billing, beyondPlan, isBeyond } from '../../../kit/plans.ts'
import { findLimits } from '../limits/store.ts'
import { jsonOf } from './archive_file.ts'
import type { Checked } from './checking.ts'

export type Beyond = { dimension: PlanDimension; limit: number; current: number }

const counted = { repositories: 'repositories', cloudAccounts: 'cloud_accounts', automations: 'automations' } as const

/** Nobody but who imports takes a seat, and what was used elsewhere is not used here. */
export async function beyondLimits(db: Db, billing: Billing | null, checked: Checked): Promise<Beyond[]> {
  if (!billing) return []
  // Whatever the workspace had elsewhere, or has here: the one that is made begins as any other.
  const limits = await findLimits(db, billing, '')
  const rowsOf = (name: string) => checked.tables.find(({ shape }) => shape.table === name)?.rows ?? 0
  const wanted: [PlanDimension, number][] = [
    ['members', 1],
    ...Object.entries(counted).map(([dimension, table]): [PlanDimension, number] => [
      dimension as PlanDimension,
      rowsOf(table),
    ]),
    ['retentionDays', await longestRetention(checked)],
  ]
  return wanted.flatMap(([dimension, current]) =>
    isBeyond(limits[dimension], current) ? [{ dimension, limit: limits[dimension], current }] : [],
  )
}

async function longestRetention({ archive, tables }: Checked): Promise<number> {
  const table = tables.find(({ shape }) => shape.table === 'datasets')
  let longest = 0
  if (!table) return longest
  for await (const line of archive.lines(table.path)) {
    const { retention_days: days } = (jsonOf(line) ?? {}) as { retention_days?: number }
    longest = Math.max(longest, days ?? 0)
  }
  return longest
}

export function refuseBeyond([first]: readonly Beyond[]): void {
  if (first) throw beyondPlan(first.dimension, first.limit, first.current)
}
