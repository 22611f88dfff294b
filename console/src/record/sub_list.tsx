// A list below a record, such as the members of a team: its rows, what can be added, and what can be taken away.
import { Button, Menu, Modal } from '@mantine/core'
import { Layers, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { placeOfArea, titleOf } from '../areas/define.ts'
import { columnsOf, itemFields, keyOf, singular } from '../areas/schema.ts'
import { brief, hasOperation, idIn } from '../contract.ts'
import { Form } from '../form/form.tsx'
import { wordsOf } from '../format.ts'
import { type Row, useNamedAct } from '../named.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'
import { DataTable } from '../table/data_table.tsx'
import { useOwnLook } from '../table/look.ts'

type SubListProps = { area: string; sub: string; record: Row }

export function SubList({ area, sub, record }: SubListProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const me = useMe()
  const [look, onLook] = useOwnLook()
  const [isAdding, setIsAdding] = useState(false)
  const [ending, setEnding] = useState<Row | null>(null)
  const listId = idIn(area, `${sub}.list`)
  const postId = idIn(area, `${sub}.post`)
  const delId = idIn(area, `${sub}.del`)
  const key = keyOf(area)
  const path = { workspaceId, [key]: record[key] }
  const subKey = subKeyOf(area, sub, key)
  const own = placeOfArea(area)?.subs?.[sub] ?? {}
  const title = own.title ?? wordsOf(sub)
  const one = own.one ?? singular(sub).toLowerCase()
  const remove = own.remove ?? 'Remove'
  const mayEnd = (item: Row) => {
    const self = brief(delId)?.self
    return hasOperation(delId) && (may(delId) || (self !== undefined && item[self] === me?.id))
  }
  const add = may(postId) && (
    <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => setIsAdding(true)}>
      Add {one}
    </Button>
  )
  const act = useNamedAct(delId, {
    onDone: () => {
      setEnding(null)
      done('Done.')
    },
  })
  return (
    <Panel title={title} aside={add}>
      <DataTable
        listId={listId}
        path={path}
        keyField={subKey}
        columns={own.columns ?? subColumns(listId, subKey, key)}
        label={title}
        labelOf={name => own.labels?.[name] ?? wordsOf(name)}
        look={look}
        onLook={onLook}
        empty={{
          icon: placeOfArea(area)?.icon ?? Layers,
          title: `No ${title.toLowerCase()} yet`,
          text: own.none ?? 'What is added shows here.',
        }}
        rowMenu={item =>
          mayEnd(item) ? (
            <Menu.Item leftSection={<Trash2 size={16} aria-hidden />} onClick={() => setEnding(item)}>
              {remove}
            </Menu.Item>
          ) : null
        }
      />
      <Modal opened={isAdding} onClose={() => setIsAdding(false)} title={`Add ${one}`}>
        <Form
          id={postId}
          fixed={path}
          label="Add"
          cancel={() => setIsAdding(false)}
          onDone={() => {
            setIsAdding(false)
            done(`The ${one} is added.`)
          }}
        />
      </Modal>
      <Confirm
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title={`${remove} ${ending ? (nameIn(ending) ?? titleOf(`${area}.${sub}`, ending)) : ''}?`}
        label={remove}
        act={act}
        onAct={() => ending && act.send({ ...path, [subKey]: ending[subKey] })}
      >
        {own.removal ?? 'It can be added again later.'}
      </Confirm>
    </Panel>
  )
}

function nameIn({ forename, surname }: Row): string | undefined {
  return forename === undefined ? undefined : [forename, surname].filter(Boolean).join(' ')
}

/** The last field of the path of what ends one of them. */
function subKeyOf(area: string, sub: string, key: string): string {
  const route = brief(idIn(area, `${sub}.del`))?.route ?? brief(idIn(area, `${sub}.get`))?.route ?? ''
  const name = [...route.matchAll(/\{(\w+)\}/g)].at(-1)?.[1]
  if (name && name !== key) return name in itemFields(idIn(area, `${sub}.list`)) ? name : 'id'
  return 'id'
}

function subColumns(listId: string, subKey: string, key: string): string[] {
  const parents = new Set([key, `${listId.split('.')[0]?.replace(/s$/, '')}Id`, 'workspaceId'])
  return columnsOf(listId, subKey).filter(name => !parents.has(name))
}
