// What is drawn by code that is loaded only where it is needed: text with marks, changes, JSON, terminals, charts.
import { Box, Skeleton } from '@mantine/core'
import { whenNeeded } from '../lazily.tsx'
import type { ChartProps } from '../render/chart.tsx'
import type { DiffProps } from '../render/diff.tsx'
import type { JsonProps } from '../render/json.tsx'
import type { MarkdownProps } from '../render/markdown.tsx'
import type { TerminalProps } from '../render/terminal.tsx'

const asWritten = (text: string) => <Box style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Box>

/** Text with marks, as it came; nothing in it is taken for HTML. */
export const Markdown = whenNeeded<MarkdownProps>(
  'Markdown',
  async () => (await import('../render/markdown.tsx')).Markdown,
  ({ text }) => asWritten(text),
)

/** What was taken away and what was added, between two texts or as a patch. */
export const Diff = whenNeeded<DiffProps>('Diff', async () => (await import('../render/diff.tsx')).Diff)

/** A value as a tree that can be folded. */
export const Json = whenNeeded<JsonProps>('Json', async () => (await import('../render/json.tsx')).Json)

/** What a program wrote, with its colours. */
export const Terminal = whenNeeded<TerminalProps>(
  'Terminal',
  async () => (await import('../render/terminal.tsx')).Terminal,
)

/** Lines or bars over time, with a table for those who do not see them. */
export const Chart = whenNeeded<ChartProps>(
  'Chart',
  async () => (await import('../render/chart.tsx')).Chart,
  ({ height = 240 }) => <Skeleton height={height} role="status" aria-label="Loading" />,
)
