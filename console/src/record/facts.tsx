// The fields of a record, and the same fields as a form when they are edited in their place.
import { Switch } from '@mantine/core'
import { labelOf, type Place, type Views } from '../areas/define.ts'
import { bare, fieldsOf, type JsonSchema, keyOf, prefixOf, resultFields } from '../areas/schema.ts'
import { idIn } from '../contract.ts'
import type { FieldHint } from '../form/field.ts'
import { type Row, useNamedAct } from '../named.ts'
import { CopyFact } from '../parts/copy.tsx'
import { Failure } from '../parts/failure.tsx'
import { LabelChips } from '../parts/labels.tsx'
import { Facts } from '../parts/table.tsx'
import { done } from '../parts/toast.tsx'
import { Value } from '../parts/value.tsx'
import { useStanding, useWorkspaceId } from '../session.ts'
import { Reference } from '../table/reference.tsx'
import { useReferences } from '../table/references.ts'
import { EditPanel } from './edit_panel.tsx'

const never = new Set(['_object', 'workspaceId'])

type RecordFactsProps = { place: Place; views: Views; record: Row }

export function RecordFacts({ place, views, record }: RecordFactsProps) {
  const { may } = useStanding()
  const workspaceId = useWorkspaceId()
  const { area } = place
  const key = keyOf(area)
  const patchId = idIn(area, 'patch')
  const fields = editableFields(place)
  const mayEdit = place.isEditable !== false && may(patchId)
  return (
    <EditPanel
      title="About"
      id={patchId}
      fixed={{ workspaceId, [key]: record[key] }}
      record={record}
      fields={fields}
      mayEdit={mayEdit && fields.length > 0}
    >
      <AllFacts place={place} views={views} record={record} mayEdit={mayEdit} />
    </EditPanel>
  )
}

/** Booleans act at once, as switches among the facts; the rest is in the form. */
function editableFields(place: Place): FieldHint[] {
  const known = fieldsOf(idIn(place.area, 'patch')).filter(({ schema }) => schema.type !== 'boolean')
  const hints = (place.fields ?? []).map(hint => (typeof hint === 'string' ? { name: hint } : hint))
  const names = [...new Set([...hints.map(({ name }) => name), ...known.map(({ name }) => name)])]
  return names
    .filter(name => known.some(field => field.name === name))
    .map(name => {
      const { group: _, ...hint } = hints.find(one => one.name === name) ?? { name }
      return { label: labelOf(place, name), ...hint }
    })
}

function AllFacts({ place, views, record, mayEdit }: RecordFactsProps & { mayEdit: boolean }) {
  const { area } = place
  const schemas = resultFields(idIn(area, 'get'))
  const hidden = new Set([...never, ...(place.hidden ?? [])])
  const names = useReferences(idIn(area, 'list'), Object.keys(record), [record])
  const switches = new Set(
    mayEdit
      ? fieldsOf(idIn(area, 'patch')).flatMap(({ name, schema }) => (schema.type === 'boolean' ? [name] : []))
      : [],
  )
  const key = keyOf(area)
  const rank = (name: string) => [key, 'created', 'updated'].indexOf(name)
  const shown = Object.keys(record)
    .filter(name => !hidden.has(name))
    .sort((one, other) => rank(one) - rank(other))
  const own = Object.keys(views.facts ?? {}).filter(name => !shown.includes(name))
  return (
    <Facts
      label="Fields of the record"
      width={150}
      facts={[...shown, ...own].map(name => [
        labelOf(place, name),
        <Fact
          key={name}
          {...{ place, views, record, name }}
          schema={schemas[name] ?? {}}
          isKey={name === key}
          isSwitch={switches.has(name)}
          known={names.get(String(record[name]))}
        />,
      ])}
    />
  )
}

type FactProps = RecordFactsProps & {
  name: string
  schema: JsonSchema
  isKey: boolean
  isSwitch: boolean
  known: string | undefined
}

function Fact({ place, views, record, name, schema, isKey, isSwitch, known }: FactProps) {
  const value = record[name]
  const Own = views.facts?.[name]
  if (Own) return <Own record={record} value={value} />
  if (prefixOf(schema) === 'label' && Array.isArray(value)) return <LabelChips ids={value} most={20} none="–" />
  if (isSwitch) return <SwitchFact place={place} record={record} name={name} />
  if (isKey) {
    return <CopyFact value={String(value)} />
  }
  if (known) return <Reference id={String(value)} name={known} />
  return <Value schema={bare(schema)} value={value} isWhole />
}

function SwitchFact({ place, record, name }: { place: Place; record: Row; name: string }) {
  const workspaceId = useWorkspaceId()
  const key = keyOf(place.area)
  const label = labelOf(place, name)
  const act = useNamedAct(idIn(place.area, 'patch'), {
    onDone: result => done(`${label}: ${result[name] ? 'on' : 'off'}.`),
  })
  const shown = (act.wanted?.[name] ?? record[name]) === true
  return (
    <>
      <Switch
        aria-label={label}
        label={shown ? 'Yes' : 'No'}
        checked={shown}
        onChange={event => act.send({ workspaceId, [key]: record[key], [name]: event.currentTarget.checked })}
      />
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}
