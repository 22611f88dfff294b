// What Explore shows becomes a tile at the end of a dashboard: one's own, or that of a role.
import { Button, Menu, Stack } from '@mantine/core'
import { ChevronDown, Plus } from 'lucide-react'
import { useState } from 'react'
import { call, useAct } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Question, tileOf } from './question.ts'
import { type Role, roles } from './whom.ts'

export function AddTile({ question }: { question: Question }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [reading, setReading] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null })
  const mine = useAct('analytics.dashboards.putMine', { onDone: () => done('Added to your dashboard.') })
  const ofRole = useAct('analytics.dashboards.put', { onDone: () => done('Added to the dashboard of the role.') })
  if (!may('analytics.dashboards.putMine')) return null
  // What is there now is read at the last moment: somebody else may have arranged it since.
  const add = async (role: Role | null) => {
    setReading({ isBusy: true, error: null })
    try {
      const { tiles } = role
        ? await call('analytics.dashboards.get', { workspaceId, role })
        : await call('analytics.dashboards.mine', { workspaceId })
      const input = { workspaceId, tiles: [...tiles, tileOf(question, 'line')] }
      if (role) ofRole.mutate({ ...input, role })
      else mine.mutate(input)
      setReading({ isBusy: false, error: null })
    } catch (error) {
      setReading({ isBusy: false, error })
    }
  }
  const isBusy = reading.isBusy || mine.isPending || ofRole.isPending
  const button = { variant: 'default', loading: isBusy, leftSection: <Plus size={16} aria-hidden /> } as const
  const error = reading.error ?? mine.error ?? ofRole.error
  return (
    <Stack gap={4} align="end">
      {may('analytics.dashboards.put') ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button {...button} rightSection={<ChevronDown size={14} aria-hidden />}>
              Add to dashboard
            </Button>
          </Menu.Target>
          <Menu.Dropdown aria-label="Whose dashboard">
            <Menu.Item onClick={() => void add(null)}>Mine</Menu.Item>
            {roles.map(({ value, label }) => (
              <Menu.Item key={value} onClick={() => void add(value)}>
                That of {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        <Button {...button} onClick={() => void add(null)}>
          Add to dashboard
        </Button>
      )}
      <Failure error={error} onRetry={mine.again ?? ofRole.again} />
    </Stack>
  )
}
