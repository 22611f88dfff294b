// What a page of figures shows: for each metric its definition, a chart, and the numbers.
import type { Report } from '../../kit/report.ts'
import type { Group, Series } from './querying/answering.ts'
import { labelOf } from './querying/labels.ts'
import type { Filter, Plan } from './querying/planning.ts'

export function reportOf({ calendar, span, groupBy, filters, previous }: Plan, series: readonly Series[]): Report {
  const { granularity, timezone } = calendar
  const names = series.map(({ metric }) => metric)
  return {
    title: names.join(', '),
    source: 'Analytics',
    facts: [
      { name: 'From', value: iso(span.from) },
      { name: 'To', value: iso(span.to) },
      { name: 'By', value: granularity },
      { name: 'Time zone', value: timezone },
      ...(groupBy.length > 0 ? [{ name: 'Grouped by', value: groupBy.join(', ') }] : []),
      ...(filters.length > 0 ? [{ name: 'Only', value: filters.map(wordsOf).join('; ') }] : []),
      ...(previous ? [{ name: 'Compared with', value: `${iso(previous.span.from)} to ${iso(previous.span.to)}` }] : []),
      { name: 'As of entry', value: String(series[0]?.asOfSeq ?? 0) },
    ],
    sections: series.map(one => ({
      title: one.metric,
      entries: [
        {
          heading: `${one.metric} (${one.unit})`,
          markdown: one.definition,
          chart: {
            unit: one.unit,
            labels: (one.groups[0]?.points ?? []).map(({ at }) => labelOf(at, calendar)),
            series: one.groups.flatMap(linesOf),
          },
        },
      ],
    })),
  }
}

const iso = (at: number) => new Date(at).toISOString()

function wordsOf({ name, yes, no }: Filter): string {
  const parts = [...(yes.length > 0 ? [yes.join(' or ')] : []), ...no.map(value => `not ${value}`)]
  return `${name}: ${parts.join(', ')}`
}

function linesOf(group: Group) {
  const name = nameOf(group)
  const now = { name, values: group.points.map(({ value }) => value) }
  if (!group.previous) return [now]
  return [
    now,
    { name: `${name}, before`, values: group.points.map((_, index) => group.previous?.[index]?.value ?? null) },
  ]
}

function nameOf({ by, isOther }: Group): string {
  if (isOther) return 'other'
  return (
    Object.values(by)
      .map(value => value ?? 'none')
      .join(', ') || 'all'
  )
}
