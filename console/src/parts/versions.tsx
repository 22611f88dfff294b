// What every list of versions shows: who wrote one and when, and the way back to it.
import { Button, Group, Text } from '@mantine/core'
import { Undo2 } from 'lucide-react'
import { useAct } from '../api.ts'
import { useStanding, useWorkspaceId } from '../session.ts'
import { Failure } from './failure.tsx'
import { Moment } from './moment.tsx'
import { OwnerName } from './people.tsx'
import { done } from './toast.tsx'

export type Written = { version: number; authorId: string | null; callerKind: string | null; created: string }

export function WrittenBy({ authorId, callerKind, created }: Written) {
  return (
    <>
      {authorId ? <OwnerName id={authorId} /> : <Text size="sm">Somebody who left</Text>}
      {callerKind && (
        <Text size="sm" c="dimmed">
          by an agent ({callerKind})
        </Text>
      )}
      <Moment at={created} />
    </>
  )
}

type BringBackProps = { operation: 'memories.versions.revert' | 'skills.versions.revert'; id: string; version: number }

export function BringBack({ operation, id, version }: BringBackProps) {
  const { may } = useStanding()
  const workspaceId = useWorkspaceId()
  const revert = useAct(operation, { onDone: () => done('Brought back as a new version.') })
  if (!may(operation)) return null
  return (
    <Group gap="xs">
      <Failure error={revert.error} onRetry={revert.again} />
      <Button
        size="xs"
        variant="default"
        loading={revert.isPending}
        leftSection={<Undo2 size={14} aria-hidden />}
        onClick={() => revert.mutate({ workspaceId, id, version: String(version) })}
      >
        Bring back
      </Button>
    </Group>
  )
}

export function versionTitle(version: number, isCurrent: boolean): string {
  return `Version ${version}${isCurrent ? ', in use' : ''}`
}
