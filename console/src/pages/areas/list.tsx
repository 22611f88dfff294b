// The list of any area, drawn from its contract: columns, filters, order and page stand in the address.
import { Button, Group, Table, TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { Layers, Plus, X } from 'lucide-react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import { wordsOf } from '../../format.ts'
import { FilterSelect } from '../../parts/filter_select.tsx'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Empty, Page, Panel } from '../../parts/page.tsx'
import { SortHead } from '../../parts/sort_head.tsx'
import { Listed, RowTable, useLook } from '../../parts/table.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Missing } from '../states.tsx'
import { type Row, type RowPage, useNamedCall } from './calls.ts'
import {
  type AreaOperations,
  bare,
  columnsOf,
  filtersOf,
  itemSchema,
  keyOf,
  oneOf,
  operationsOf,
  sortsOf,
} from './schema.ts'
import { Value } from './value.tsx'

const perPage = 20

type ListSearch = { page?: number; orderBy?: string; order?: 'asc' | 'desc' } & Record<string, unknown>

export function AreaList() {
  const { area = '' } = useParams({ strict: false })
  const operations = operationsOf(area)
  return operations.list ? <Area key={area} area={area} operations={operations} /> : <Missing />
}

function Area({ area, operations }: { area: string; operations: AreaOperations }) {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [search, look] = useLook<ListSearch>()
  const sorts = sortsOf(operations)
  const filters = filtersOf(operations)
  const { page = 1, order = 'desc' } = search
  const orderBy = sorts.includes(search.orderBy ?? '') ? search.orderBy : undefined
  const chosen = Object.fromEntries(filters.filter(name => search[name]).map(name => [name, String(search[name])]))
  const input = { workspaceId, page, perPage, order, ...(orderBy && { orderBy }), ...chosen }
  const found = useNamedCall<RowPage>(`${area}.list`, input, { keep: true })
  const isFiltered = Object.keys(chosen).length > 0
  const create = operations.post && can(`${area}:write` as Scope) && (
    <LinkButton
      to="/w/$workspaceId/a/$area/new"
      params={{ workspaceId, area }}
      leftSection={<Plus size={16} aria-hidden />}
    >
      New {oneOf(area).toLowerCase()}
    </LinkButton>
  )
  return (
    <Page title={wordsOf(area)} about={operations.list?.description} actions={create}>
      <Panel>
        <Filters operations={operations} chosen={chosen} onChoose={look} />
        <Listed
          query={found}
          page={page}
          perPage={perPage}
          onPage={next => look({ page: next })}
          empty={
            <Empty
              icon={Layers}
              title={isFiltered ? 'Nothing matches' : `No ${wordsOf(area).toLowerCase()} yet`}
              text={
                isFiltered
                  ? 'Take a filter away to see more.'
                  : 'What is made here, by a person or a program, shows in this list.'
              }
              action={
                isFiltered ? (
                  <Button
                    variant="default"
                    onClick={() => look(Object.fromEntries(filters.map(name => [name, undefined])))}
                  >
                    Clear the filters
                  </Button>
                ) : (
                  create
                )
              }
            />
          }
        >
          {items => (
            <Rows
              area={area}
              operations={operations}
              items={items}
              sort={{ orderBy: orderBy ?? (sorts.includes('created') ? 'created' : (sorts[0] ?? '')), order }}
              onSort={(by, direction) => look({ orderBy: by, order: direction })}
            />
          )}
        </Listed>
      </Panel>
    </Page>
  )
}

type FiltersProps = {
  operations: AreaOperations
  chosen: Record<string, string>
  onChoose: (changed: ListSearch) => void
}

function Filters({ operations, chosen, onChoose }: FiltersProps) {
  const fields = itemSchema(operations)
  const names = filtersOf(operations)
  const listed = names.filter(name => bare(fields[name] ?? {}).enum)
  const typed = names.filter(name => !listed.includes(name))
  if (names.length === 0) return null
  return (
    <Group mb="md" gap="xs" align="flex-end">
      {listed.map(name => (
        <FilterSelect
          key={name}
          w={150}
          label={wordsOf(name)}
          clear={`Any ${name}`}
          choices={(bare(fields[name] ?? {}).enum ?? []).map(value => ({
            value: String(value),
            label: wordsOf(String(value)),
          }))}
          value={chosen[name]}
          onChoose={value => onChoose({ [name]: value })}
        />
      ))}
      {typed.slice(0, 3).map(name => (
        <TextInput
          key={`${name}${chosen[name] ?? ''}`}
          size="xs"
          w={170}
          label={wordsOf(name)}
          placeholder="Exact, then Enter"
          defaultValue={chosen[name] ?? ''}
          onKeyDown={event => {
            if (event.key === 'Enter') onChoose({ [name]: event.currentTarget.value.trim() || undefined })
          }}
        />
      ))}
      {Object.keys(chosen).length > 0 && (
        <Button
          size="xs"
          variant="subtle"
          leftSection={<X size={14} aria-hidden />}
          onClick={() => onChoose(Object.fromEntries(names.map(name => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

type RowsProps = {
  area: string
  operations: AreaOperations
  items: readonly Row[]
  sort: { orderBy: string; order: 'asc' | 'desc' }
  onSort: (orderBy: string, order: 'asc' | 'desc') => void
}

function Rows({ area, operations, items, sort, onSort }: RowsProps) {
  const workspaceId = useWorkspaceId()
  const fields = itemSchema(operations)
  const columns = columnsOf(operations)
  const sorts = sortsOf(operations)
  const key = keyOf(operations)
  const hasDetail = operations.get !== undefined
  return (
    <RowTable
      label={wordsOf(area)}
      minWidth={Math.min(900, columns.length * 130)}
      heads={columns.map(name =>
        sorts.includes(name) ? (
          <SortHead key={name} name={name} {...sort} onSort={onSort}>
            {wordsOf(name)}
          </SortHead>
        ) : (
          wordsOf(name)
        ),
      )}
    >
      {items.map(item => (
        <Table.Tr key={String(item[key])}>
          {columns.map((name, index) => (
            <Table.Td key={name}>
              {index === 0 && hasDetail ? (
                <LinkName to="/w/$workspaceId/a/$area/$id" params={{ workspaceId, area, id: String(item[key]) }}>
                  {String(item[name] ?? item[key])}
                </LinkName>
              ) : (
                <Value schema={fields[name] ?? {}} value={item[name]} />
              )}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </RowTable>
  )
}
