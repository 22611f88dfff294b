// Checks on demand that the chain of entries is whole.
import { Alert, Button, Group, Text } from '@mantine/core'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { useWorkspaceId } from '../../session.ts'

export function Proof() {
  const workspaceId = useWorkspaceId()
  const [isWanted, setIsWanted] = useState(false)
  const check = useCall('audit_logs.verify', { workspaceId }, { enabled: isWanted })
  if (!isWanted) {
    return (
      <Group>
        <Button
          variant="subtle"
          size="xs"
          px={0}
          leftSection={<ShieldCheck size={15} aria-hidden />}
          onClick={() => setIsWanted(true)}
        >
          Check that the log is whole
        </Button>
      </Group>
    )
  }
  if (check.error) return <Failure error={check.error} onRetry={() => void check.refetch()} />
  if (!check.data) return <Text size="sm">Checking…</Text>
  const { ok, checked, firstBrokenSeq, problem } = check.data
  return ok ? (
    <Alert color="green" role="status" title="The log is whole">
      {checked.toLocaleString('en')} entries were checked, each against the one before it.
    </Alert>
  ) : (
    <Alert color="red" role="alert" title={`The log is broken at entry ${firstBrokenSeq}`}>
      {problem ?? 'An entry was changed, removed or reordered.'} Keep a copy, and ask whoever runs the service.
    </Alert>
  )
}
