// What can be chosen of a question: metrics, time, groups, filters, clocks, and the comparison.
import { Group, MultiSelect, Select, Stack, Switch } from '@mantine/core'
import { useMemo } from 'react'
import { FilterChips } from './filter_chips.tsx'
import {
  type Granularity,
  granularities,
  type Look,
  lastChoices,
  lookOf,
  type Metric,
  mostDimensions,
  mostMetrics,
  ownTimezone,
  type Question,
} from './question.ts'

/** Those that all of the metrics have: by others a query could not group or filter. */
export function sharedDimensions(metrics: readonly Metric[], names: readonly string[]): Metric['dimensions'] {
  const [first = [], ...others] = names.map(name => metrics.find(one => one.name === name)?.dimensions ?? [])
  return first.filter(({ name }) => others.every(own => own.some(one => one.name === name)))
}

/** Other metrics have other dimensions: what they do not have is given up. */
export function fitting(question: Question, metrics: readonly Metric[]): Question {
  const shared = sharedDimensions(metrics, question.metrics).map(({ name }) => name)
  return {
    ...question,
    by: question.by.filter(name => shared.includes(name)),
    filters: Object.fromEntries(Object.entries(question.filters).filter(([name]) => shared.includes(name))),
  }
}

/** The shortest buckets that all of them are kept for. */
function shortestOf(metrics: readonly Metric[], names: readonly string[]): number {
  const own = metrics.filter(({ name }) => names.includes(name)).map(({ smallest }) => granularities.indexOf(smallest))
  return Math.max(0, ...own)
}

type MetricsSelectProps = {
  metrics: readonly Metric[]
  value: readonly string[]
  onChange: (names: string[]) => void
}

export function MetricsSelect({ metrics, value, onChange }: MetricsSelectProps) {
  return (
    <MultiSelect
      label="Metrics"
      flex="1 1 260px"
      miw={0}
      maw="100%"
      searchable
      maxValues={mostMetrics}
      nothingFoundMessage="There is no such metric"
      data={metrics.map(({ name }) => name)}
      value={[...value]}
      // Without any there is nothing to ask.
      onChange={names => names.length > 0 && onChange(names)}
    />
  )
}

type GroupBySelectProps = {
  dimensions: Metric['dimensions']
  value: readonly string[]
  onChange: (names: string[]) => void
}

export function GroupBySelect({ dimensions, value, onChange }: GroupBySelectProps) {
  return (
    <MultiSelect
      label="Group by"
      flex="1 1 180px"
      miw={0}
      maw="100%"
      searchable
      nothingFoundMessage="There is no such dimension"
      maxValues={mostDimensions}
      clearable
      clearButtonProps={{ 'aria-label': 'Without groups' }}
      placeholder={value.length === 0 ? 'Nothing' : ''}
      data={dimensions.map(({ name }) => name)}
      value={[...value]}
      onChange={onChange}
    />
  )
}

type ChoicesProps = { metrics: readonly Metric[]; question: Question; ask: (changed: Look) => void }

export function Choices({ metrics, question, ask }: ChoicesProps) {
  const { last, by, granularity, isCompared, weekStart } = question
  const dimensions = sharedDimensions(metrics, question.metrics)
  const shortest = shortestOf(metrics, question.metrics)
  const change = (changed: Partial<Question>) => ask(lookOf({ ...question, ...changed }))
  return (
    <Stack gap="sm">
      <Group align="start" gap="sm">
        <MetricsSelect
          metrics={metrics}
          value={question.metrics}
          onChange={names => {
            const next = fitting({ ...question, metrics: names }, metrics)
            const isKept = granularities.indexOf(next.granularity) >= shortestOf(metrics, names)
            ask({ ...lookOf(next), ...(!isKept && { step: undefined }) })
          }}
        />
        <GroupBySelect dimensions={dimensions} value={by} onChange={names => change({ by: names })} />
        <Select
          label="Time"
          w={150}
          allowDeselect={false}
          data={lastChoices}
          value={last}
          onChange={value => value && ask({ ...lookOf(question), last: value, step: undefined })}
        />
        <Select
          label="By"
          w={110}
          allowDeselect={false}
          data={granularities
            .slice(shortest)
            .map(value => ({ value, label: `${value[0]?.toUpperCase()}${value.slice(1)}` }))}
          value={granularity}
          onChange={step => step && change({ granularity: step as Granularity })}
        />
        {granularity === 'week' && (
          <Select
            label="Weeks begin on"
            w={150}
            allowDeselect={false}
            data={[
              { value: 'monday', label: 'Monday' },
              { value: 'sunday', label: 'Sunday' },
            ]}
            value={weekStart}
            onChange={day => day && change({ weekStart: day as Question['weekStart'] })}
          />
        )}
        <ZoneSelect value={question.timezone} onChange={timezone => change({ timezone })} />
      </Group>
      <Group justify="space-between" gap="sm">
        <FilterChips
          question={question}
          dimensions={dimensions}
          label="Filters of the numbers"
          onFilters={filters => change({ filters })}
        />
        <Switch
          label="Compare with the time before"
          checked={isCompared}
          onChange={event => change({ isCompared: event.currentTarget.checked })}
        />
      </Group>
    </Stack>
  )
}

function ZoneSelect({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const zones = useMemo(() => [...new Set([ownTimezone, 'UTC', value, ...Intl.supportedValuesOf('timeZone')])], [value])
  return (
    <Select
      label="Time zone"
      w={200}
      searchable
      limit={50}
      allowDeselect={false}
      nothingFoundMessage="There is no such time zone"
      data={zones}
      value={value}
      onChange={zone => zone && onChange(zone)}
    />
  )
}
