// What to do with the secret or the address that was just made.
import { List, Stack, Text } from '@mantine/core'
import type { Row } from '../../named.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { needsOf, typeIn, useCatalog } from './catalog.ts'

export function NextSteps({ secret, record }: { secret: string; record: Row }) {
  const type = typeIn(useCatalog().data, record.type)
  const isAddress = secret.startsWith('http')
  return (
    <Stack gap="xs">
      <Text fw={600}>What to do next</Text>
      <List size="sm" spacing={4}>
        {type && <List.Item>At the other end: {needsOf(type)}</List.Item>}
        {isAddress ? (
          <List.Item>Put the address into the other system, send something, and look under Payloads.</List.Item>
        ) : (
          <List.Item>Give the secret to the receiver, then press Test on the next page.</List.Item>
        )}
      </List>
      {record.type === 'inbound' && isAddress && (
        <>
          <Text size="sm">To try it from a terminal:</Text>
          <CopyBlock
            label="curl"
            value={`curl -X POST '${secret}' \\\n  -H 'content-type: application/json' \\\n  -d '{"title":"It works"}'`}
          />
        </>
      )}
      {record.type === 'webhook' && (
        <>
          <Text size="sm">To check what arrives, with the library standardwebhooks:</Text>
          <CopyBlock
            label="Checking the signature"
            value={`import { Webhook } from 'standardwebhooks'\n\nconst event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers)`}
          />
        </>
      )}
    </Stack>
  )
}
