// The page of one integration: what its type has decides which parts there are.
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { RecordPage } from '../../record/record_page.tsx'
import { type Place, placeOfArea, type Tab, type Views } from '../define.ts'
import { About } from './about.tsx'
import { type Direction, type Integration, isMapped, typeIn, useCatalog } from './catalog.ts'

type PartProps = { record: Row }

const Deliveries = whenNeeded<PartProps>('Deliveries', async () => (await import('./deliveries.tsx')).Deliveries)
const Payloads = whenNeeded<PartProps>('Payloads', async () => (await import('./payloads.tsx')).Payloads)
const Mapping = whenNeeded<PartProps>('Mapping', async () => (await import('./mapping.tsx')).MappingEditor)
const People = whenNeeded<PartProps>('IntegrationPeople', async () => (await import('./people.tsx')).People)
const Tools = whenNeeded<PartProps>('ForeignTools', async () => (await import('./tools.tsx')).Tools)
const Query = whenNeeded<PartProps>('PrometheusQuery', async () => (await import('./query.tsx')).Query)

export function IntegrationPage({ id, views }: { id: string; views: Views }) {
  const { data } = useCatalog()
  const has = (direction: Direction) => (record: Row) =>
    typeIn(data, record.type)?.directions.includes(direction) ?? false
  const tabs: Tab[] = [
    { name: 'about', title: 'About', view: About },
    { name: 'deliveries', title: 'Deliveries', view: Deliveries, isShown: has('out') },
    { name: 'payloads', title: 'Payloads', view: Payloads, isShown: has('in') },
    { name: 'mapping', title: 'Mapping', view: Mapping, isShown: record => isMapped(record as Integration) },
    { name: 'people', title: 'People', view: People, isShown: ({ type }) => type === 'slack' },
    { name: 'tools', title: 'Tools', view: Tools, isShown: ({ type }) => type === 'mcp' },
    { name: 'query', title: 'Query', view: Query, isShown: ({ type }) => type === 'prometheus' },
  ]
  const place = placeOfArea('integrations') as Place
  return <RecordPage key={id} place={place} views={{ ...views, tabs }} id={id} />
}
