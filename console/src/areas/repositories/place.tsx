// Where somebody looks in a repository: branch or commit, path and lines, as the address has it.
import { Alert, Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Row } from '../../named.ts'
import { useLook } from '../../table/look.ts'

const parts = [
  'tab',
  'ref',
  'path',
  'lines',
  'by',
  'commit',
  'base',
  'head',
  'apart',
  'text',
  'anyCase',
  'glob',
  'mode',
] as const

export type Place = Partial<Record<(typeof parts)[number], string>>

/** What somebody typed into the address may be a number for the router. */
export function usePlace(): [Place, (changed: Place) => void] {
  const [found, look] = useLook<Record<string, unknown>>()
  const told = parts.filter(name => found[name] !== undefined).map(name => [name, String(found[name])])
  return [Object.fromEntries(told), look as (changed: Place) => void]
}

/** What is there once the first sync has ended; until then, why there is nothing. */
export function Readable({ record, children }: { record: Row; children: ReactNode }) {
  if (record.enabled && record.headSha !== null) return children
  const text = record.enabled
    ? 'There is nothing to read yet: no sync has ended, or the repository has no commits.'
    : 'The repository is disabled. Enable it to read it.'
  return (
    <Alert variant="light" color="gray" icon={<Info size={18} aria-hidden />}>
      <Text size="sm">{text}</Text>
    </Alert>
  )
}

/** From the root to the path, each part a link. */
export function Crumbs({ name, path }: { name: string; path: string }) {
  const [, look] = usePlace()
  const parts = path.split('/').filter(Boolean)
  const to = (target: string) => () => look({ path: target || undefined, lines: undefined } as Place)
  return (
    <Breadcrumbs separator="/" style={{ flexWrap: 'wrap' }}>
      <Anchor component="button" type="button" size="sm" onClick={to('')}>
        {name}
      </Anchor>
      {parts.map((part, index) => (
        <Anchor
          key={parts.slice(0, index + 1).join('/')}
          component="button"
          type="button"
          size="sm"
          onClick={to(parts.slice(0, index + 1).join('/'))}
        >
          {part}
        </Anchor>
      ))}
    </Breadcrumbs>
  )
}

export const short = (sha: string) => sha.slice(0, 9)
