// Choosing scopes: presets, search, and one row per area.
import { Button, Checkbox, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { memo, useId, useMemo, useState } from 'react'
import { scopes as allScopes, type Scope } from '../../../src/client/catalogue.ts'
import { wordsOf } from '../format.ts'

type MatrixProps = {
  value: readonly Scope[]
  onChange: (scopes: Scope[]) => void
  /** Scopes that the person holds and may therefore give. */
  mayGive: (scope: Scope) => boolean
  error?: string | null
}

const verbs = ['read', 'write', 'delete', 'export'] as const

type Row = { area: string; scopes: Partial<Record<string, Scope>> }

const rows: Row[] = Object.values(
  allScopes.reduce<Record<string, Row>>((found, scope) => {
    const [area = '', verb = ''] = scope.split(':')
    const row = found[area] ?? { area, scopes: {} }
    row.scopes[verb] = scope
    found[area] = row
    return found
  }, {}),
)

const presets: { title: string; pick: (scope: Scope) => boolean }[] = [
  { title: 'Read everything', pick: scope => scope.endsWith(':read') },
  {
    title: 'An agent’s work',
    pick: scope =>
      /^(threads|messages|memories|issues|labels|skills|datasets|repositories|agent_tools):(read|write)$/.test(scope),
  },
  {
    title: 'Continuous integration',
    pick: scope => /^(repositories|issues|autofixes|datasets):(read|write)$/.test(scope),
  },
  { title: 'Audit export', pick: scope => scope.startsWith('audit_logs:') },
  { title: 'Everything', pick: () => true },
  { title: 'Nothing', pick: () => false },
]

/** Some hundred boxes: drawn anew when they change, not with each letter typed elsewhere in the form. */
export const ScopeMatrix = memo(
  Matrix,
  (one, next) => one.value === next.value && one.mayGive === next.mayGive && one.error === next.error,
)

function Matrix({ value, onChange, mayGive, error }: MatrixProps) {
  const [text, setText] = useState('')
  const chosen = useMemo(() => new Set(value), [value])
  const shown = rows.filter(row => matches(row, text))
  const status = useId()
  const set = (changed: readonly Scope[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const scope of changed) isOn ? next.add(scope) : next.delete(scope)
    onChange(allScopes.filter(scope => next.has(scope)))
  }
  return (
    <Stack gap="xs">
      <Group gap={6} role="group" aria-label="Presets">
        {presets.map(({ title, pick }) => (
          <Button
            key={title}
            size="compact-xs"
            variant="default"
            onClick={() => onChange(allScopes.filter(scope => pick(scope) && mayGive(scope)))}
          >
            {title}
          </Button>
        ))}
      </Group>
      <TextInput
        aria-label="Search scopes"
        placeholder="Search scopes, such as issues or :delete"
        leftSection={<Search size={15} aria-hidden />}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        aria-describedby={status}
      />
      <Text size="sm" c={error ? 'var(--mantine-color-error)' : 'dimmed'} id={status} role="status">
        {error ?? `${chosen.size} of ${allScopes.length} scopes chosen`}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="atrium-scroll atrium-matrix" tabIndex={0} aria-label="Scopes">
        <Table stickyHeader verticalSpacing={6} striped="even" aria-label="Scopes by area">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Area</Table.Th>
              {verbs.map(verb => (
                <Table.Th key={verb} scope="col" ta="center">
                  {wordsOf(verb)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(row => (
              <MatrixRow key={row.area} row={row} chosen={chosen} mayGive={mayGive} onSet={set} />
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Stack>
  )
}

type MatrixRowProps = {
  row: Row
  chosen: ReadonlySet<Scope>
  mayGive: (scope: Scope) => boolean
  onSet: (scopes: readonly Scope[], isOn: boolean) => void
}

function MatrixRow({ row, chosen, mayGive, onSet }: MatrixRowProps) {
  const own = Object.values(row.scopes).filter(scope => scope !== undefined)
  const given = own.filter(mayGive)
  const isAll = given.length > 0 && given.every(scope => chosen.has(scope))
  const isSome = own.some(scope => chosen.has(scope))
  const title = wordsOf(row.area)
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <Checkbox
          size="sm"
          label={title}
          aria-label={`All of ${title}`}
          checked={isAll}
          indeterminate={isSome && !isAll}
          disabled={given.length === 0}
          onChange={event => onSet(given, event.currentTarget.checked)}
        />
      </Table.Th>
      {verbs.map(verb => {
        const scope = row.scopes[verb]
        return (
          <Table.Td key={verb} ta="center">
            {scope && (
              <Checkbox
                size="sm"
                styles={{ body: { justifyContent: 'center' } }}
                aria-label={scope}
                title={mayGive(scope) ? scope : `${scope}: you do not hold it yourself`}
                checked={chosen.has(scope)}
                disabled={!mayGive(scope)}
                onChange={event => onSet([scope], event.currentTarget.checked)}
              />
            )}
          </Table.Td>
        )
      })}
    </Table.Tr>
  )
}

function matches({ area, scopes }: Row, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  if (!wanted) return true
  return wordsOf(area).toLowerCase().includes(wanted) || Object.values(scopes).some(scope => scope?.includes(wanted))
}
