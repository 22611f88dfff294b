// What to do with the address and the secret of a webhook that were just made.
import { List, Stack, Text } from '@mantine/core'
import type { Row } from '../../named.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import type { Automation } from './automation.ts'

export function HookUse({ record }: { secret: string; record: Row }) {
  const { hookUrl, triggers } = record as Automation
  const isSigned = triggers.some(({ on, signed }) => on === 'webhook' && signed === true)
  return (
    <Stack gap="xs">
      <Text fw={600}>What to do next</Text>
      <List size="sm" spacing={4}>
        <List.Item>Put the address into the system that sends. What it sends is there as trigger.body.</List.Item>
        {isSigned && <List.Item>Give it the secret, too: only what is signed with it is taken.</List.Item>}
        <List.Item>Send something, and look under History.</List.Item>
      </List>
      {!isSigned && hookUrl && (
        <>
          <Text size="sm">To try it from a terminal:</Text>
          <CopyBlock
            label="curl"
            value={`curl -X POST '${hookUrl}' \\\n  -H 'content-type: application/json' \\\n  -d '{"hello":"world"}'`}
          />
        </>
      )}
    </Stack>
  )
}
