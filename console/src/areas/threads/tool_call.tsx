// A call of a tool, folded: what it is and how it went; opened, what went in and what came out.
import { Badge, Box, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight, Wrench } from 'lucide-react'
import { memo, useId, useState } from 'react'
import { Diff, Json } from '../../parts/render.tsx'
import type { Part } from './thread.ts'

type ToolCallProps = { call: Part; result: Part | undefined }

export const ToolCall = memo(({ call, result }: ToolCallProps) => {
  const [isOpen, setIsOpen] = useState(false)
  const bodyId = useId()
  const Icon = isOpen ? ChevronDown : ChevronRight
  const args = call.args ?? {}
  return (
    <div className="atrium-tool">
      <UnstyledButton
        className="atrium-tool-head"
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon size={14} aria-hidden />
        <Wrench size={14} aria-hidden />
        <Text span ff="monospace" size="sm" fw={600}>
          {call.tool}
        </Text>
        <Text span size="xs" c="dimmed" className="atrium-tool-args" ff="monospace">
          {shortOf(args)}
        </Text>
        <Outcome result={result} />
      </UnstyledButton>
      <Collapse expanded={isOpen} id={bodyId}>
        {isOpen && (
          <Stack gap="xs" p="sm" pt={0}>
            <Named name="Arguments">
              <Payload value={args} />
            </Named>
            {result && <Result result={result} />}
          </Stack>
        )}
      </Collapse>
    </div>
  )
})

/** Of a call that is not on the page. */
export function LoneResult({ result }: { result: Part }) {
  return (
    <div className="atrium-tool">
      <Stack gap="xs" p="sm">
        <Group gap="xs">
          <Outcome result={result} />
        </Group>
        <Result result={result} />
      </Stack>
    </div>
  )
}

function Outcome({ result }: { result: Part | undefined }) {
  if (!result) return <Badge color="yellow">No result</Badge>
  return result.ok ? <Badge color="green">Done</Badge> : <Badge color="red">Refused</Badge>
}

function Result({ result }: { result: Part }) {
  return (
    <Named name={result.ok ? 'Result' : 'What went wrong'}>
      <Payload value={result.output ?? null} />
      {result.truncated && (
        <Text size="xs" c="dimmed" mt={4}>
          There was more; this is its beginning.
        </Text>
      )}
    </Named>
  )
}

function Named({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <Box>
      <Text size="xs" c="dimmed" fw={600} mb={4}>
        {name}
      </Text>
      {children}
    </Box>
  )
}

/** Changes as changes, long texts as they are, the rest as a tree. */
function Payload({ value }: { value: unknown }) {
  if (typeof value === 'string') return <Words text={value} />
  const patches = patchesIn(value)
  const rest = patches.length > 0 ? without(value as object, patches) : value
  const isLeft = typeof rest !== 'object' || rest === null || Object.keys(rest).length > 0 || patches.length === 0
  return (
    <Stack gap="xs">
      {isLeft && <Json value={rest} />}
      {patches.map(([name, patch]) => (
        <Diff key={name} label={`Changes: ${name}`} patch={patch} />
      ))}
    </Stack>
  )
}

function Words({ text }: { text: string }) {
  if (isPatch(text)) return <Diff label="Changes" patch={text} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="atrium-code atrium-pre atrium-tool-text" tabIndex={0} aria-label="Text">
      {text}
    </section>
  )
}

function isPatch(text: string): boolean {
  return /^@@ -\d+(,\d+)? \+\d+/m.test(text)
}

function patchesIn(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && isPatch(entry[1]),
  )
}

function without(value: object, names: readonly [string, string][]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.some(([one]) => one === name)))
}

const longest = 120

/** As much of the arguments as fits beside the name. */
function shortOf(args: object): string {
  const words = Object.entries(args)
    .filter(([name]) => name !== 'workspaceId')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return words.join(', ').replace(/\s+/g, ' ').slice(0, longest)
}
