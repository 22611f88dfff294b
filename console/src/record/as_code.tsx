// The same record by curl, command line and MCP, to be copied.
import { Stack, Text } from '@mantine/core'
import type { OperationId } from '../../../src/client/catalogue.ts'
import { addressOf } from '../api.ts'
import type { Row } from '../named.ts'
import { CopyBlock } from '../parts/copy.tsx'
import { settings } from '../settings.ts'

export function AsCode({ id, input }: { id: string; input: Row }) {
  const address = settings.publicUrl + addressOf(id as OperationId, input as never)
  const [area = '', ...rest] = id.split('.')
  const call = { name: id.replaceAll('.', '_'), arguments: input }
  const ways: [string, string, string][] = [
    ['curl', 'Put a key where it says YOUR_KEY', `curl -H 'x-api-key: YOUR_KEY' '${address}'`],
    ['Command line', 'After atrium login', `atrium ${area} ${rest.join(' ')} ${Object.values(input).join(' ')}`],
    ['MCP', 'The tool and its input', JSON.stringify(call, null, 2)],
  ]
  return (
    <Stack gap="md">
      {ways.map(([name, about, value]) => (
        <Stack key={name} gap={4}>
          <Text size="sm">
            <strong>{name}</strong> · {about}
          </Text>
          <CopyBlock label={name} value={value} />
        </Stack>
      ))}
    </Stack>
  )
}
