// The rows of a list: heads that sort, cells by their schema, a menu for each, and the choice of many.
import { ActionIcon, Button, Checkbox, Group, Menu, Table, Text, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp, ArrowUpDown, Download, EllipsisVertical } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { firstOrder, itemFields, prefixOf, sortsOf, usualSort } from '../areas/schema.ts'
import type { Row } from '../named.ts'
import { saveFile } from '../parts/download.ts'
import { LabelChips } from '../parts/labels.tsx'
import { LinkName } from '../parts/links.tsx'
import { Value } from '../parts/value.tsx'
import { csvOf } from './csv.ts'
import type { DataTableProps } from './data_table.tsx'
import { LeftOut, useLongRows } from './long_rows.tsx'
import { Reference } from './reference.tsx'
import { useReferences } from './references.ts'

const Shown = createContext<readonly Row[]>([])

/** All rows of the page, for a cell that must know its neighbours: names are asked for all at once. */
export function useShownRows(): readonly Row[] {
  return useContext(Shown)
}

const rowHeight = 49

type RowsProps = DataTableProps & { items: readonly Row[]; order: Row }

export function Rows(props: RowsProps) {
  const { listId, items, columns, label, labelOf, keyField, bulk = [], rowMenu } = props
  const [chosen, setChosen] = useState<readonly string[]>([])
  const names = useReferences(listId, columns, items)
  const keys = items.map(item => String(item[keyField]))
  const picked = items.filter(item => chosen.includes(String(item[keyField])))
  const rows = useLongRows(items.length, rowHeight)
  useRowKeys()
  const clear = () => setChosen([])
  return (
    <>
      {bulk.length > 0 && picked.length > 0 && (
        <Group gap="xs" mb="xs" role="status">
          <Text size="sm">{picked.length} chosen</Text>
          {bulk.map(({ label: words, onAct }) => (
            <Button key={words} size="xs" variant="default" onClick={() => onAct(picked, clear)}>
              {words}
            </Button>
          ))}
          <Button size="xs" variant="subtle" onClick={clear}>
            Choose none
          </Button>
        </Group>
      )}
      <div className="atrium-scroll">
        <Table
          verticalSpacing="sm"
          aria-label={label}
          className="atrium-rows atrium-cards"
          role="table"
          {...rows.tableProps}
        >
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {bulk.length > 0 && (
                <Table.Th scope="col" w={36} role="columnheader">
                  <Checkbox
                    size="xs"
                    aria-label="Choose all on this page"
                    checked={picked.length === items.length}
                    indeterminate={picked.length > 0 && picked.length < items.length}
                    onChange={event => setChosen(event.currentTarget.checked ? keys : [])}
                  />
                </Table.Th>
              )}
              {columns.map(name => (
                <Head key={name} name={name} {...props}>
                  {labelOf(name)}
                </Head>
              ))}
              <Table.Th scope="col" w={36} role="columnheader" ta="right">
                <CsvButton {...props} names={names} />
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup" ref={rows.body}>
            <Shown value={items}>
              <LeftOut height={rows.before} />
              {rows.indices.map(index => {
                const item = items[index] ?? {}
                const key = String(item[keyField])
                return (
                  <Table.Tr key={key} role="row" {...rows.rowProps(index)}>
                    {bulk.length > 0 && (
                      <Table.Td role="cell" className="atrium-choose">
                        <Checkbox
                          size="xs"
                          aria-label={`Choose ${textOf(item, columns, key)}`}
                          checked={chosen.includes(key)}
                          onChange={event =>
                            setChosen(before =>
                              event.currentTarget.checked ? [...before, key] : before.filter(one => one !== key),
                            )
                          }
                        />
                      </Table.Td>
                    )}
                    {columns.map((name, index) => (
                      <Table.Td key={name} role="cell" data-label={labelOf(name)}>
                        <Cell {...props} item={item} name={name} isFirst={index === 0} names={names} />
                      </Table.Td>
                    ))}
                    <Table.Td role="cell" className="atrium-row-menu" ta="right">
                      {rowMenu && <RowMenu menu={rowMenu(item)} title={textOf(item, columns, key)} />}
                    </Table.Td>
                  </Table.Tr>
                )
              })}
              <LeftOut height={rows.after} />
            </Shown>
          </Table.Tbody>
        </Table>
      </div>
    </>
  )
}

