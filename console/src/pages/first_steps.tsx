// What a newcomer does first; gone once all is done or it was put away.
import { ActionIcon, List, Text, ThemeIcon } from '@mantine/core'
import { Check, Circle, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useCall } from '../api.ts'
import { LinkText } from '../parts/links.tsx'
import { Panel } from '../parts/page.tsx'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'

/** What is done is a link no more. */
type Step = { name: string; link: ReactNode; text: string; isDone: boolean }

export function FirstSteps() {
  const workspaceId = useWorkspaceId()
  const me = useMe()
  const { can, isKnown } = useStanding()
  const place = `atrium-steps-${workspaceId}`
  const [isAway, setIsAway] = useState(() => localStorage.getItem(place) === 'away')
  const mayKeys = isKnown && can('api_keys:write')
  const keys = useCall(
    'api_keys.list',
    { workspaceId, perPage: 1, orderBy: 'lastActive', order: 'desc' },
    { enabled: mayKeys },
  )
  const members = useCall('workspace_members.list', { workspaceId, perPage: 1 }, { enabled: isKnown })
  if (!mayKeys || isAway || !me || !keys.data || !members.data) return null
  const params = { workspaceId }
  const steps: Step[] = [
    {
      name: 'Verify your address',
      link: (
        <LinkText to="/verify" search={me.email ? { email: me.email } : {}}>
          Verify your address
        </LinkText>
      ),
      text: 'So that you can reset your password and be invited.',
      isDone: me.emailVerified,
    },
    {
      name: 'Create an API key',
      link: (
        <LinkText to="/w/$workspaceId/keys/new" params={params}>
          Create an API key
        </LinkText>
      ),
      text: 'With just the scopes it needs.',
      isDone: keys.data.count > 0,
    },
    {
      name: 'Make the first call',
      link: (
        <LinkText to="/w/$workspaceId/connect" params={params}>
          Make the first call
        </LinkText>
      ),
      text: 'By curl, the command line, MCP or TypeScript.',
      isDone: keys.data.items[0]?.lastActive != null,
    },
    {
      name: 'Invite somebody',
      link: (
        <LinkText to="/w/$workspaceId/members" params={params} search={{ invite: true }}>
          Invite somebody
        </LinkText>
      ),
      text: 'Workspaces are for teams.',
      isDone: members.data.count > 1,
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  const putAway = () => {
    localStorage.setItem(place, 'away')
    setIsAway(true)
  }
  return (
    <Panel
      title="First steps"
      aside={
        <ActionIcon variant="subtle" color="gray" aria-label="Put the first steps away" onClick={putAway}>
          <X size={16} aria-hidden />
        </ActionIcon>
      }
    >
      <List spacing="sm" listStyleType="none" styles={{ itemWrapper: { alignItems: 'flex-start' } }}>
        {steps.map(({ name, link, text, isDone }) => (
          <List.Item
            key={text}
            icon={
              <ThemeIcon size={22} radius="xl" color={isDone ? 'green' : 'gray'} variant="light">
                {isDone ? <Check size={14} aria-label="Done" /> : <Circle size={10} aria-label="To do" />}
              </ThemeIcon>
            }
          >
            <Text size="sm" fw={600} component="div">
              {isDone ? name : link}
            </Text>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </List.Item>
        ))}
      </List>
    </Panel>
  )
}
