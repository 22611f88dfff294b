// Tries a skill as a prompt: what an agent would get for these arguments.
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAct } from '../../api.ts'
import type { Row } from '../../named.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { Skill } from './skill.ts'

type Property = { title?: string; description?: string; enum?: unknown[]; type?: string }

export function SkillTrial({ record }: { record: Row }) {
  const skill = record as Skill
  const workspaceId = useWorkspaceId()
  const [values, setValues] = useState<Record<string, string>>({})
  const act = useAct('skills.prompt')
  const { properties = {}, required = [] } = (skill.parametersSchema ?? {}) as {
    properties?: Record<string, Property>
    required?: string[]
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = Object.entries(values).filter(([, value]) => value !== '')
    act.mutate({ workspaceId, id: skill.id, arguments: Object.fromEntries(given) })
  }
  return (
    <Stack>
      <Panel title="Arguments">
        <form onSubmit={submit}>
          <Stack>
            {Object.keys(properties).length === 0 && <Text size="sm">The skill has no parameters.</Text>}
            {Object.entries(properties).map(([name, property]) => (
              <Argument
                key={name}
                name={name}
                property={property}
                isNeeded={required.includes(name)}
                value={values[name] ?? ''}
                onChange={value => setValues(before => ({ ...before, [name]: value }))}
              />
            ))}
            <Failure error={act.error} onRetry={act.again} />
            <Group justify="flex-end">
              <Button type="submit" loading={act.isPending}>
                Show the prompt
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      {act.data && (
        <Panel title="The prompt" about="This is what an agent gets over MCP.">
          <CopyBlock label="The prompt" value={act.data.text} />
        </Panel>
      )}
    </Stack>
  )
}

type ArgumentProps = {
  name: string
  property: Property
  isNeeded: boolean
  value: string
  onChange: (value: string) => void
}

function Argument({ name, property, isNeeded, value, onChange }: ArgumentProps) {
  const { title = name, description, enum: choices, type } = property
  const values =
    type === 'boolean' ? ['true', 'false'] : choices?.map(one => (typeof one === 'string' ? one : JSON.stringify(one)))
  const shared = { label: title, description, withAsterisk: isNeeded }
  if (values)
    return (
      <Select
        {...shared}
        data={values}
        value={value || null}
        onChange={next => onChange(next ?? '')}
        clearable={!isNeeded}
        clearButtonProps={{ 'aria-label': `Leave out ${title}` }}
      />
    )
  return <TextInput {...shared} value={value} onChange={event => onChange(event.currentTarget.value)} />
}
