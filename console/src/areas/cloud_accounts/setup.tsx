// What to do at the provider, with the texts to paste there.
import { Stack, Text } from '@mantine/core'
import { useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import type { Account } from './account.ts'
import { spoken } from './words.ts'

export function Setup({ record }: { record: Row }) {
  const { workspaceId, id } = record as Account
  const found = useCall('cloud_accounts.setup', { workspaceId, id })
  return (
    <Loaded query={found}>
      {({ about, documents }) => (
        <Stack>
          <Panel title="What to do">
            <Text size="sm">{spoken(about)}</Text>
          </Panel>
          {documents.map(({ name, about: use, text }) => (
            <Panel key={name} title={name} about={use}>
              <CopyBlock label={name} value={text} />
            </Panel>
          ))}
        </Stack>
      )}
    </Loaded>
  )
}
