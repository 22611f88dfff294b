// One record of any area: all its fields, its edit form, its end.
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import { wordsOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Missing } from '../states.tsx'
import { type Row, useNamedAct, useNamedCall } from './calls.ts'
import { RecordForm } from './form.tsx'
import { type AreaOperations, type JsonSchema, keyOf, oneOf, operationsOf } from './schema.ts'
import { Value } from './value.tsx'

export function AreaDetail() {
  const { area = '', id = '' } = useParams({ strict: false })
  const operations = operationsOf(area)
  return operations.get ? <Detail key={`${area}${id}`} area={area} id={id} operations={operations} /> : <Missing />
}

type DetailProps = { area: string; id: string; operations: AreaOperations }

function Detail({ area, id, operations }: DetailProps) {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [isDeleting, deleting] = useDisclosure(false)
  const path = { workspaceId, [keyOf(operations)]: id }
  const found = useNamedCall<Row>(`${area}.get`, path)
  const title = String(found.data?.name ?? found.data?.title ?? oneOf(area))
  const mayDelete = operations.del && (can(`${area}:delete` as Scope) || can(`${area}:write` as Scope))
  return (
    <Page
      title={title}
      actions={
        mayDelete && (
          <Button variant="default" leftSection={<Trash2 size={16} aria-hidden />} onClick={deleting.open}>
            Delete
          </Button>
        )
      }
    >
      <Loaded query={found}>
        {record => (
          <>
            <About schema={operations.get?.result as JsonSchema} record={record} />
            {operations.patch && can(`${area}:write` as Scope) && (
              <Edit key={JSON.stringify(record)} area={area} path={path} record={record} operations={operations} />
            )}
          </>
        )}
      </Loaded>
      <DeleteRecord area={area} path={path} title={title} opened={isDeleting} onClose={deleting.close} />
    </Page>
  )
}

function About({ schema, record }: { schema: JsonSchema; record: Row }) {
  const fields = schema.properties ?? {}
  return (
    <Panel title="About">
      <Facts
        label="Fields of the record"
        width={180}
        facts={Object.entries(record)
          .filter(([name]) => name !== '_object')
          .map(([name, value]) => [
            wordsOf(name),
            <Value key={name} schema={fields[name] ?? {}} value={value} isWhole />,
          ])}
      />
    </Panel>
  )
}

type EditProps = { area: string; path: Row; record: Row; operations: AreaOperations }

function Edit({ area, path, record, operations }: EditProps) {
  const act = useNamedAct(`${area}.patch`, () => done('Saved.'))
  if (!operations.patch) return null
  return (
    <Panel title="Change it" about={operations.patch.description}>
      <RecordForm
        made={operations.patch}
        record={record}
        act={act}
        label="Save"
        onSend={input => act.send({ ...path, ...input })}
      />
    </Panel>
  )
}

type DeleteProps = { area: string; path: Row; title: string; opened: boolean; onClose: () => void }

function DeleteRecord({ area, path, title, opened, onClose }: DeleteProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const act = useNamedAct(`${area}.del`, () => {
    done('Deleted.')
    void navigate({ to: '/w/$workspaceId/a/$area', params: { workspaceId, area } })
  })
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${title}?`}
      label="Delete"
      act={act}
      onAct={() => act.send(path)}
    >
      <Text size="sm">{operationsOf(area).del?.description ?? 'This cannot be taken back.'}</Text>
    </Confirm>
  )
}
