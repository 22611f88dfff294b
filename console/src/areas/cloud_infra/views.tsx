// How the infrastructure shows: tiers in the list, the picture beside it, and the page of a node with all that is known of it.
import { Badge, Group, Text } from '@mantine/core'
import { EyeOff, Layers2, Plus, Waypoints } from 'lucide-react'
import { wordsOf } from '../../format.ts'
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Rows } from '../../parts/page.tsx'
import { ownerAreas } from '../../parts/people.tsx'
import { RecordPage } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type CellProps, type Place, placeOfArea, type Views } from '../define.ts'
import { About, Notice } from './about.tsx'
import { type InfraNode, nodeHref, pictureOf, tierColours } from './node.ts'

type PartProps = { record: Row }

const Picture = whenNeeded<{ input: Row }>(
  'InfraPicture',
  async () => (await import('./graph/picture.tsx')).Picture,
  () => <Rows />,
)
const Neighbours = whenNeeded<PartProps>('Neighbours', async () => (await import('./neighbours.tsx')).Neighbours)
const PathTo = whenNeeded<PartProps>('PathTo', async () => (await import('./path_to.tsx')).PathTo)
const ImpactTab = whenNeeded<PartProps>('Impact', async () => (await import('./impact.tsx')).ImpactTab)
const Telemetry = whenNeeded<PartProps>('NodeTelemetry', async () => (await import('./telemetry.tsx')).TelemetryTab)
const Changes = whenNeeded<PartProps>('NodeChanges', async () => (await import('./changes.tsx')).Changes)
const Tiers = whenNeeded<object>('TierRules', async () => (await import('./tiers.tsx')).TiersPage)

function Name({ record, value }: CellProps) {
  const { id, isStale, status } = record as InfraNode
  return (
    <Group gap="xs" wrap="nowrap">
      <LinkName to={nodeHref(useWorkspaceId(), id) as '/'} data-row>
        {String(value)}
      </LinkName>
      {isStale && <Badge color="yellow">As it was</Badge>}
      {status !== 'active' && <Badge color="gray">{wordsOf(status)}</Badge>}
    </Group>
  )
}

function Tier({ value }: CellProps) {
  return <Badge color={tierColours[value as InfraNode['tier']]}>{wordsOf(String(value))}</Badge>
}

const Category = ({ value }: CellProps) => <Text size="sm">{wordsOf(String(value))}</Text>

function Actions() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const root = `/w/${workspaceId}/${placeOfArea('cloud_infra')?.path}`
  return (
    <>
      <LinkButton to={`${root}/tiers` as '/'} variant="default" leftSection={<Layers2 size={16} aria-hidden />}>
        Tier rules
      </LinkButton>
      {may('cloud_infra.nodes.post') && (
        <LinkButton to={`${root}/new` as '/'} leftSection={<Plus size={16} aria-hidden />}>
          New node
        </LinkButton>
      )}
    </>
  )
}

function ShowInPicture({ record }: PartProps) {
  const { id, status } = record as InfraNode
  const workspaceId = useWorkspaceId()
  if (status !== 'active') return null
  return (
    <LinkButton {...pictureOf(workspaceId, [id])} variant="default" leftSection={<Waypoints size={16} aria-hidden />}>
      Show in the picture
    </LinkButton>
  )
}

const isActive = (record: Row) => record.status === 'active'

const recordViews: Views = {
  lead: ShowInPicture,
  notice: Notice,
  presets: [
    {
      label: 'Keep it away',
      icon: EyeOff,
      input: { status: 'ignored' },
      done: 'It is ignored, and stays away.',
      isOffered: record => isActive(record) && record.source !== 'manual',
    },
    {
      label: 'Bring it back',
      input: { status: 'active' },
      done: 'It comes back with the next sync that sees it.',
      isOffered: ({ status }) => status === 'ignored',
    },
  ],
  acts: {
    del: {
      about:
        'One that was added by hand goes, with its edges. One that a source tells of is ignored, so that it stays away.',
    },
  },
  tabs: [
    { name: 'about', title: 'About', view: About },
    { name: 'neighbours', title: 'Neighbours', view: Neighbours, isShown: isActive },
    { name: 'path', title: 'Path', view: PathTo, isShown: isActive },
    { name: 'impact', title: 'Impact', view: ImpactTab, isShown: isActive },
    { name: 'telemetry', title: 'Telemetry', view: Telemetry, isShown: isActive },
    { name: 'changes', title: 'Changes', view: Changes },
  ],
}

/** `tiers` is a word that no id can be. */
function RecordOrTiers({ id }: { id: string }) {
  if (id === 'tiers') return <Tiers />
  return <RecordPage key={id} place={placeOfArea('cloud_infra') as Place} views={recordViews} id={id} />
}

export const views: Views = {
  ...recordViews,
  cells: { name: Name, tier: Tier, category: Category },
  actions: Actions,
  layouts: [{ name: 'picture', title: 'Picture', icon: Waypoints, view: Picture, isAlone: true }],
  record: RecordOrTiers,
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
