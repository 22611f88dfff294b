// A value as a tree: objects and lists can be folded, and the whole be copied.
import './highlight.css'
import { Box, Group, UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../format.ts'
import { CopyIcon } from '../parts/copy.tsx'

export type JsonProps = {
  value: unknown
  /** How many levels stand open at first. */
  open?: number
}

export function Json({ value, open = 2 }: JsonProps) {
  return (
    <Box className="atrium-code" pos="relative" p="sm" pe={44} style={{ overflowX: 'auto' }}>
      <Box pos="absolute" top={6} right={6}>
        <CopyIcon value={JSON.stringify(value, null, 2)} label="Copy the JSON" />
      </Box>
      <Box ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
        <Node value={value} open={open} />
      </Box>
    </Box>
  )
}

/** Drawing more would hold the page up; the copy has all of it. */
const mostShown = 200

type NodeProps = { name?: string; value: unknown; open: number }

function Node({ name, value, open }: NodeProps) {
  const [isOpen, setIsOpen] = useState(open > 0)
  const label = name === undefined ? null : <span className="hljs-attr">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div>
        {label}
        <Plain value={value} />
      </div>
    )
  }
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  if (entries.length === 0) {
    return (
      <div>
        {label}
        {isList ? '[]' : '{}'}
      </div>
    )
  }
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <div>
      <UnstyledButton fz="inherit" ff="inherit" mih={24} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Group gap={4} wrap="nowrap">
          <Icon size={12} aria-hidden />
          <span>
            {label}
            {isList ? countOf(entries.length, 'item') : countOf(entries.length, 'field')}
          </span>
        </Group>
      </UnstyledButton>
      {isOpen && (
        <Box ps="md" style={{ borderInlineStart: '1px solid var(--atrium-line)' }}>
          {entries.slice(0, mostShown).map(([key, inner]) => (
            <Node key={key} name={key} value={inner} open={open - 1} />
          ))}
          {entries.length > mostShown && <div>and {entries.length - mostShown} more</div>}
        </Box>
      )}
    </div>
  )
}

function Plain({ value }: { value: unknown }) {
  const kind = value === null ? 'hljs-literal' : typeof value === 'string' ? 'hljs-string' : 'hljs-number'
  return <span className={kind}>{JSON.stringify(value) ?? 'undefined'}</span>
}
