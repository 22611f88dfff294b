// Inputs beyond plain text: choices, numbers, switches, records, scopes, colours, JSON. Loaded by pages that have such fields.
import {
  Button,
  ColorInput,
  Group,
  JsonInput,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Scope } from '../../../src/client/catalogue.ts'
import { areaOfPrefix } from '../contract.ts'
import { wordsOf } from '../format.ts'
import { whenNeeded } from '../lazily.tsx'
import { LabelField } from '../parts/labels.tsx'
import { OwnerField } from '../parts/people.tsx'
import { RecordSelect } from '../parts/record_select.tsx'
import { Markdown } from '../parts/render.tsx'
import { ScopeMatrix } from '../parts/scope_matrix.tsx'
import { useStanding } from '../session.ts'
import { type FieldProps, kindOf } from './field.ts'
import { offerRichInputs, type Shared, sharedOf } from './field_input.tsx'

const swatches = ['#3b4cca', '#0b7285', '#2b8a3e', '#e67700', '#c92a2a', '#862e9c']

offerRichInputs(RichInput)

function RichInput(props: FieldProps): ReactNode {
  const { field, value, onChange } = props
  const shared = sharedOf(props)
  const text = typeof value === 'string' ? value : ''
  switch (kindOf(field)) {
    case 'choice':
      return <Choice {...props} shared={shared} />
    case 'number':
      return (
        <NumberInput
          {...shared}
          value={typeof value === 'number' ? value : ''}
          onChange={next => onChange(next === '' ? '' : Number(next))}
          // Out of bounds is said, not silently mended.
          clampBehavior="none"
          allowDecimal={field.schema.type !== 'integer'}
          hideControls
        />
      )
    case 'switch':
      return (
        <Switch
          label={field.label}
          description={shared.description}
          error={shared.error}
          checked={value === true}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      )
    case 'scopes':
      return <Scopes {...props} />
    case 'choices':
    case 'tags':
      return <Many {...props} shared={shared} />
    case 'labels': {
      const { withAsterisk: _, ...labelled } = shared
      return <LabelField {...labelled} value={(value as string[]) ?? []} onChange={onChange} />
    }
    case 'owner': {
      const { withAsterisk: _, ...named } = shared
      return <OwnerField {...named} value={text} onChange={onChange} />
    }
    case 'reference':
      return <Reference {...props} shared={shared} />
    case 'json':
      return <JsonInput {...shared} value={text} onChange={onChange} autosize minRows={3} formatOnBlur ff="monospace" />
    case 'long':
      return <LongText {...props} shared={shared} minRows={2} />
    case 'markdown':
      return <Written {...props} shared={shared} />
    case 'code':
      return <LongText {...props} shared={shared} minRows={field.schema['x-format'] === 'cel' ? 1 : 3} isCode />
    case 'cron':
      return (
        <Stack gap={4}>
          <TextInput
            {...shared}
            value={text}
            onChange={event => onChange(event.currentTarget.value)}
            spellCheck={false}
            placeholder="0 9 * * 1"
            styles={monospace}
          />
          {text && <CronTimes line={text} />}
        </Stack>
      )
    case 'colour':
      return (
        <ColorInput
          {...shared}
          maw={220}
          value={text}
          onChange={onChange}
          withEyeDropper={false}
          fixOnBlur={false}
          withPicker={false}
          swatches={swatches}
        />
      )
    default:
      return null
  }
}

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

const CronTimes = whenNeeded<{ line: string }>('CronTimes', async () => (await import('./cron_times.tsx')).CronTimes)

type LongTextProps = FieldProps & { shared: Shared; minRows: number; isCode?: boolean }

function LongText({ value, onChange, shared, minRows, isCode = false }: LongTextProps) {
  return (
    <Textarea
      {...shared}
      value={typeof value === 'string' ? value : ''}
      onChange={event => onChange(event.currentTarget.value)}
      autosize
      minRows={minRows}
      maxRows={20}
      {...(isCode && { spellCheck: false, styles: monospace })}
    />
  )
}

/** Text with marks, with a look at what becomes of them. */
function Written({ value, onChange, shared }: FieldProps & { shared: Shared }) {
  const [isPreview, setIsPreview] = useState(false)
  const text = typeof value === 'string' ? value : ''
  return (
    <Stack gap={4}>
      <Textarea
        {...shared}
        display={isPreview ? 'none' : undefined}
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={24}
      />
      {isPreview && (
        <div className="atrium-code" style={{ padding: '0.75rem' }}>
          <Markdown text={text} />
        </div>
      )}
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          Markdown works.
        </Text>
        {text && (
          <Button size="compact-xs" variant="subtle" onClick={() => setIsPreview(!isPreview)}>
            {isPreview ? 'Write' : 'Preview'}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Choice({ field, value, onChange, shared }: FieldProps & { shared: Shared }) {
  const choices =
    field.choices ?? (field.schema.enum ?? []).map(one => ({ value: String(one), label: wordsOf(String(one)) }))
  return (
    <Select
      {...shared}
      data={[...choices]}
      value={typeof value === 'string' && value !== '' ? value : null}
      onChange={chosen => onChange(chosen ?? '')}
      allowDeselect={!field.isNeeded}
      clearable={!field.isNeeded && field.schema.default === undefined}
      searchable={choices.length > 8}
      clearButtonProps={{ 'aria-label': `Clear ${field.label}` }}
    />
  )
}

function Many({ field, value, onChange, shared }: FieldProps & { shared: Shared }) {
  const known = field.schema.items?.enum
  const clearButtonProps = { 'aria-label': `Clear ${field.label}` }
  const values = Array.isArray(value) ? (value as string[]) : []
  const props = { ...shared, value: values, onChange, clearable: true, clearButtonProps }
  return known ? (
    <MultiSelect {...props} data={known.map(one => ({ value: String(one), label: wordsOf(String(one)) }))} searchable />
  ) : (
    <TagsInput {...props} acceptValueOnBlur />
  )
}

function Reference({ field, value, onChange, shared }: FieldProps & { shared: Shared }) {
  const area = areaOfPrefix(field.schema['x-id']?.prefix ?? '')
  const text = typeof value === 'string' ? value : ''
  if (!area) return <TextInput {...shared} value={text} onChange={event => onChange(event.currentTarget.value)} />
  return (
    <RecordSelect
      {...shared}
      areas={[area.name]}
      clearable={!field.isNeeded}
      clearButtonProps={{ 'aria-label': `Clear ${field.label}` }}
      value={text}
      onChange={onChange}
    />
  )
}

function Scopes({ value, onChange, error }: FieldProps) {
  const { can } = useStanding()
  return <ScopeMatrix value={(value as Scope[]) ?? []} mayGive={can} onChange={onChange} error={error ?? null} />
}
