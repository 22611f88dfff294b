// The settings with which senders use a token, to be copied.
import { Stack, Tabs, Text } from '@mantine/core'
import { CopyBlock } from '../../parts/copy.tsx'
import { settings } from '../../settings.ts'
import { sendersOf } from './senders.ts'

export function SecretUse({ secret }: { secret: string }) {
  const senders = sendersOf(settings.publicUrl, secret)
  return (
    <div>
      <Text fw={600} mb="xs">
        How to use it
      </Text>
      <Tabs defaultValue={senders[0]?.name ?? ''}>
        <Tabs.List aria-label="How to use it">
          {senders.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {senders.map(({ name, where, value }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <Stack gap={4}>
              <Text size="sm">{where}</Text>
              <CopyBlock label={name} value={value} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  )
}
