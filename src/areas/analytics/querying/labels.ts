// Where a bucket begins, as the clocks of its time zone say it.
import { offsetAt } from '../../../kit/time_zones.ts'
import type { Calendar } from './buckets.ts'

export function labelOf(at: string, { granularity, timezone }: Pick<Calendar, 'granularity' | 'timezone'>): string {
  const ms = Date.parse(at)
  const local = new Date(ms + offsetAt(ms, timezone)).toISOString()
  if (granularity === 'month') return local.slice(0, 7)
  if (granularity === 'day' || granularity === 'week') return local.slice(0, 10)
  return local.slice(0, 16).replace('T', ' ')
}
