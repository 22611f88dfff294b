// What an agent wants to do, readably: on which record, with which values, and how that differs from what is there.
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { areaOf, areaOfId, brief, hasOperation, indexedAreas, loadContract, operation } from '../../contract.ts'
import { labelOfField } from '../../format.ts'
import { type Row, useNamedCall } from '../../named.ts'
import { Diff } from '../../parts/render.tsx'
import { Facts } from '../../parts/table.tsx'
import { Value } from '../../parts/value.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Reference } from '../../table/reference.tsx'
import { useNames } from '../../table/references.ts'
import { titleOf } from '../define.ts'
import type { JsonSchema } from '../schema.ts'

type WantedProps = { operationId: string; args: Row }

export function Wanted({ operationId, args }: WantedProps) {
  const isReady = useContract(areaOf(operationId))
  const { record, pathNames, method } = useRecord(operationId, args)
  const given = Object.entries(args).filter(([name]) => name !== 'workspaceId' && !pathNames.includes(name))
  const names = useNamesIn([args, ...(record ? [record] : [])])
  if (!isReady) return null
  const isChange = record !== undefined && (method === 'PATCH' || method === 'PUT')
  const schemas = schemasOf(operationId)
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {operation(operationId)?.summary ?? operationId}
      </Text>
      <Target operationId={operationId} args={args} pathNames={pathNames} record={record} names={names} />
      {isChange ? (
        <Changes given={given} record={record} schemas={schemas} names={names} />
      ) : (
        <Facts
          label="Arguments"
          facts={given.map(([name, value]) => [
            labelOfField(name),
            <Shown key={name} schema={schemas[name] ?? {}} value={value} names={names} />,
          ])}
        />
      )}
    </Stack>
  )
}

/** The schemas of an area that is perhaps not open. */
function useContract(area: string): boolean {
  return useQuery({
    queryKey: ['contract', area],
    queryFn: async () => {
      await loadContract(area)
      return true
    },
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  }).isSuccess
}

/** The record as it is now, where the call names one and the person may see it. */
function useRecord(operationId: string, args: Row) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const { route = '' } = brief(operationId) ?? {}
  const [method = ''] = route.split(' ')
  const pathNames = namesIn(route).filter(name => name !== 'workspaceId')
  const getId = `${operationId.slice(0, operationId.lastIndexOf('.'))}.get`
  const wanted = namesIn(brief(getId)?.route ?? '').filter(name => name !== 'workspaceId')
  const isNamed = wanted.length > 0 && wanted.every(name => typeof args[name] === 'string')
  const path = Object.fromEntries(wanted.map(name => [name, args[name]]))
  const enabled = method !== 'GET' && isNamed && hasOperation(getId) && may(getId)
  const found = useNamedCall<Row>(getId, { workspaceId, ...path }, { enabled })
  return { record: enabled ? found.data : undefined, pathNames, method }
}

function namesIn(route: string): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
}

function schemasOf(operationId: string): Readonly<Record<string, JsonSchema>> {
  const { query, body } = operation(operationId) ?? {}
  return { ...query?.properties, ...body?.properties } as Record<string, JsonSchema>
}

type Names = ReadonlyMap<string, string>

/** The names of all records whose ids stand somewhere in these. */
function useNamesIn(values: readonly Row[]): Names {
  const ids = new Set(values.flatMap(value => Object.values(value).flat()).filter(one => typeof one === 'string'))
  return useNames(indexedAreas.map(area => ({ area, ids: [...ids].filter(id => areaOfId(id) === area) })))
}

type TargetProps = WantedProps & { pathNames: readonly string[]; record: Row | undefined; names: Names }

function Target({ operationId, args, pathNames, record, names }: TargetProps) {
  const facts = pathNames.map((name): [string, ReactNode] => {
    const id = String(args[name] ?? '')
    const title = names.get(id) ?? (record ? titleOf(areaOf(operationId), record) : id)
    return [name === 'id' ? 'On' : labelOfField(name), <Reference key={name} id={id} name={title || id} />]
  })
  return facts.length > 0 ? <Facts label="On what" facts={facts} /> : null
}

type ChangesProps = {
  given: readonly [string, unknown][]
  record: Row
  schemas: Readonly<Record<string, JsonSchema>>
  names: Names
}

function Changes({ given, record, schemas, names }: ChangesProps) {
  const isSame = (name: string, value: unknown) => JSON.stringify(record[name]) === JSON.stringify(value)
  return (
    <Facts
      label="What would change"
      facts={given.map(([name, value]) => [
        labelOfField(name),
        isSame(name, value) ? (
          <Text key={name} span size="sm" c="dimmed">
            Stays as it is
          </Text>
        ) : (
          <Change
            key={name}
            name={name}
            before={record[name]}
            after={value}
            schema={schemas[name] ?? {}}
            names={names}
          />
        ),
      ])}
    />
  )
}

type ChangeProps = { name: string; before: unknown; after: unknown; schema: JsonSchema; names: Names }

function Change({ name, before, after, schema, names }: ChangeProps) {
  if (isLong(before) || isLong(after)) {
    return <Diff label={`Changes: ${labelOfField(name)}`} before={textOf(before)} after={textOf(after)} />
  }
  return (
    <Group gap="xs">
      <del className="atrium-before">
        <Shown schema={schema} value={before} names={names} />
      </del>
      <span role="img" aria-label="becomes">
        →
      </span>
      <ins className="atrium-after">
        <Shown schema={schema} value={after} names={names} />
      </ins>
    </Group>
  )
}

const shortest = 60

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > shortest || value.includes('\n')
  return typeof value === 'object' && value !== null && !isIds(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value, null, 2)
}

function isIds(value: object): value is string[] {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}

type ShownProps = { schema: JsonSchema; value: unknown; names: Names }

/** Ids by the names of their records. */
function Shown({ schema, value, names }: ShownProps) {
  const ids = [value].flat().filter(one => typeof one === 'string' && names.has(one)) as string[]
  if (ids.length === 0) return <Value schema={schema} value={value} isWhole />
  return (
    <Group gap="xs">
      {ids.map(id => (
        <Reference key={id} id={id} name={names.get(id) ?? id} />
      ))}
    </Group>
  )
}
