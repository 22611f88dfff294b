// What Explore shows becomes a tile at the end of one's own dashboard.
import { Button, Stack } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useAct, useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import type { Question } from './question.ts'
import type { Tile } from './tile.tsx'

function tileOf({ metric, last, by, granularity, isCompared }: Question): Tile {
  return {
    show: 'line',
    last: last as Tile['last'],
    metrics: [metric],
    granularity,
    ...(by !== null && { groupBy: [by] }),
    ...(isCompared && { compare: 'previous' as const }),
  }
}

export function AddTile({ question }: { question: Question }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const { data } = useCall('analytics.dashboards.mine', { workspaceId })
  const act = useAct('analytics.dashboards.putMine', { onDone: () => done('Added to your dashboard.') })
  if (!may('analytics.dashboards.putMine')) return null
  return (
    <Stack gap={4} align="end">
      <Button
        variant="default"
        leftSection={<Plus size={16} aria-hidden />}
        disabled={!data}
        loading={act.isPending}
        onClick={() => data && act.mutate({ workspaceId, tiles: [...data.tiles, tileOf(question)] })}
      >
        Add to dashboard
      </Button>
      <Failure error={act.error} onRetry={act.again} />
    </Stack>
  )
}