function textOf(item: Row, columns: readonly string[], key: string): string {
  const value = item[columns[0] ?? '']
  return typeof value === 'string' && value !== '' ? value : key
}

type CellOfProps = RowsProps & { item: Row; name: string; isFirst: boolean; names: ReadonlyMap<string, string> }

function Cell({ listId, item, name, isFirst, cells, hrefOf, keyField, names }: CellOfProps) {
  const Own = cells?.[name]
  const value = item[name]
  if (Own) return <Own record={item} value={value} />
  const schema = itemFields(listId)[name] ?? {}
  if (prefixOf(schema) === 'label' && Array.isArray(value)) return <LabelChips ids={value} />
  const href = isFirst ? hrefOf?.(item) : undefined
  if (href) {
    return (
      <LinkName to={href as '/'} data-row>
        {String(value ?? item[keyField])}
      </LinkName>
    )
  }
  const known = typeof value === 'string' ? names.get(value) : undefined
  return known ? <Reference id={String(value)} name={known} /> : <Value schema={schema} value={value} />
}

type HeadProps = RowsProps & { name: string; children: ReactNode }

function Head({ listId, name, order: given, onLook, children }: HeadProps) {
  const sorts = sortsOf(listId)
  if (!sorts.includes(name)) {
    return (
      <Table.Th scope="col" role="columnheader">
        {children}
      </Table.Th>
    )
  }
  const orderBy = String(given.orderBy ?? usualSort(listId))
  const order = (given.order as 'asc' | 'desc' | undefined) ?? 'desc'
  const isBy = orderBy === name
  const Icon = isBy ? (order === 'asc' ? ArrowUp : ArrowDown) : ArrowUpDown
  const next = isBy ? (order === 'asc' ? 'desc' : 'asc') : firstOrder(listId, name)
  return (
    <Table.Th
      scope="col"
      role="columnheader"
      aria-sort={isBy ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <UnstyledButton fz="inherit" fw="inherit" mih={24} onClick={() => onLook({ orderBy: name, order: next })}>
        <Group gap={4} wrap="nowrap">
          {children}
          <Icon size={13} aria-hidden opacity={isBy ? 1 : 0.45} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}

function RowMenu({ menu, title }: { menu: ReactNode; title: string }) {
  if (!menu) return null
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${title}`}>
          <EllipsisVertical size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{menu}</Menu.Dropdown>
    </Menu>
  )
}

function CsvButton({
  label,
  labelOf,
  columns,
  items,
  names,
  keyField,
}: RowsProps & { names: ReadonlyMap<string, string> }) {
  const fields = columns.includes(keyField) ? columns : [...columns, keyField]
  const save = () =>
    saveFile(`${label.toLowerCase().replaceAll(' ', '-')}.csv`, 'text/csv', [csvOf(fields, labelOf, items, names)])
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label="Save these rows as CSV"
      title="Save these rows as CSV"
      onClick={save}
    >
      <Download size={14} aria-hidden />
    </ActionIcon>
  )
}

/** `j` and `k` move through the rows; Enter follows the link as always. */
function useRowKeys(): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key]
      const place = event.target as HTMLElement
      if (
        !step ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        place.closest('input, textarea, select, [role=dialog]')
      )
        return
      const links = [...document.querySelectorAll<HTMLElement>('[data-row]')]
      const at = links.indexOf(document.activeElement as HTMLElement)
      links[Math.max(0, Math.min(links.length - 1, at < 0 && step < 0 ? 0 : at + step))]?.focus()
    }
    window.addEventListener('keydown', move)
    return () => window.removeEventListener('keydown', move)
  }, [])
}
