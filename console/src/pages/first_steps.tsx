// What a newcomer does first; gone once all is done or it was put away.
import { ActionIcon, List, Text, ThemeIcon } from '@mantine/core'
import { Check, Circle, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import type { Entry } from '../audit/sentence.tsx'
import { LinkText } from '../parts/links.tsx'
import { Panel } from '../parts/page.tsx'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'

/** What is done is a link no more. */
type Step = { name: string; link: ReactNode; text: string; isDone: boolean }

type Steps = { steps: readonly Step[]; putAway: () => void }

/**
 * What is left to do; null once all is done or it was put away. Reads nothing of its own: what the page has read already
 * says what is done.
 */
export function useFirstSteps(
  keys: ResultOf<'api_keys.list'> | undefined,
  entries: readonly Entry[] | undefined,
): Steps | null {
  const workspaceId = useWorkspaceId()
  const me = useMe()
  const { may } = useStanding()
  const place = `atrium-steps-${workspaceId}`
  const [isAway, setIsAway] = useState(() => localStorage.getItem(place) === 'away')
  if (!may('api_keys.post') || isAway || !me || !keys || !entries) return null
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
      link: <LinkText to={`/w/${workspaceId}/keys/new` as '/'}>Create an API key</LinkText>,
      text: 'With just the scopes it needs.',
      isDone: keys.count > 0,
    },
    {
      name: 'Make the first call',
      link: (
        <LinkText to="/w/$workspaceId/connect" params={params}>
          Make the first call
        </LinkText>
      ),
      text: 'By curl, the command line, MCP or TypeScript.',
      isDone: keys.items[0]?.lastActive != null,
    },
    {
      name: 'Invite somebody',
      link: (
        <LinkText to={`/w/${workspaceId}/members` as '/'} search={{ invite: true } as never}>
          Invite somebody
        </LinkText>
      ),
      text: 'Workspaces are for teams.',
      isDone: entries.some(({ action }) => action.startsWith('workspace_members.invites.')),
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  const putAway = () => {
    localStorage.setItem(place, 'away')
    setIsAway(true)
  }
  return { steps, putAway }
}

export function FirstSteps({ steps, putAway }: Steps) {
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
