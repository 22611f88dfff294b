// Any question: what is chosen, the answer as lines and a table for each unit, and what is behind a number.
import { Box, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Behind } from './behind.tsx'
import { Choices } from './choices.tsx'
import { useGroupNames } from './look_of.ts'
import { type Answer, type Look, type Metric, type Query, type Question, type Series, useQuery } from './question.ts'
import { SeriesView } from './series_view.tsx'
import type { Spot } from './spot.ts'

type ExplorerProps = {
  metrics: readonly Metric[]
  question: Question
  query: Query
  ask: (changed: Look) => void
}

export function Explorer({ metrics, question, query, ask }: ExplorerProps) {
  const asked = metrics.filter(({ name }) => question.metrics.includes(name))
  return (
    <Panel padding="md">
      <Stack>
        <Choices metrics={metrics} question={question} ask={ask} />
        {asked.map(({ name, definition }) => (
          <Text key={name} size="sm" c="dimmed">
            {asked.length > 1 && `${name}: `}
            {definition}
          </Text>
        ))}
        <Answered metrics={metrics} question={question} query={query} />
      </Stack>
    </Panel>
  )
}

const unitTitles: Readonly<Record<Series['unit'], string>> = {
  count: 'Counts',
  seconds: 'Durations',
  tokens: 'Tokens',
  money: 'Money',
  bytes: 'Bytes',
  ratio: 'Ratios',
  score: 'Scores',
}

function Answered({ metrics, question, query }: Omit<ExplorerProps, 'ask'>) {
  const answer = useCall('analytics.query', query, { keep: true })
  const whole = useQuery(query.workspaceId, question, true)
  const totals = useCall('analytics.query', whole, { enabled: question.by.length > 0 })
  const [spot, setSpot] = useState<Spot | null>(null)
  const isStale = answer.isPlaceholderData
  return (
    <>
      <Loaded query={answer} rows={6}>
        {data => (
          // What is shown until the next answer is there is of the question before.
          <Box opacity={isStale ? 0.6 : 1} aria-busy={isStale}>
            <Units
              answer={data}
              totals={isStale ? undefined : totals.data}
              metrics={metrics}
              onSpot={isStale ? null : setSpot}
            />
          </Box>
        )}
      </Loaded>
      <Behind query={query} metrics={metrics} spot={spot} onClose={() => setSpot(null)} />
    </>
  )
}

type UnitsProps = {
  answer: Answer
  totals: Answer | undefined
  metrics: readonly Metric[]
  onSpot: ((spot: Spot) => void) | null
}

/** Seconds and counts have no axis in common. */
function Units({ answer, ...rest }: UnitsProps) {
  const names = useGroupNames(answer.series)
  const units = [...Map.groupBy(answer.series, ({ unit }) => unit)]
  return (
    <Stack gap="xl">
      {units.map(([unit, series]) => (
        <Stack key={unit} gap="xs">
          {units.length > 1 && <Title order={2}>{unitTitles[unit]}</Title>}
          <SeriesView answer={answer} series={series} names={names} {...rest} />
        </Stack>
      ))}
    </Stack>
  )
}
