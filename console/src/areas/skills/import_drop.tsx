// Skills by zip or from a repository, above the list, and what became of each.
import { Alert, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { contentOf, Drop } from '../../parts/drop.tsx'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { ImportRepository } from './import_repository.tsx'

type Imported = ResultOf<'skills.import'>['items'][number]

export function ImportDrop() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [items, setItems] = useState<readonly Imported[]>()
  const act = useAct('skills.import', { onDone: result => setItems(result.items) })
  if (!may('skills.import')) return null
  const take = async ([file]: File[]) => {
    if (file) act.mutate({ workspaceId, content: await contentOf('zip', file) })
  }
  return (
    <Stack gap="xs">
      <Drop
        label="Import a zip"
        text="Drop a zip here: folders with a SKILL.md each. A skill that is there already gets a new version."
        accept=".zip,application/zip"
        isBusy={act.isPending}
        onFiles={files => void take(files)}
      />
      {may('repositories.list') && <ImportRepository onImported={setItems} />}
      <Failure error={act.error} onRetry={act.again} />
      {items && <Outcome items={items} />}
    </Stack>
  )
}

function Outcome({ items }: { items: readonly Imported[] }) {
  const workspaceId = useWorkspaceId()
  return (
    <Alert color="green" title="Imported" role="status">
      <ul className="atrium-plain-list">
        {items.map(({ slug, id, action }) => (
          <Text component="li" size="sm" key={id}>
            <LinkText to={`/w/${workspaceId}/skills/${id}` as '/'} size="sm">
              {slug}
            </LinkText>
            : {action}
          </Text>
        ))}
      </ul>
    </Alert>
  )
}
