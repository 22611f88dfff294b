// The page of one issue: what it is, what happened, and its properties at the side.
import { Alert, Grid, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useCall } from '../../api.ts'
import { whenNeeded } from '../../lazily.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Loaded, Page } from '../../parts/page.tsx'
import { Markdown } from '../../parts/render.tsx'
import { Acts } from '../../record/acts.tsx'
import { EditPanel } from '../../record/edit_panel.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { Occurrences, Similar } from './beside.tsx'
import type { Issue } from './issue.ts'
import { Properties } from './properties.tsx'
import { recordViews } from './record_views.ts'
import { Story } from './story.tsx'

const Metric = whenNeeded<{ issue: Issue }>('IssueMetric', async () => (await import('./metric.tsx')).Metric)

export function IssuePage({ id }: { id: string }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const place = placeOfArea('issues') as Place
  const found = useCall('issues.get', { workspaceId, id })
  const list = `/w/${workspaceId}/issues`
  const title = found.data?.title ?? 'Issue'
  return (
    <Page
      title={title}
      crumbs={<Crumbs place={place} list={list} title={found.data ? `#${found.data.number}` : ''} />}
      actions={
        found.data && (
          <Acts
            place={place}
            views={recordViews}
            record={found.data}
            onGone={() => void navigate({ to: list as '/' })}
          />
        )
      }
    >
      <Loaded query={found}>
        {issue => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack gap="lg">
                <Merged issue={issue} />
                <Description issue={issue} />
                <Metric key={`metric ${issue.id}`} issue={issue} />
                <Story key={issue.id} issue={issue} />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Stack gap="lg">
                <Properties key={issue.id} issue={issue} />
                <Occurrences issue={issue} />
                <Similar issue={issue} />
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Loaded>
    </Page>
  )
}

function Merged({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  if (issue.duplicateOfId === null) return null
  return (
    <Alert color="yellow" title="Merged">
      It is part of{' '}
      <LinkText to={`/w/${workspaceId}/issues/${issue.duplicateOfId}` as '/'} inherit>
        another issue
      </LinkText>
      , where its alerts count now. Split takes it out again.
    </Alert>
  )
}

const edited = [{ name: 'title' }, { name: 'body', label: 'Description' }]

function Description({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  return (
    <EditPanel
      title="Description"
      id="issues.patch"
      fixed={{ workspaceId, id: issue.id }}
      record={issue}
      fields={edited}
      mayEdit={may('issues.patch') && issue.duplicateOfId === null}
    >
      {issue.body ? <Markdown text={issue.body} /> : <Text c="dimmed">Nothing is written here.</Text>}
    </EditPanel>
  )
}
