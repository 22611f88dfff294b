// What whoever starts it by hand fills in: a line for each field, or the JSON Schema where that says more.
import { Button, Checkbox, Group, JsonInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { JsonSchema } from '../schema.ts'
import type { Trigger } from './automation.ts'
import { useFault } from './check.ts'

type Asked = { name: string; type: string; isNeeded: boolean }

const types = [
  { value: 'string', label: 'Text' },
  { value: 'integer', label: 'Whole number' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
]

/** The fields of a schema that says no more than these lines can; null where it does. */
function askedIn(form: unknown): Asked[] | null {
  const { type = 'object', properties = {}, required = [], ...more } = (form ?? {}) as JsonSchema
  if (type !== 'object' || Object.keys(more).length > 0) return null
  const entries = Object.entries(properties)
  const isPlain = entries.every(
    ([, schema]) => Object.keys(schema).join() === 'type' && types.some(({ value }) => value === schema.type),
  )
  return isPlain
    ? entries.map(([name, schema]) => ({ name, type: String(schema.type), isNeeded: required.includes(name) }))
    : null
}

function schemaOf(asked: readonly Asked[]): Record<string, unknown> | undefined {
  const named = asked.filter(({ name }) => name !== '')
  if (named.length === 0) return undefined
  const required = named.filter(({ isNeeded }) => isNeeded).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(({ name, type }) => [name, { type }])),
    ...(required.length > 0 && { required }),
  }
}

type ManualFormProps = {
  place: string
  trigger: Trigger
  set: (fields: { form?: Record<string, unknown> | undefined }) => void
}

export function ManualForm({ place, trigger, set }: ManualFormProps) {
  const [asked, setAsked] = useState(() => askedIn(trigger.form))
  const error = useFault(`${place}.form`, trigger.form === undefined)
  if (asked === null) return <WholeSchema form={trigger.form} error={error} set={set} />
  const change = (next: Asked[]) => {
    setAsked(next)
    set({ form: schemaOf(next) })
  }
  const put = (index: number, fields: Partial<Asked>) =>
    change(asked.map((one, at) => (at === index ? { ...one, ...fields } : one)))
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {asked.length === 0
          ? 'Whoever may change automations starts it with a button. It can ask them for a few values first.'
          : 'What whoever starts it fills in. Steps read it as trigger.input.'}
      </Text>
      {asked.map(({ name, type, isNeeded }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity while its name is typed
        <Group key={index} gap="xs" align="end">
          <TextInput
            label="Field"
            flex={1}
            miw={120}
            value={name}
            spellCheck={false}
            onChange={event => put(index, { name: event.currentTarget.value.trim() })}
          />
          <Select
            label="Kind"
            w={140}
            data={types}
            value={type}
            allowDeselect={false}
            onChange={value => put(index, { type: value ?? 'string' })}
          />
          <Checkbox
            label="Needed"
            mb={8}
            checked={isNeeded}
            onChange={event => put(index, { isNeeded: event.currentTarget.checked })}
          />
          <Button
            variant="default"
            px="xs"
            aria-label={`Take away ${name || 'the field'}`}
            onClick={() => change(asked.filter((_, at) => at !== index))}
          >
            <Trash2 size={16} aria-hidden />
          </Button>
        </Group>
      ))}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setAsked([...asked, { name: '', type: 'string', isNeeded: false }])}
        >
          Ask for a value
        </Button>
      </Group>
    </Stack>
  )
}

type WholeSchemaProps = { form: unknown; error: string | undefined; set: ManualFormProps['set'] }

function WholeSchema({ form, error, set }: WholeSchemaProps) {
  const [text, setText] = useState(JSON.stringify(form, null, 2))
  const [isRead, setIsRead] = useState(true)
  return (
    <JsonInput
      label="What whoever starts it fills in"
      description="A JSON Schema of an object"
      autosize
      minRows={3}
      maxRows={20}
      value={text}
      error={isRead ? error : 'Write one object as JSON'}
      onChange={next => {
        setText(next)
        try {
          const schema: unknown = JSON.parse(next)
          const isSchema = typeof schema === 'object' && schema !== null && !Array.isArray(schema)
          setIsRead(isSchema)
          if (isSchema) set({ form: schema as Record<string, unknown> })
        } catch {
          setIsRead(false)
        }
      }}
    />
  )
}
