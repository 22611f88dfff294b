// Text to be copied: a value in a line, or a block of commands.
import { ActionIcon, Box, Code, CopyButton, Group, Text, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'

export function CopyIcon({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <CopyButton value={value} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? 'Copied' : label}>
            {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

type CopyFactProps = { value: string; label?: string; isWhole?: boolean }

/** An id or another value among facts, on one line unless all of it must be seen. */
export function CopyFact({ value, label = 'Copy the ID', isWhole = false }: CopyFactProps) {
  return (
    <Group gap={2} wrap="nowrap" miw={0}>
      <Text span size="sm" ff="monospace" {...(isWhole ? { style: { overflowWrap: 'anywhere' } } : { truncate: true })}>
        {value}
      </Text>
      <CopyIcon value={value} label={label} />
    </Group>
  )
}

export function CopyLine({ value, label }: { value: string; label: string }) {
  return (
    <Group wrap="nowrap" gap="xs" className="atrium-code" p="xs">
      <Code style={{ overflowWrap: 'anywhere', background: 'none', flex: 1 }} fz="sm" data-copy-value>
        {value}
      </Code>
      <CopyIcon value={value} label={label} />
    </Group>
  )
}

export function CopyBlock({ value, label }: { value: string; label: string }) {
  return (
    <Box pos="relative" className="atrium-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="atrium-pre" tabIndex={0} aria-label={label}>
        {value}
      </section>
      <Box pos="absolute" top={6} right={6} className="atrium-code" bd={0}>
        <CopyIcon value={value} label={`Copy: ${label}`} />
      </Box>
    </Box>
  )
}
