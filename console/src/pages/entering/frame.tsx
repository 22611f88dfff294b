// The frame of the pages before log-in.
import { Anchor, Box, Card, Center, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Logo } from '../../parts/logo.tsx'
import { useTitle } from '../../parts/page.tsx'
import { settings } from '../../settings.ts'

type FrameProps = { title: string; about?: ReactNode; children: ReactNode; below?: ReactNode }

export function Frame({ title, about, children, below }: FrameProps) {
  useTitle(title)
  return (
    <Center mih="100dvh" p="md" component="main" id="main">
      <Stack w="100%" maw={420} gap="md">
        <Group justify="center" gap="xs">
          <Logo size={36} />
          <Text fw={700} fz="xl">
            Atrium
          </Text>
        </Group>
        <Card withBorder padding="xl" radius="lg" shadow="sm" bg="var(--atrium-surface)">
          <Title order={1} fz="h2" tabIndex={-1} data-page-title style={{ outline: 'none' }}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" size="sm" mt={4}>
              {about}
            </Text>
          )}
          <Box mt="md">{children}</Box>
        </Card>
        {below && (
          <Text size="sm" ta="center" component="div">
            {below}
          </Text>
        )}
      </Stack>
    </Center>
  )
}

/** On one's own machine mails are kept, and this is where. */
export function MailboxHint() {
  if (!settings.hasMailbox) return null
  return (
    <Text size="sm" c="dimmed">
      This instance sends no mail; what it would send is kept in{' '}
      <Anchor href="/dev/mailbox" target="_blank" rel="noreferrer">
        its mailbox
      </Anchor>
      .
    </Text>
  )
}
