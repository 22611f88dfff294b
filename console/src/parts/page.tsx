// The frame of a page: heading, what it is for, actions; and how it looks while it loads, is empty or failed.
import { Box, Card, type CardProps, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Failure } from './failure.tsx'

/** What is read or filled in line by line begins where wide pages begin, and ends where lines grow too long. */
const narrowest = 760

type PageProps = {
  title: string
  about?: ReactNode
  /** Where it belongs, above the title. */
  crumbs?: ReactNode
  actions?: ReactNode
  children: ReactNode
  narrow?: boolean
}

/** The browser's title for the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Atrium`
  }, [title])
}

export function Page({ title, about, crumbs, actions, children, narrow = false }: PageProps) {
  useTitle(title)
  return (
    <Stack gap="lg" maw={1180} mx="auto" w="100%">
      {crumbs && <Box mb={-8}>{crumbs}</Box>}
      <Group maw={narrow ? narrowest : undefined} justify="space-between" align="flex-start" gap="sm">
        <Box maw={680} miw={200} flex={1}>
          <Title order={1} tabIndex={-1} data-page-title style={{ outline: 'none', overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" mt={4}>
              {about}
            </Text>
          )}
        </Box>
        {actions && (
          <Group gap="xs" className="atrium-page-actions">
            {actions}
          </Group>
        )}
      </Group>
      {narrow ? (
        <Stack gap="lg" maw={narrowest}>
          {children}
        </Stack>
      ) : (
        children
      )}
    </Stack>
  )
}

type PanelProps = CardProps & { title?: string; about?: ReactNode; aside?: ReactNode }

/** `aside` stands at the end of the title's line. */
export function Panel({ title, about, aside, children, ...card }: PanelProps) {
  return (
    <Card withBorder padding="lg" bg="var(--atrium-surface)" {...card}>
      {title && (
        <Group justify="space-between" gap="xs" mih={28}>
          <Title order={2}>{title}</Title>
          {aside}
        </Group>
      )}
      {about && (
        <Text c="dimmed" size="sm" mt={2} mb="md">
          {about}
        </Text>
      )}
      {title && !about && <Box mb="md" />}
      {children}
    </Card>
  )
}

type EmptyProps = { icon: LucideIcon; title: string; text: ReactNode; action?: ReactNode }

export function Empty({ icon: Icon, title, text, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Box c="dimmed">
        <Icon size={36} strokeWidth={1.5} aria-hidden />
      </Box>
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" size="sm" maw={420}>
        {text}
      </Text>
      {action}
    </Stack>
  )
}

/** Rows in the shape of what is to come. */
export function Rows({ count = 5, height = 38 }: { count?: number; height?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other identity
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  )
}

type LoadedProps<T> = { query: UseQueryResult<T, Error>; rows?: number; children: (result: T) => ReactNode }

/** A skeleton while it loads, a way on when it fails, else the result. */
export function Loaded<T>({ query, rows = 4, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Rows count={rows} />
}
