// What a step is given: a field for each input of what it does, each of which also takes a template.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type FormField, fromDraft, type Kind, kindOf, toDraft } from '../../form/field.ts'
import { FieldInput } from '../../form/field_input.tsx'
import { countOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import type { Field } from '../schema.ts'
import { useFault } from './check.ts'
import { TemplateInput } from './template_input.tsx'

type StepFieldsProps = {
  /** Where the step stands: `steps.0`. */
  place: string
  fields: readonly Field[]
  value: Row
  onChange: (value: Row) => void
}

/** Those that are needed or filled in; the others when they are wanted. */
export function StepFields({ place, fields, value, onChange }: StepFieldsProps) {
  const [isAll, setIsAll] = useState(false)
  const isShown = ({ name, isNeeded }: Field) => isAll || isNeeded || name in value
  const shown = fields.filter(isShown)
  const hidden = fields.length - shown.length
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value
    onChange(next === undefined ? rest : { ...value, [name]: next })
  }
  const unknown = Object.keys(value).filter(name => !fields.some(field => field.name === name))
  return (
    <Stack gap="sm">
      {fields.length === 0 && unknown.length === 0 && (
        <Text size="sm" c="dimmed">
          It takes nothing.
        </Text>
      )}
      {shown.map(field => (
        <StepField
          key={field.name}
          place={place}
          field={field}
          value={value[field.name]}
          onChange={next => set(field.name, next)}
        />
      ))}
      {unknown.map(name => (
        <Group key={name} gap="xs">
          <Text size="sm" c="var(--mantine-color-error)">
            It does not take “{name}”.
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => set(name, undefined)}>
            Take it away
          </Button>
        </Group>
      ))}
      {hidden > 0 && (
        <Group>
          <Button size="compact-sm" variant="subtle" onClick={() => setIsAll(true)}>
            Show {countOf(hidden, 'more field')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Kinds that are texts anyway: what is typed may hold templates as it is. */
const texts = new Set<Kind>(['text', 'long', 'markdown', 'code', 'url', 'secret', 'cron', 'colour'])

type StepFieldProps = { place: string; field: Field; value: unknown; onChange: (value: unknown) => void }

const hasTemplate = (value: unknown) => typeof value === 'string' && value.includes('{{')

function StepField({ place, field, value, onChange }: StepFieldProps) {
  const kind = kindOf(field)
  const isText = texts.has(kind) && (value === undefined || typeof value === 'string')
  const [isTemplate, setIsTemplate] = useState(hasTemplate(value))
  const isEmpty = value === undefined || value === ''
  const error = useFault(`${place}.with.${field.name}`, isEmpty)
  const step = place.slice(place.indexOf('.') + 1)
  if (isText || isTemplate) {
    return (
      <Stack gap={2}>
        <TemplateInput
          label={field.label}
          named={field.label}
          step={step}
          kind="template"
          description={field.schema.description}
          withAsterisk={field.isNeeded}
          error={error}
          minRows={kind === 'long' || kind === 'markdown' ? 3 : 1}
          value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)}
          onChange={text => onChange(text === '' ? undefined : text)}
        />
        {!isText && (
          <Turn
            label={`Fill in a value for ${field.label}`}
            onClick={() => {
              onChange(undefined)
              setIsTemplate(false)
            }}
          >
            Fill in a value
          </Turn>
        )}
      </Stack>
    )
  }
  return (
    <Stack gap={2}>
      <Typed field={field} value={value} error={error} onChange={onChange} />
      <Turn
        label={`Use a template for ${field.label}`}
        onClick={() => {
          onChange(undefined)
          setIsTemplate(true)
        }}
      >
        Use a template
      </Turn>
    </Stack>
  )
}

function Turn({ label, onClick, children }: { label: string; onClick: () => void; children: string }) {
  return (
    <Group>
      <Button size="compact-xs" variant="subtle" aria-label={label} onClick={onClick}>
        {children}
      </Button>
    </Group>
  )
}

type TypedProps = { field: Field; value: unknown; error: string | undefined; onChange: (value: unknown) => void }

/** As any form has it. What cannot be read yet goes on as it is typed, for the check to say what it should be. */
function Typed({ field, value, error, onChange }: TypedProps) {
  const own: FormField = { ...field, isMarked: true }
  const [draft, setDraft] = useState(() => toDraft(own, value))
  const type = (next: unknown) => {
    setDraft(next)
    onChange(read(own, next))
  }
  return <FieldInput field={own} value={draft} draft={{}} error={error} onChange={type} />
}

function read(field: FormField, draft: unknown): unknown {
  if (draft === '' || draft === null || (Array.isArray(draft) && draft.length === 0)) return undefined
  try {
    return fromDraft(field, draft) ?? draft
  } catch {
    return draft
  }
}
