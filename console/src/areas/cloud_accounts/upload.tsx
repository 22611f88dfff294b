// The state of Terraform, uploaded by hand; a pipeline does the same with the command under Setup.
import { Alert, Stack, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import type { Row } from '../../named.ts'
import { contentOf, Drop } from '../../parts/drop.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { useStanding } from '../../session.ts'
import type { Account } from './account.ts'

export function Upload({ record }: { record: Row }) {
  const { workspaceId, id } = record as Account
  const { may } = useStanding()
  const [taken, setTaken] = useState<string | null>(null)
  const act = useAct('cloud_accounts.state.put')
  if (!may('cloud_accounts.state.put')) {
    return (
      <Panel title="State">
        <Text size="sm">Somebody who may change this account uploads its state here.</Text>
      </Panel>
    )
  }
  const take = async ([file]: File[]) => {
    if (!file) return
    setTaken(file.name)
    act.mutate({ workspaceId, id, content: await contentOf('json', file) })
  }
  return (
    <Panel
      title="State"
      about="Resources and how they depend on each other are taken from it. Secrets in it are not, and the file is not kept."
    >
      <Stack>
        <Drop
          label="Upload a state"
          text="Drop terraform.tfstate here, of version 3 or 4, at most 32 MiB."
          accept=".tfstate,.json,application/json"
          isBusy={act.isPending}
          onFiles={files => void take(files)}
        />
        <Failure error={act.error} onRetry={act.again} />
        {act.isSuccess && (
          <Alert color="green" role="status" icon={<CircleCheck size={18} aria-hidden />}>
            {taken} is taken. What it holds shows in a moment; Syncs say how that went.
          </Alert>
        )}
      </Stack>
    </Panel>
  )
}
