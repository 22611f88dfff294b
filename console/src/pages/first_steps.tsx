// What a newcomer does first; gone once all is done or it was put away.
import { ActionIcon, Group, List, Text, ThemeIcon } from '@mantine/core'
import { Check, Circle, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useCall } from '../api.ts'
import { LinkText } from '../parts/links.tsx'
import { Panel } from '../parts/page.tsx'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'

type Step = { title: ReactNode; text: string; isDone: boolean }

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
      title: me.email ? (
        <LinkText to="/verify" search={{ email: me.email }}>
          Verify your address
        </LinkText>
      ) : (
        'Verify your address'
      ),
      text: 'So that you can reset your password and be invited.',
      isDone: me.emailVerified,
    },
    {
      title: (
        <LinkText to="/w/$workspaceId/keys/new" params={params}>
          Create an API key
        </LinkText>
      ),
      text: 'With just the scopes it needs.',
      isDone: keys.data.count > 0,
    },
    {
      title: (
        <LinkText to="/w/$workspaceId/connect" params={params}>
          Make the first call
        </LinkText>
      ),
      text: 'By curl, the command line, MCP or TypeScript.',
      isDone: keys.data.items[0]?.lastActive != null,
    },
    {
      title: (
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
    <Panel>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Text fw={650} fz="lg" component="h2">
          First steps
        </Text>
        <ActionIcon variant="subtle" color="gray" aria-label="Put the first steps away" onClick={putAway}>
          <X size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <List spacing="sm" listStyleType="none" center={false}>
        {steps.map(({ title, text, isDone }) => (
          <List.Item
            key={text}
            icon={
              <ThemeIcon size={22} radius="xl" color={isDone ? 'green' : 'gray'} variant="light">
                {isDone ? <Check size={14} aria-label="Done" /> : <Circle size={10} aria-label="To do" />}
              </ThemeIcon>
            }
          >
            <Text size="sm" fw={600} td={isDone ? 'line-through' : undefined} component="div">
              {title}
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
