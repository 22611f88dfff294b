// What lists of deliveries and payloads share: they are read again and again, and one of them leads back to all.
import { Button, Group } from '@mantine/core'
import { useLook } from '../../table/look.ts'

/** What is sent and what comes in leaves no entry that the page could hear of. */
export const pollMs = 5_000

export function BackButton({ name, children }: { name: 'delivery' | 'payload'; children: string }) {
  const [, open] = useLook<Record<string, string | undefined>>()
  return (
    <Group>
      <Button size="xs" variant="default" onClick={() => open({ [name]: undefined })}>
        {children}
      </Button>
    </Group>
  )
}
