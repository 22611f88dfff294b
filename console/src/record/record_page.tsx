// One record of any area: where it belongs, what can be done with it, its facts, what hangs on it, what happened to it.
import { Breadcrumbs, Tabs, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type Place, titleOf, type Views } from '../areas/define.ts'
import { keyOf, subResources } from '../areas/schema.ts'
import { Activity } from '../audit/activity.tsx'
import { idIn } from '../contract.ts'
import { wordsOf } from '../format.ts'
import { type Row, useNamedCall } from '../named.ts'
import { LinkText } from '../parts/links.tsx'
import { Loaded, Page } from '../parts/page.tsx'
import { useStanding, useWorkspaceId } from '../session.ts'
import { useLook } from '../table/look.ts'
import { Acts } from './acts.tsx'
import { AsCode } from './as_code.tsx'
import { RecordFacts } from './facts.tsx'
import { SubList } from './sub_list.tsx'

type RecordPageProps = { place: Place; views: Views; id: string }

export function RecordPage({ place, views, id }: RecordPageProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const path = { workspaceId, [keyOf(place.area)]: id }
  const found = useNamedCall<Row>(idIn(place.area, 'get'), path)
  const list = `/w/${workspaceId}/${place.path}`
  const title = found.data ? titleOf(place.area, found.data) : place.one
  return (
    <Page
      title={title}
      crumbs={<Crumbs place={place} list={list} title={title} />}
      actions={
        found.data && (
          <Acts place={place} views={views} record={found.data} onGone={() => void navigate({ to: list as '/' })}>
            {views.lead && <views.lead record={found.data} />}
          </Acts>
        )
      }
    >
      <Loaded query={found}>{record => <Parts place={place} views={views} record={record} path={path} />}</Loaded>
    </Page>
  )
}

export function Crumbs({ place, list, title }: { place: Place; list: string; title: string }) {
  return (
    <Breadcrumbs separator="›" fz="sm">
      <LinkText to={list as '/'} size="sm" underline="hover">
        {place.title}
      </LinkText>
      <Text size="sm" c="dimmed" truncate maw={320}>
        {title}
      </Text>
    </Breadcrumbs>
  )
}

type PartsProps = { place: Place; views: Views; record: Row; path: Row }

function Parts({ place, views, record, path }: PartsProps) {
  const { may } = useStanding()
  const [{ tab = 'about' }, look] = useLook<{ tab?: string }>()
  const { area } = place
  const own = views.tabs ?? []
  const about = own.find(({ name }) => name === 'about')
  const shown = own.filter(one => one !== about && (one.isShown?.(record) ?? true))
  const subs = subResources(area).filter(sub => !own.some(({ name }) => name === sub) && may(idIn(area, `${sub}.list`)))
  const Notice = views.notice
  const id = String(record[keyOf(area)])
  const tabs = [
    {
      name: 'about',
      title: about?.title ?? 'About',
      view: about ? <about.view record={record} /> : <RecordFacts place={place} views={views} record={record} />,
    },
    ...shown.map(({ name, title, view: View }) => ({ name, title, view: <View record={record} /> })),
    ...subs.map(sub => ({
      name: sub,
      title: place.subs?.[sub]?.title ?? wordsOf(sub),
      view: <SubList area={area} sub={sub} record={record} />,
    })),
    ...(may('audit_logs.list') ? [{ name: 'activity', title: 'Activity', view: <Activity targetId={id} /> }] : []),
    { name: 'api', title: 'API', view: <AsCode id={idIn(area, 'get')} input={path} /> },
  ]
  return (
    <>
      {Notice && <Notice record={record} />}
      <Tabs
        value={tabs.some(({ name }) => name === tab) ? tab : 'about'}
        onChange={name => look({ tab: name === 'about' ? undefined : name } as { tab?: string })}
        keepMounted={false}
      >
        <Tabs.List aria-label={`Parts of ${titleOf(area, record)}`} mb="lg">
          {tabs.map(({ name, title }) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, view }) => (
          <Tabs.Panel key={name} value={name}>
            {view}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
