// The bell in the header: how much is unread, in whichever workspace it happened, and the way to the inbox.
import { ActionIcon, Tooltip } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createLink } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { countOf } from '../format.ts'
import { useEphemeral } from '../live.ts'
import { meQuery } from '../session.ts'

const LinkIcon = createLink((props: React.ComponentProps<'a'>) => (
  <ActionIcon component="a" variant="subtle" color="gray" size="lg" {...props} />
))

/** For what was told while the stream was away. */
const lookAgainMs = 60_000
const mostShown = 99

export function Bell() {
  const queries = useQueryClient()
  const me = useQuery({ ...meQuery, refetchInterval: lookAgainMs })
  useEphemeral(({ action }) => {
    if (action !== 'auth.inbox.changed') return
    const isConcerned = (id: unknown) => id === 'auth.inbox.list' || id === 'auth.whoami'
    void queries.invalidateQueries({ predicate: ({ queryKey }) => isConcerned(queryKey[0]) })
  })
  const count = me.data?.unread ?? 0
  const label = count > 0 ? `Inbox, ${countOf(count, 'unread notification')}` : 'Inbox'
  return (
    <Tooltip label={label}>
      <LinkIcon to="/me/inbox" aria-label={label}>
        <BellIcon size={18} />
        {count > 0 && (
          <span className="atrium-unread" aria-hidden>
            {count > mostShown ? `${mostShown}+` : count}
          </span>
        )}
      </LinkIcon>
    </Tooltip>
  )
}
