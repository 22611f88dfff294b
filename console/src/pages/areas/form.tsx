// Create and edit forms of any area, drawn from the body that its operation takes.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import type { Operation } from '../../../../src/client/catalogue.ts'
import { type Act, fieldIssues } from '../../api.ts'
import { CopyLine } from '../../parts/copy.tsx'
import { Sending } from '../../parts/form.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Missing } from '../states.tsx'
import { type Row, useNamedAct } from './calls.ts'
import { type Draft, FieldInput, fieldRemark, fromDraft, toDraft } from './fields.tsx'
import { type Field, fieldsOf, keyOf, oneOf, operationsOf } from './schema.ts'

export function AreaNew() {
  const { area = '' } = useParams({ strict: false })
  const { post } = operationsOf(area)
  return post ? <NewRecord key={area} area={area} post={post} /> : <Missing />
}

function NewRecord({ area, post }: { area: string; post: Operation }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const operations = operationsOf(area)
  const [made, setMade] = useState<Row | null>(null)
  const one = oneOf(area)
  const open = (record: Row) => {
    const id = String(record[keyOf(operations)] ?? '')
    if (operations.get && id) void navigate({ to: '/w/$workspaceId/a/$area/$id', params: { workspaceId, area, id } })
    else void navigate({ to: '/w/$workspaceId/a/$area', params: { workspaceId, area } })
  }
  const act = useNamedAct(`${area}.post`, record => {
    done(`The ${one.toLowerCase()} is made.`)
    if (secretsIn(post, record).length > 0) setMade(record)
    else open(record)
  })
  if (made) {
    return (
      <Page title={`Your new ${one.toLowerCase()}`} narrow>
        <Panel>
          <Stack>
            <Alert color="yellow" title="Copy the secret now">
              It is shown this once.
            </Alert>
            {secretsIn(post, made).map(([name, value]) => (
              <div key={name}>
                <Text size="sm">{name}</Text>
                <CopyLine value={value} label={`Copy ${name}`} />
              </div>
            ))}
            <Group justify="flex-end">
              <Button onClick={() => open(made)}>I have copied it</Button>
            </Group>
          </Stack>
        </Panel>
      </Page>
    )
  }
  return (
    <Page title={`New ${one.toLowerCase()}`} about={post.description} narrow>
      <Panel>
        <RecordForm
          made={post}
          record={{}}
          act={act}
          label="Create"
          onSend={input =>
            act.send({
              ...input,
              ...('workspaceId' in (post.body?.properties ?? {}) || 'workspaceId' in (post.path?.properties ?? {})
                ? { workspaceId }
                : {}),
            })
          }
          cancel={
            <LinkButton to="/w/$workspaceId/a/$area" params={{ workspaceId, area }} variant="default">
              Cancel
            </LinkButton>
          }
        />
      </Panel>
    </Page>
  )
}

function secretsIn(made: Operation, record: Row): [string, string][] {
  const fields = (made.result as { properties?: Record<string, { 'x-secret'?: boolean }> }).properties ?? {}
  return Object.entries(record).filter(
    (entry): entry is [string, string] => fields[entry[0]]?.['x-secret'] === true && typeof entry[1] === 'string',
  )
}

type RecordFormProps = {
  made: Operation
  record: Row
  act: Act
  label: string
  onSend: (input: Row) => void
  cancel?: React.ReactNode
}

/** An edit sends only what was changed; a new record all that was filled in. */
export function RecordForm({ made, record, act, label, onSend, cancel }: RecordFormProps) {
  const fields = fieldsOf(made)
  const isNew = Object.keys(record).length === 0
  const start = () => Object.fromEntries(fields.map(field => [field.name, toDraft(field, record[field.name])]))
  const [draft, setDraft] = useState<Draft>(start)
  const [remarks, setRemarks] = useState<Record<string, string>>({})
  useEffect(() => {
    const told = fieldIssues(act.error).map(({ path, expected }) => [path.split('.')[0] ?? '', `Expected ${expected}`])
    if (told.length > 0) setRemarks(Object.fromEntries(told))
  }, [act.error])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = remarksOn(fields, draft)
    setRemarks(found)
    if (Object.keys(found).length === 0) onSend(inputOf(fields, draft, isNew ? null : start()))
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        {fields.map(field => (
          <FieldInput
            key={field.name}
            field={field}
            value={draft[field.name]}
            error={remarks[field.name]}
            onChange={value => {
              setDraft(before => ({ ...before, [field.name]: value }))
              setRemarks(({ [field.name]: _, ...rest }) => rest)
            }}
          />
        ))}
        {fields.length === 0 && <Text size="sm">Nothing needs to be filled in.</Text>}
        <Sending act={act} label={label} cancel={cancel} />
      </Stack>
    </form>
  )
}

function remarksOn(fields: readonly Field[], draft: Draft): Record<string, string> {
  const found = fields.map(field => [field.name, fieldRemark(field, draft[field.name])])
  return Object.fromEntries(found.filter(([, remark]) => remark !== null))
}

function inputOf(fields: readonly Field[], draft: Draft, before: Draft | null): Row {
  const changed = fields.filter(
    ({ name }) => before === null || JSON.stringify(before[name]) !== JSON.stringify(draft[name]),
  )
  const entries = changed.map(field => [field.name, fromDraft(field, draft[field.name])])
  const isSent = ([name, value]: unknown[]) => value !== undefined && !(before === null && value === null && name)
  return Object.fromEntries(entries.filter(isSent))
}
