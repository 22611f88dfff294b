// The page of one autofix: what git says of it, what it changes, who approved it, and what came of it.
import { Alert, Badge, Button, Grid, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Loaded, Page } from '../../parts/page.tsx'
import { Markdown } from '../../parts/render.tsx'
import { Acts } from '../../record/acts.tsx'
import { EditPanel } from '../../record/edit_panel.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { type Autofix, checkStates, closingWords, isOpen, statusColors } from './autofix.ts'
import { About, Approvals } from './beside.tsx'
import { Changes } from './changes.tsx'
import { CheckPanel } from './check.tsx'
import { Decide } from './decide.tsx'
import { Taking } from './delivered.tsx'
import { recordViews } from './record_views.ts'

export function AutofixPage({ id }: { id: string }) {
  const workspaceId = useWorkspaceId()
  const place = placeOfArea('autofixes') as Place
  const found = useCall('autofixes.get', { workspaceId, id })
  const list = `/w/${workspaceId}/autofixes`
  if (found.data) return <Shown autofix={found.data} place={place} list={list} />
  return (
    <Page title="Autofix" crumbs={<Crumbs place={place} list={list} title="" />}>
      <Loaded query={found}>{() => null}</Loaded>
    </Page>
  )
}

type ShownProps = { autofix: Autofix; place: Place; list: string }

/** The patch that was opened stays the one that is shown and approved, until the newer one is asked for. */
function Shown({ autofix, place, list }: ShownProps) {
  const navigate = useNavigate()
  const [read, setRead] = useState(autofix.patchSha256)
  const reload = (patchSha256 = autofix.patchSha256) => setRead(patchSha256)
  return (
    <Page
      title={autofix.title}
      crumbs={<Crumbs place={place} list={list} title={autofix.title} />}
      actions={
        <Acts
          place={place}
          views={recordViews}
          record={autofix}
          onGone={() => void navigate({ to: list as '/' })}
          isFolded
        >
          <Decide autofix={autofix} read={read} onReload={reload} />
        </Acts>
      }
    >
      <States autofix={autofix} />
      {read !== autofix.patchSha256 && (
        <Alert color="yellow" title="The patch was changed">
          <Text size="sm">What you see is the patch before. Show the new one and read it before you approve it.</Text>
          <Button mt="xs" size="xs" variant="default" onClick={() => reload()}>
            Show the new patch
          </Button>
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Closed autofix={autofix} />
            <CheckPanel autofix={autofix} />
            <Description autofix={autofix} />
            <Taking autofix={autofix} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <Approvals autofix={autofix} />
            <About autofix={autofix} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Changes autofix={autofix} read={read} />
    </Page>
  )
}

function States({ autofix: { status, check } }: { autofix: Autofix }) {
  const { words, color } = checkStates[check.state]
  return (
    <Group gap="xs">
      <Badge color={statusColors[status]}>{wordsOf(status)}</Badge>
      <Badge color={color}>{words}</Badge>
    </Group>
  )
}

function Closed({ autofix: { closeReason, closeNote, status } }: { autofix: Autofix }) {
  if (closeReason === null) return null
  return (
    <Alert color="gray" title={`${wordsOf(status)}: ${closingWords(closeReason)}`}>
      {closeNote && <Text size="sm">{closeNote}</Text>}
    </Alert>
  )
}

const edited = [
  { name: 'title' },
  { name: 'description', schema: { type: 'string', maxLength: 65_536, 'x-format': 'markdown' as const } },
]

/** Another title or description is another commit: it must be approved again. */
function Description({ autofix }: { autofix: Autofix }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  return (
    <EditPanel
      title="Description"
      id="autofixes.patch"
      fixed={{ workspaceId, id: autofix.id }}
      record={autofix}
      fields={edited}
      mayEdit={may('autofixes.patch') && isOpen(autofix)}
    >
      {autofix.description ? (
        <Markdown text={autofix.description} />
      ) : (
        <Text c="dimmed">Nothing is written here. Say why the change is needed.</Text>
      )}
    </EditPanel>
  )
}
