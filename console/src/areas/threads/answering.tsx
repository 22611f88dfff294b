// Whether an agent answers what is sent: a switch, or the way to the setting that is missing.
import { Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { LinkText } from '../../parts/links.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

/** On where the workspace has a runner, until somebody says otherwise. */
export function useAnswering() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [wanted, setWanted] = useState<boolean | null>(null)
  const mayRun = may('threads.runs.post')
  const enabled = mayRun && may('workspaces.settings.get')
  const settings = useCall('workspaces.settings.get', { workspaceId }, { enabled })
  const hasRunner = settings.data ? settings.data.agent.runner !== null : null
  return { isOn: mayRun && hasRunner !== false && (wanted ?? hasRunner ?? false), hasRunner, mayRun, set: setWanted }
}

export function AnsweringSwitch({ answering }: { answering: ReturnType<typeof useAnswering> }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  if (!answering.mayRun) return null
  if (answering.hasRunner === false) {
    return (
      <Text size="xs" c="dimmed" me="auto">
        No agent answers here yet.{' '}
        {may('workspaces.settings.patch') ? (
          <LinkText to={`/w/${workspaceId}/settings` as '/'} inherit>
            Choose a runner
          </LinkText>
        ) : (
          'An admin can choose a runner.'
        )}
      </Text>
    )
  }
  return (
    <Switch
      size="sm"
      me="auto"
      label="An agent answers"
      checked={answering.isOn}
      onChange={event => answering.set(event.currentTarget.checked)}
    />
  )
}
