// List, record and form of any area: its contract by default, what it declares beyond that where it does.
import '../form/rich_input.tsx'
import { Tabs } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { queryClient } from '../api.ts'
import { hasOperation, idIn, loadContract } from '../contract.ts'
import type { FieldHint } from '../form/field.ts'
import { Form } from '../form/form.tsx'
import { UnsentGuard } from '../form/guard.tsx'
import { inText } from '../format.ts'
import type { Row } from '../named.ts'
import { Missing, NotAllowed } from '../pages/states.tsx'
import { LinkButton } from '../parts/links.tsx'
import { Loaded, Page, Panel, Rows } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useRowMenu } from '../record/acts.tsx'
import { Crumbs, RecordPage } from '../record/record_page.tsx'
import { SecretShown } from '../record/secret_shown.tsx'
import { useStanding, useWorkspaceId } from '../session.ts'
import { DataTable } from '../table/data_table.tsx'
import { useLook } from '../table/look.ts'
import { useBulk } from './bulk.tsx'
import { labelOf, type Place, placeAt, titleOf, type View, type Views } from './define.ts'
import { LaidOut, Layouts } from './layouts.tsx'
import { aboutOf, columnsOf, fieldsOf, keyOf, secretsIn } from './schema.ts'

/** The area's schemas and its own views, loaded together. */
function areaQuery(place: Place) {
  return queryOptions({
    queryKey: ['area', place.area],
    queryFn: async () => {
      const [own] = await Promise.all([place.views?.() ?? { views: {} }, loadContract(place.area)])
      return own.views
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
    retry: false,
  })
}

/** For the router, so that a page that can be had at once is not preceded by grey bars. */
export async function prepareArea(path: string): Promise<void> {
  const place = placeAt(path)
  if (place) await queryClient.prefetchQuery(areaQuery(place))
}

type OpenedProps = { needs: string; children: (place: Place, views: Views) => ReactNode }

/** Nothing is asked of the service that it would refuse. */
function Opened({ needs, children }: OpenedProps) {
  const { area = '' } = useParams({ strict: false }) as { area?: string }
  const place = placeAt(area)
  const verb = needs === 'list' ? (place?.reads ?? needs) : needs
  if (!place || !hasOperation(idIn(place.area, verb))) return <Missing />
  return <OpenedArea key={place.area} place={place} needs={verb} view={children} />
}

type OpenedAreaProps = { place: Place; needs: string; view: OpenedProps['children'] }

function OpenedArea({ place, needs, view }: OpenedAreaProps) {
  const { may, isKnown } = useStanding()
  const found = useQuery(areaQuery(place))
  const id = idIn(place.area, needs)
  if (!isKnown) return <Rows />
  if (!may(id)) return <NotAllowed title={place.title} id={id} />
  return <Loaded query={found}>{views => view(place, views)}</Loaded>
}

export function AreaList() {
  return (
    <Opened needs="list">
      {(place, views) => (views.list ? <views.list /> : <ListPage place={place} views={views} />)}
    </Opened>
  )
}

export function AreaRecord() {
  const { id = '' } = useParams({ strict: false })
  return (
    <Opened needs="get">
      {(place, views) =>
        views.record ? <views.record id={id} /> : <RecordPage key={id} place={place} views={views} id={id} />
      }
    </Opened>
  )
}

export function AreaNew() {
  return (
    <Opened needs="post">
      {(place, views) => (views.form ? <views.form /> : <NewPage place={place} views={views} />)}
    </Opened>
  )
}

type PageProps = { place: Place; views: Views }

function ListPage({ place, views }: PageProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [look, onLook] = useLook()
  const { area } = place
  const listId = idIn(area, 'list')
  const key = keyOf(area)
  const root = `/w/${workspaceId}/${place.path}`
  const row = useRowMenu(place, views, () => {})
  const bulk = useBulk(place, views)
  const choices = views.useChoices?.()
  const layout = views.layouts?.find(({ name }) => name === look.layout)
  const create = views.actions ? (
    <views.actions />
  ) : (
    may(idIn(area, 'post')) && (
      <LinkButton to={`${root}/new` as '/'} leftSection={<Plus size={16} aria-hidden />}>
        New {inText(place.one)}
      </LinkButton>
    )
  )
  return (
    <Page title={place.title} about={place.about ?? aboutOf(listId)} actions={create}>
      {views.above && <views.above />}
      <Panel>
        {place.saved && !layout?.isAlone && <SavedViews place={place} root={root} />}
        {views.layouts && <Layouts layouts={views.layouts} look={look} onLook={onLook as never} />}
        {row.failure}
        {layout ? (
          <LaidOut place={place} layout={layout} choices={choices} />
        ) : (
          <DataTable
            listId={listId}
            path={{ workspaceId }}
            keyField={key}
            columns={place.columns ?? columnsOf(listId, key)}
            label={place.title}
            labelOf={name => labelOf(place, name)}
            look={look}
            onLook={onLook as never}
            cells={views.cells}
            choices={choices}
            {...(place.usual && { usual: place.usual })}
            {...(hasOperation(idIn(area, 'get')) && { hrefOf: (record: Row) => `${root}/${String(record[key])}` })}
            rowMenu={row.menu}
            bulk={bulk.acts}
            empty={{
              icon: place.icon,
              title: `No ${inText(place.title)} yet`,
              text: place.none ?? 'What is made here, by a person or a program, shows in this list.',
              action: create,
            }}
          />
        )}
      </Panel>
      {views.below && <views.below />}
      {row.dialog}
      {bulk.dialog}
    </Page>
  )
}

/** Each is an address: the list with filters chosen beforehand. */
function SavedViews({ place, root }: { place: Place; root: string }) {
  const [look] = useLook()
  const navigate = useNavigate()
  const all: View[] = [{ title: 'All', search: {} }, ...(place.saved ?? [])]
  const isHere = (search: View['search']) =>
    Object.entries(search).every(([name, value]) => String(look[name] ?? '') === String(value))
  const here = all.findLast(({ search }) => isHere(search))?.title ?? 'All'
  const open = (title: string | null) =>
    void navigate({
      to: root as '/',
      search: { ...all.find(view => view.title === title)?.search, layout: look.layout } as never,
    })
  return (
    <Tabs value={here} onChange={open} mb="md">
      <Tabs.List aria-label={`Views of ${place.title}`}>
        {all.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}

function NewPage({ place, views }: PageProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const [made, setMade] = useState<Row | null>(null)
  const { area } = place
  const id = idIn(area, 'post')
  const root = `/w/${workspaceId}/${place.path}`
  const open = (record: Row) => {
    const own = hasOperation(idIn(area, 'get')) ? `/${String(record[keyOf(area)])}` : ''
    void navigate({ to: `${root}${own}` as '/' })
  }
  const title = `New ${inText(place.one)}`
  const crumbs = <Crumbs place={place} list={root} title={title} />
  if (made) {
    const secrets = secretsIn(id, made)
    const Use = views.secretUse
    return (
      <Page title={`Your new ${inText(place.one)}`} crumbs={crumbs} narrow>
        <Panel>
          <SecretShown secrets={secrets} onDone={() => queueMicrotask(() => open(made))}>
            {Use && <Use secret={secrets[0]?.[1] ?? ''} record={made} />}
          </SecretShown>
        </Panel>
      </Page>
    )
  }
  const fields = newFields(place)
  const form = (
    <Form
      guard={UnsentGuard}
      id={id}
      fixed={{ workspaceId }}
      fields={fields}
      label="Create"
      cancel={root}
      onDone={record => {
        if (secretsIn(id, record).length > 0) return setMade(record)
        done(`${titleOf(area, record)} is created.`)
        open(record)
      }}
    />
  )
  const isGrouped = fields.some(({ group }) => group)
  return (
    <Page title={title} about={aboutOf(id)} crumbs={crumbs} narrow>
      {isGrouped ? form : <Panel>{form}</Panel>}
    </Page>
  )
}

/** Those that the area names first, then the rest of the body. */
function newFields(place: Place): FieldHint[] {
  const known = fieldsOf(idIn(place.area, 'post'))
  const hints = (place.fields ?? []).map(hint => (typeof hint === 'string' ? { name: hint } : hint))
  const groups = hints.some(({ group }) => group) || known.some(({ schema }) => schema['x-group'])
  const rest = known.filter(({ name }) => !hints.some(hint => hint.name === name)).map(({ name }) => ({ name }))
  return [...hints.filter(({ name, schema }) => schema || known.some(field => field.name === name)), ...rest].map(
    (hint: FieldHint, index) => ({
      label: labelOf(place, hint.name),
      ...(groups && { group: known.find(({ name }) => name === hint.name)?.schema['x-group'] ?? 'More' }),
      ...(index === 0 && { autoFocus: true }),
      ...hint,
    }),
  )
}
