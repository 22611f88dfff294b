// What happened to an issue, and where the next note is written.
import { Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { call, queryClient, useAct } from '../../api.ts'
import { Composer } from '../../composer/composer.tsx'
import { areaOf } from '../../contract.ts'
import { Failure } from '../../parts/failure.tsx'
import { Panel, Rows } from '../../parts/page.tsx'
import { useOwners } from '../../parts/people.tsx'
import { Markdown } from '../../parts/render.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { useListedTimeline } from '../../timeline/listed.ts'
import { Timeline } from '../../timeline/timeline.tsx'
import { type Entry, entryIcons, sentenceOf } from './entry.tsx'
import { type Issue, movesFrom, type Status, severityColors, statusColors } from './issue.ts'

/** As long as its author may change a note. */
const editableMs = 15 * 60_000

type Milestone = 'mitigated' | 'resolved'

export function Story({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [milestone, setMilestone] = useState<Milestone | ''>('')
  const path = { workspaceId, id: issue.id }
  const line = useListedTimeline<Entry>('issues.timeline.list', path, { orderBy: 'at' })
  const owners = useOwners(line.items.flatMap(({ actor, data }) => [actor.id ?? [], data.assigneeId ?? []].flat()))
  const send = async (text: string) => {
    await call('issues.notes.post', { ...path, text, ...(milestone && { milestone }) })
    setMilestone('')
    refresh()
  }
  const reachable = (['mitigated', 'resolved'] as const).filter(one => movesFrom(issue.status).includes(one))
  const items = line.items.map(entry => ({
    id: entry.id,
    at: entry.at,
    icon: entryIcons[entry.type],
    color: colorOf(entry),
    title: sentenceOf(entry, owners),
    ...(entry.text && { body: <Note entry={entry} issue={issue} /> }),
  }))
  return (
    <Panel title="Timeline">
      {line.isLoading ? <Rows count={3} /> : null}
      {line.error ? <Failure error={line.error} onRetry={line.again} /> : null}
      <Timeline label="Timeline" items={items} onOlder={line.onOlder} isLoadingOlder={line.isLoadingOlder}>
        {may('issues.notes.post') && (
          <Composer label="Note" send="Add note" most={8192} onSend={send}>
            {reachable.length > 0 && (
              <SegmentedControl
                size="xs"
                aria-label="The note also says that it is"
                value={milestone}
                onChange={value => setMilestone(value as Milestone | '')}
                data={[
                  { value: '', label: 'Just a note' },
                  ...reachable.map(value => ({ value, label: value === 'mitigated' ? 'Mitigated' : 'Resolved' })),
                ]}
              />
            )}
          </Composer>
        )}
      </Timeline>
    </Panel>
  )
}

function refresh(): void {
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => areaOf(String(queryKey[0])) === 'issues' })
}

function colorOf({ type, data, milestone }: Entry): string {
  if (type === 'status') return statusColors[data.to as Status] ?? 'gray'
  if (type === 'severity') return severityColors[data.to as Issue['severity']] ?? 'gray'
  if (type === 'milestone' && milestone) return statusColors[milestone]
  return type === 'note' ? 'iris' : 'gray'
}

/** Its author may change it for a while, and take it away. */
function Note({ entry, issue }: { entry: Entry; issue: Issue }) {
  const workspaceId = useWorkspaceId()
  const me = useMe()
  const { may } = useStanding()
  const [isEditing, setIsEditing] = useState(false)
  const del = useAct('issues.notes.del')
  const path = { workspaceId, id: issue.id, noteId: entry.id }
  const isMine = entry.actor.id === me?.id && (entry.type === 'note' || entry.type === 'milestone')
  const isFresh = Date.now() - new Date(entry.at).getTime() < editableMs
  if (isEditing) {
    return (
      <Composer
        label="Note"
        send="Save"
        start={entry.text ?? ''}
        most={8192}
        onCancel={() => setIsEditing(false)}
        onSend={async text => {
          await call('issues.notes.patch', { ...path, text })
          setIsEditing(false)
          refresh()
        }}
      />
    )
  }
  return (
    <>
      <Markdown text={entry.text ?? ''} />
      {isMine && (
        <Group gap="xs" mt={4}>
          {isFresh && may('issues.notes.patch') && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setIsEditing(true)}>
              Edit
            </Button>
          )}
          {may('issues.notes.del') && (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              loading={del.isPending}
              onClick={() => del.mutate(path)}
            >
              Delete
            </Button>
          )}
        </Group>
      )}
      <Failure error={del.error} onRetry={del.again} />
    </>
  )
}
