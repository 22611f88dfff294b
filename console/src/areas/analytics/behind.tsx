// What a number is made of: the entries of the ledger, or the records that it was counted from.
import { Drawer, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { LinkText } from '../../parts/links.tsx'
import { useWorkspaceId } from '../../session.ts'
import { placeOfArea } from '../define.ts'
import { Entries } from './behind_entries.tsx'
import { Records } from './behind_records.tsx'
import { figureOf, nameOf, tickOf, useValueNames } from './look_of.ts'
import type { Metric, Query } from './question.ts'
import { isMadeOfSomething, type Spot } from './spot.ts'

type BehindProps = { query: Query; metrics: readonly Metric[]; spot: Spot | null; onClose: () => void }

export function Behind({ query, metrics, spot, onClose }: BehindProps) {
  return (
    <Drawer
      opened={spot !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="What is behind it"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {spot && <At key={JSON.stringify(spot)} query={query} metrics={metrics} spot={spot} />}
    </Drawer>
  )
}

function At({ query, metrics, spot }: Omit<BehindProps, 'onClose'> & { spot: Spot }) {
  const { metric, by, points } = spot
  const workspaceId = useWorkspaceId()
  const [at, setAt] = useState(spot.at)
  const names = useValueNames(Object.values(by))
  const told = points.filter(({ value }) => isMadeOfSomething(value, metric.kind))
  const unit = metric.unit
  const { granularity = 'day', timezone = 'UTC' } = query
  const place = placeOfArea(metric.name.split('.')[0] ?? '')
  const made = metric.source === 'metrics' ? metrics.filter(({ name }) => metric.parts.includes(name)) : [metric]
  return (
    <Stack>
      <div>
        <Text fw={600} size="sm">
          {[metric.name, nameOf({ by, isOther: false }, names)].filter(Boolean).join(' · ')}
        </Text>
        <Text size="sm" c="dimmed">
          {metric.definition}
        </Text>
      </div>
      <Select
        label="Time"
        w={260}
        allowDeselect={false}
        data={[
          { value: '', label: 'All of it' },
          ...told.map(point => ({
            value: point.at,
            label: `${tickOf(point.at, granularity, timezone)}: ${figureOf(point.value, unit)}`,
          })),
        ]}
        value={at ?? ''}
        onChange={value => setAt(value || null)}
      />
      {made.map(one =>
        one.source === 'ledger' ? (
          <Entries
            key={one.name}
            title={made.length > 1 ? one.name : null}
            query={query}
            metric={one.name}
            by={by}
            buckets={at ? [at] : told.map(point => point.at)}
          />
        ) : (
          <Records key={one.name} query={query} metric={one} by={by} at={at} points={points} />
        ),
      )}
      {metric.source === 'records' && place && !place.isHidden && (
        <LinkText to={`/w/${workspaceId}/${place.path}` as '/'} size="sm">
          All {place.title.toLowerCase()}
        </LinkText>
      )}
    </Stack>
  )
}
