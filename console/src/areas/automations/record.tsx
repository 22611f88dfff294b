// The page of one automation: what it is, what it did, a way to try it, the builder, and its versions.
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { RecordPage } from '../../record/record_page.tsx'
import { useStanding } from '../../session.ts'
import { type Place, placeOfArea, type Tab, type Views } from '../define.ts'
import { useMoves } from './moving.ts'
import { Overview } from './overview.tsx'

type PartProps = { record: Row }

const History = whenNeeded<PartProps>('AutomationHistory', async () => (await import('./history.tsx')).History)
const Trial = whenNeeded<PartProps>('AutomationTrial', async () => (await import('./trial.tsx')).Trial)
const Edit = whenNeeded<PartProps>('AutomationEdit', async () => (await import('./edit.tsx')).Edit)
const Versions = whenNeeded<PartProps>('AutomationVersions', async () => (await import('./versions.tsx')).Versions)

const moved = ['automations.get', 'automations.executions.list', 'automations.executions.get']

export function AutomationPage({ id, views }: { id: string; views: Views }) {
  const { may } = useStanding()
  useMoves(id, moved)
  const tabs: Tab[] = [
    { name: 'about', title: 'Overview', view: Overview },
    { name: 'edit', title: 'Edit', view: Edit, isShown: () => may('automations.patch') },
    { name: 'executions', title: 'History', view: History },
    { name: 'test', title: 'Test', view: Trial },
    { name: 'versions', title: 'Versions', view: Versions },
  ]
  return <RecordPage key={id} place={placeOfArea('automations') as Place} views={{ ...views, tabs }} id={id} />
}
