// What others did that concerns me, in all my workspaces: unread first to be looked at, then marked.
import { ActionIcon, Box, Button, Group, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core'
import { Check, Inbox, Mail } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { placeOfArea } from '../../areas/define.ts'
import { areaOfObject } from '../../contract.ts'
import { countOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { Paging } from '../../table/paging.tsx'
import { Claims } from './claims.tsx'

type Entry = ItemOf<'auth.inbox.list'>

const perPage = 25

export function InboxPage() {
  const [isUnread, setIsUnread] = useState(true)
  const [page, setPage] = useState(1)
  const entries = useCall('auth.inbox.list', { perPage, page, ...(isUnread && { isRead: 'false' }) }, { keep: true })
  const readAll = useAct('auth.inbox.readAll', { onDone: ({ read }) => done(`${countOf(read, 'notification')} read.`) })
  const newest = page === 1 ? entries.data?.items[0]?.created : undefined
  const hasUnread = entries.data?.items.some(({ isRead }) => !isRead) ?? false
  const isPastEnd = page > 1 && entries.data?.items.length === 0
  useEffect(() => {
    if (isPastEnd) setPage(before => before - 1)
  }, [isPastEnd])
  const show = (which: string) => {
    setIsUnread(which === 'unread')
    setPage(1)
  }
  return (
    <Page
      title="Inbox"
      about={
        <>
          What others did that concerns you, kept for 90 days.{' '}
          <LinkText to="/me/notifications" inherit>
            Choose what you are told of
          </LinkText>
        </>
      }
      narrow
      actions={
        hasUnread && (
          <Button
            variant="default"
            loading={readAll.isPending}
            onClick={() => readAll.mutate(newest === undefined ? {} : { until: newest })}
          >
            Mark all read
          </Button>
        )
      }
    >
      <Claims />
      <Failure error={readAll.error} onRetry={readAll.again} />
      <SegmentedControl
        aria-label="Which notifications"
        value={isUnread ? 'unread' : 'all'}
        onChange={show}
        data={[
          { value: 'unread', label: 'Unread' },
          { value: 'all', label: 'All' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <Loaded query={entries}>
        {({ items, count }) => (
          <Panel padding={0}>
            {items.length === 0 ? (
              <Nothing isUnread={isUnread} />
            ) : (
              <Stack component="ul" gap={0} m={0} p={0} aria-label="Notifications" style={{ listStyle: 'none' }}>
                {items.map((entry, index) => (
                  <EntryRow key={entry.id} entry={entry} isFirst={index === 0} />
                ))}
              </Stack>
            )}
            {count > perPage && (
              <Box px="md" pb="md">
                <Paging page={page} perPage={perPage} count={count} onPage={setPage} />
              </Box>
            )}
          </Panel>
        )}
      </Loaded>
    </Page>
  )
}

function Nothing({ isUnread }: { isUnread: boolean }) {
  return (
    <Empty
      icon={Inbox}
      title={isUnread ? 'Nothing unread' : 'Nothing yet'}
      text="When somebody changes your role, invites you or touches a key of yours, it is here."
    />
  )
}

/** Where the record is shown, if the console has a page for it. */
function addressOf({ target, workspace }: Entry): string | undefined {
  const area = target ? areaOfObject(target.object) : undefined
  const place = area && placeOfArea(area.name)
  if (workspace && place && target) return `/w/${workspace.id}/${place.path}/${target.id}`
  return workspace ? `/w/${workspace.id}` : undefined
}

function EntryRow({ entry, isFirst }: { entry: Entry; isFirst: boolean }) {
  const { id, text, isRead, workspace, created } = entry
  const mark = useAct('auth.inbox.patch')
  const to = addressOf(entry)
  const label = isRead ? 'Mark unread' : 'Mark read'
  const Icon = isRead ? Mail : Check
  const open = () => {
    if (!isRead) mark.mutate({ id, isRead: true })
  }
  return (
    <Box component="li" px="md" py="sm" style={isFirst ? {} : { borderTop: '1px solid var(--atrium-line)' }}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Box miw={0}>
          <Text size="sm" fw={isRead ? 400 : 600} component="div" style={{ overflowWrap: 'anywhere' }}>
            {to ? (
              <LinkText to={to as '/'} inherit onClick={open}>
                {text}
              </LinkText>
            ) : (
              text
            )}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            {workspace && <>{workspace.name} · </>}
            <Moment at={created} />
            {!isRead && ' · unread'}
          </Text>
        </Box>
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`${label}: ${text}`}
            loading={mark.isPending}
            onClick={() => mark.mutate({ id, isRead: !isRead })}
          >
            <Icon size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Failure error={mark.error} onRetry={mark.again} />
    </Box>
  )
}
