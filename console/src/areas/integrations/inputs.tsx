// Inputs of integrations: events with their parts, scopes where somebody wants to choose them, secrets, headers.
import { Button, Group, Stack, Switch, TagsInput, Text, Textarea } from '@mantine/core'
import { useMemo } from 'react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import type { FieldProps } from '../../form/field.ts'
import { sharedOf } from '../../form/field_input.tsx'
import { PasswordField } from '../../form/password.tsx'
import { countOf, wordsOf } from '../../format.ts'
import { Pairs } from '../../parts/pairs.tsx'
import { ScopeMatrix } from '../../parts/scope_matrix.tsx'
import { toldOptions } from '../../parts/told_options.tsx'
import { useStanding } from '../../session.ts'
import { isMeant, useCatalog } from './catalog.ts'

const mostOffered = 60
const aboutEvents = 'Choose from the list, or type a part such as issues.* for all that begins so.'

/** Ids and parts such as `issues.*`, found by what they are called and by what they mean. */
export function EventsInput(props: FieldProps) {
  const { value, onChange, field } = props
  const events = useCatalog().data?.events ?? []
  const chosen = Array.isArray(value) ? (value as string[]) : []
  const known = useMemo(() => {
    const areas = [...new Set(events.map(({ id }) => id.split('.')[0] ?? ''))]
    return new Map([
      ['*', 'Everything that happens'] as const,
      ...areas.map(area => [`${area}.*`, `Everything about ${wordsOf(area).toLowerCase()}`] as const),
      ...events.map(({ id, summary }) => [id, summary] as const),
    ])
  }, [events])
  const meant = events.filter(({ id }) => chosen.some(glob => isMeant(glob, id))).length
  const unknown = chosen.filter(glob => !events.some(({ id }) => isMeant(glob, id)))
  return (
    <Stack gap={4}>
      <TagsInput
        {...sharedOf(props)}
        description={aboutEvents}
        value={chosen}
        onChange={onChange}
        placeholder={chosen.length === 0 ? 'issues.*' : ''}
        {...toldOptions(known)}
        limit={mostOffered}
        maxTags={50}
        acceptValueOnBlur
        clearable
        clearButtonProps={{ 'aria-label': `Clear ${field.label}` }}
      />
      {chosen.length > 0 && events.length > 0 && (
        <Text size="xs" c={unknown.length > 0 ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
          {unknown.length > 0
            ? `Nothing is called ${unknown.join(', ')}; choose from the list.`
            : `${countOf(meant, 'kind')} of events ${meant === 1 ? 'is' : 'are'} sent.`}
        </Text>
      )}
    </Stack>
  )
}

/** Null where nobody has chosen: then it sees what its events need. */
export function ScopesInput({ value, error, onChange }: FieldProps) {
  const { can } = useStanding()
  const isChosen = Array.isArray(value)
  return (
    <Stack gap="sm">
      <Switch
        label="Choose the scopes yourself"
        description="Otherwise it sees of its events what these need, and at most what you may."
        checked={isChosen}
        onChange={event => onChange(event.currentTarget.checked ? [] : null)}
      />
      {isChosen && <ScopeMatrix value={value as Scope[]} mayGive={can} onChange={onChange} error={error ?? null} />}
      {!isChosen && error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  )
}

/** Of a secret that is not set yet. */
export function SecretInput(props: FieldProps) {
  return <Secret {...props} isSet={false} />
}

/** Of one that is set: it is never shown, but can be replaced, and taken away where it is not needed. */
export function SetSecretInput(props: FieldProps) {
  return <Secret {...props} isSet />
}

function Secret(props: FieldProps & { isSet: boolean }) {
  const { field, value, onChange, isSet } = props
  const shared = { ...sharedOf(props), ...(isSet && { placeholder: 'Set. Type to replace it.' }) }
  const text = typeof value === 'string' ? value : ''
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  if (value === null && isSet) {
    return (
      <Group gap="xs" role="group" aria-label={field.label}>
        <Text size="sm">{field.label} is taken away when you save.</Text>
        <Button size="compact-xs" variant="default" onClick={() => onChange('')}>
          Keep it
        </Button>
      </Group>
    )
  }
  return (
    <Stack gap={4}>
      {/* A field of one line would lose the lines of a key. */}
      {field.schema.pattern?.includes('-----BEGIN') ? (
        <Textarea
          {...shared}
          autosize
          minRows={3}
          maxRows={8}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={onText}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      ) : (
        <PasswordField
          {...shared}
          visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${field.label}` }}
          autoComplete="off"
          value={text}
          onChange={onText}
        />
      )}
      {isSet && !field.isNeeded && (
        <Group>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange(null)}
            aria-label={`Take away ${field.label}`}
          >
            Take it away
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Headers of a request, or expressions by the names of fields. */
export function PairsInput(props: FieldProps) {
  const isHeaders = props.field.name.endsWith('headers')
  return (
    <Pairs
      {...props}
      about={props.field.schema.description?.replaceAll('`', '')}
      one={isHeaders ? 'header' : 'field'}
      longest={isHeaders ? { name: 64, value: 1_024 } : { name: 128, value: 2_000 }}
      most={isHeaders ? 10 : 50}
      isCode={!isHeaders}
    />
  )
}

export function MoreInput({ onChange }: FieldProps) {
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        The rest can be written later, beside a payload that came.
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange(true)}>
          Write all of it now
        </Button>
      </Group>
    </Stack>
  )
}
