// The dashboard, and one metric at a time: what it means, how it went, by group, against the time before, and as a file.
import { Button, Group, Select, Stack, Switch, Tabs, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { downloadCall, useCall } from '../../api.ts'
import { saveFile } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { placeOfArea } from '../define.ts'
import { AddTile } from './add_tile.tsx'
import { Behind } from './behind.tsx'
import { Dashboard } from './dashboard.tsx'
import { PublishButton } from './publish.tsx'
import {
  type Granularity,
  granularities,
  type Look,
  lasts,
  type Metric,
  nothingAsked,
  ownTimezone,
  type Query,
  type Question,
  useQuery,
  useQuestion,
} from './question.ts'
import { SeriesView } from './series_view.tsx'

export function AnalyticsPage() {
  const workspaceId = useWorkspaceId()
  const [question, ask] = useQuestion()
  const catalogue = useCall('analytics.metrics', { workspaceId })
  const query = useQuery(workspaceId, question)
  const actions = (
    <Group gap="xs" align="start">
      <AddTile question={question} />
      <ExportButton query={query} />
      <PublishButton query={query} />
    </Group>
  )
  return (
    <Page title="Analytics" about={placeOfArea('analytics')?.about} actions={question.isExplored ? actions : undefined}>
      <Tabs
        value={question.isExplored ? 'explore' : 'dashboard'}
        onChange={tab => ask(tab === 'explore' ? { metric: question.metric } : nothingAsked)}
      >
        <Tabs.List aria-label="Parts of analytics" mb="md">
          <Tabs.Tab value="dashboard">Dashboard</Tabs.Tab>
          <Tabs.Tab value="explore">Explore</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <Loaded query={catalogue}>
        {({ items }) =>
          question.isExplored ? (
            <Panel padding="md">
              <Stack>
                <Choices metrics={items} question={question} ask={ask} />
                <Answered metrics={items} question={question} query={query} />
              </Stack>
            </Panel>
          ) : (
            <Dashboard metrics={items} />
          )
        }
      </Loaded>
    </Page>
  )
}

type ChoicesProps = { metrics: readonly Metric[]; question: Question; ask: (changed: Look) => void }

function Choices({ metrics, question, ask }: ChoicesProps) {
  const metric = metrics.find(({ name }) => name === question.metric)
  const shortest = granularities.indexOf(metric?.smallest ?? 'minute')
  const zones = [...new Set([ownTimezone, 'UTC'])]
  return (
    <Group align="end" gap="sm">
      <Select
        label="Metric"
        w={260}
        searchable
        allowDeselect={false}
        nothingFoundMessage="There is no such metric"
        data={metrics.map(({ name }) => name)}
        value={question.metric}
        // Another metric has other dimensions and may be kept for longer buckets only.
        onChange={name => name && ask({ metric: name, by: undefined, step: undefined })}
      />
      <Select
        label="Time"
        w={160}
        allowDeselect={false}
        data={Object.entries(lasts).map(([value, { title }]) => ({ value, label: title }))}
        value={question.last}
        onChange={last => last && ask({ last, step: undefined })}
      />
      <Select
        label="By"
        w={120}
        allowDeselect={false}
        data={granularities
          .slice(shortest)
          .map(value => ({ value, label: `${value[0]?.toUpperCase()}${value.slice(1)}` }))}
        value={question.granularity}
        onChange={step => step && ask({ step: step as Granularity })}
      />
      <Select
        label="Group by"
        w={160}
        clearable
        clearButtonProps={{ 'aria-label': 'Without groups' }}
        placeholder="Nothing"
        data={(metric?.dimensions ?? []).map(({ name }) => name)}
        value={question.by}
        onChange={by => ask({ by: by ?? undefined })}
      />
      {zones.length > 1 && (
        <Select
          label="Time zone"
          w={180}
          allowDeselect={false}
          data={zones}
          value={question.timezone}
          onChange={zone => ask({ zone: zone === 'UTC' ? zone : undefined })}
        />
      )}
      <Switch
        label="Compare with the time before"
        mb={8}
        checked={question.isCompared}
        onChange={event => ask({ compare: event.currentTarget.checked ? 'previous' : undefined })}
      />
    </Group>
  )
}

type AnsweredProps = { metrics: readonly Metric[]; question: Question; query: Query }

function Answered({ metrics, question, query }: AnsweredProps) {
  const answer = useCall('analytics.query', query, { keep: true })
  const [bucket, setBucket] = useState<string | null>(null)
  const metric = metrics.find(({ name }) => name === question.metric)
  return (
    <>
      {metric && (
        <Text size="sm" c="dimmed">
          {metric.definition}
        </Text>
      )}
      <Loaded query={answer} rows={6}>
        {({ series: [series], granularity, timezone }) =>
          // What is shown while the next answer comes may be of another metric.
          series && metric && series.metric === metric.name ? (
            <SeriesView
              metric={metric}
              series={series}
              granularity={granularity}
              timezone={timezone}
              by={question.by}
              onBucket={metric.source === 'ledger' ? setBucket : null}
            />
          ) : null
        }
      </Loaded>
      <Behind query={query} bucket={bucket} onClose={() => setBucket(null)} />
    </>
  )
}

function ExportButton({ query }: { query: Query }) {
  const { may } = useStanding()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  if (!may('analytics.export')) return null
  const take = async () => {
    setIsBusy(true)
    setError(null)
    try {
      const parts = await downloadCall('analytics.export', { ...query, format: 'csv' })
      saveFile('analytics.csv', 'text/csv', parts)
      done('The numbers are downloaded.')
    } catch (failure) {
      setError(failure)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Stack gap={4} align="end">
      <Button
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
        loading={isBusy}
        onClick={() => void take()}
      >
        CSV
      </Button>
      <Failure error={error} />
    </Stack>
  )
}
