// The dashboard, and any question: as a chart, as a file, as a page, or as a tile.
import { Button, Group, Stack, Tabs } from '@mantine/core'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { downloadCall, useCall } from '../../api.ts'
import { saveFile } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Page } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { placeOfArea } from '../define.ts'
import { AddTile } from './add_tile.tsx'
import { Dashboard } from './dashboard.tsx'
import { Explorer } from './explorer.tsx'
import { PublishButton } from './publish.tsx'
import { lookOf, nothingAsked, type Query, useQuery, useQuestion } from './question.ts'

export function AnalyticsPage() {
  const workspaceId = useWorkspaceId()
  const [question, ask, isAsked] = useQuestion()
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
    <Page title="Analytics" about={placeOfArea('analytics')?.about} actions={isAsked ? actions : undefined}>
      <Tabs
        value={isAsked ? 'explore' : 'dashboard'}
        onChange={tab => ask(tab === 'explore' ? lookOf(question) : nothingAsked)}
      >
        <Tabs.List aria-label="Parts of analytics" mb="md">
          <Tabs.Tab value="dashboard">Dashboard</Tabs.Tab>
          <Tabs.Tab value="explore">Explore</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {isAsked ? (
        <Loaded query={catalogue}>
          {({ items }) => <Explorer metrics={items} question={question} query={query} ask={ask} />}
        </Loaded>
      ) : (
        <Dashboard />
      )}
    </Page>
  )
}

/** Exactly what is seen: the file answers the same question. */
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
