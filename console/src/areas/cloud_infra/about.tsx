// What a node is: who cares about it, changed in its place; and the facts, which its source tells.
import { Alert, Badge, Grid, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../api.ts'
import { indexedArea } from '../../contract.ts'
import type { FieldHint } from '../../form/field.ts'
import { wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { CopyFact } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { LabelPicker } from '../../parts/label_picker.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { type Choice, Picker } from '../../parts/picker.tsx'
import { useRecordChoices } from '../../parts/record_choices.ts'
import { Json } from '../../parts/render.tsx'
import { Facts } from '../../parts/table.tsx'
import { EditPanel } from '../../record/edit_panel.tsx'
import { useStanding } from '../../session.ts'
import { Reference } from '../../table/reference.tsx'
import { useNames } from '../../table/references.ts'
import { TagsInput } from './fields.tsx'
import { type InfraNode, tierColours } from './node.ts'

/** Why it is not in the graph, or not as fresh as the rest. */
export function Notice({ record }: { record: Row }) {
  const { status, isStale, lastSeen } = record as InfraNode
  if (status === 'missing') {
    return (
      <Alert color="orange" title="It is missing">
        Its source no longer has it. It was last seen <Moment at={lastSeen} />, and is shown as it was then.
      </Alert>
    )
  }
  if (status === 'ignored') {
    return (
      <Alert color="gray">It is ignored: somebody deleted it, and syncs leave it away. Bring it back from More.</Alert>
    )
  }
  return isStale && <Alert color="yellow">The last sync could not see it: it is shown as it was before.</Alert>
}

export function About({ record }: { record: Row }) {
  const node = record as InfraNode
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="lg">
          <NodeFacts node={node} />
          <Properties node={node} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <WhoCares key={node.id} node={node} />
      </Grid.Col>
    </Grid>
  )
}

const edited: readonly FieldHint[] = [
  { name: 'name', isNeeded: true },
  { name: 'category', isNeeded: true },
  { name: 'tags', input: TagsInput },
  { name: 'properties', label: 'Properties (JSON)' },
]

const sources: Readonly<Record<InfraNode['source'], string>> = {
  sync: 'By syncs of its account',
  manual: 'By hand',
  telemetry: 'By telemetry',
  push: 'By snapshots that are sent',
}

/** What a source tells is changed there; only what was added by hand is edited here. */
function NodeFacts({ node }: { node: InfraNode }) {
  const { may } = useStanding()
  const { workspaceId, id, accountId } = node
  const area = indexedArea('cloud_accounts')
  const account = useNames(area && accountId ? [{ area, ids: [accountId] }] : []).get(accountId ?? '')
  const facts: [string, ReactNode][] = [
    ['Type', node.type],
    ['Category', wordsOf(node.category)],
    ['Provider', wordsOf(node.provider)],
    ['Account', account ? <Reference key="account" id={accountId ?? ''} name={account} /> : 'None'],
    ['Region', node.region || 'None'],
    ['Called there', <CopyFact isWhole key="external" value={node.externalId} label="Copy what it is called there" />],
    ['Known', sources[node.source]],
    ['Tags', <Tags key="tags" tags={node.tags} />],
    ['First seen', <Moment key="first" at={node.firstSeen} />],
    ['Last seen', <Moment key="last" at={node.lastSeen} />],
    ['ID', <CopyFact isWhole key="id" value={id} />],
  ]
  return (
    <EditPanel
      title="Facts"
      id="cloud_infra.nodes.patch"
      fixed={{ workspaceId, id }}
      record={node}
      fields={edited}
      mayEdit={may('cloud_infra.nodes.patch') && node.source === 'manual'}
    >
      <Facts label="Facts" width={120} facts={facts} />
    </EditPanel>
  )
}

function Tags({ tags }: { tags: InfraNode['tags'] }) {
  const all = Object.entries(tags)
  if (all.length === 0) return 'None'
  return (
    <Group gap={4}>
      {all.map(([name, value]) => (
        <Badge key={name} color="gray" maw="100%">
          {value === '' ? name : `${name}=${value}`}
        </Badge>
      ))}
    </Group>
  )
}

function Properties({ node: { properties } }: { node: InfraNode }) {
  return (
    <Panel
      title="Properties"
      about="What looks like a secret or an address of a person is taken out before it is kept."
    >
      {Object.keys(properties).length === 0 ? <Text size="sm">None</Text> : <Json value={properties} open={3} />}
    </Panel>
  )
}

type Property = 'tier' | 'team' | 'labels'
const byRules = 'rules'
const nobody = 'nobody'

function WhoCares({ node }: { node: InfraNode }) {
  const { may } = useStanding()
  const { workspaceId, id, tier, tierSource } = node
  const act = useAct('cloud_infra.nodes.patch')
  const [open, setOpen] = useState<Property | null>(null)
  const shared = (name: Property) => ({
    isLocked: !may('cloud_infra.nodes.patch'),
    isOpen: open === name,
    onOpen: (isOpen: boolean) => setOpen(isOpen ? name : null),
  })
  const tiers: Choice[] = [
    ...Object.keys(tierColours).map(value => ({ value, label: wordsOf(value) })),
    { value: byRules, label: 'By the rules' },
  ]
  return (
    <Panel title="Who cares" padding="md">
      <Stack gap={2}>
        <Picker
          {...shared('tier')}
          label="Tier"
          choices={tiers}
          value={tierSource === 'auto' ? byRules : tier}
          onPick={value =>
            act.mutate({ workspaceId, id, tier: value === byRules ? null : (value as InfraNode['tier']) })
          }
        >
          <Badge color={tierColours[tier]}>{wordsOf(tier)}</Badge>
          <Text size="xs">{tierSource === 'auto' ? 'By the rules' : 'By hand'}</Text>
        </Picker>
        <Team node={node} shared={shared('team')} set={teamId => act.mutate({ workspaceId, id, teamId })} />
        <LabelPicker
          {...shared('labels')}
          ids={node.labels}
          onChange={labels => act.mutate({ workspaceId, id, labels })}
        />
        <Failure error={act.error} onRetry={act.again} />
      </Stack>
      <Facts label="More about it" width={94} facts={[['Owner', <OwnerName key="owner" id={node.ownerId} />]]} />
    </Panel>
  )
}

type TeamProps = {
  node: InfraNode
  shared: { isLocked: boolean; isOpen: boolean; onOpen: (isOpen: boolean) => void }
  set: (id: string | null) => void
}

function Team({ node: { teamId }, shared, set }: TeamProps) {
  const [words, setWords] = useState('')
  const { offered } = useRecordChoices(['teams'], words, { first: [{ value: nobody, label: 'Nobody' }] })
  return (
    <Picker
      {...shared}
      label="Team"
      choices={offered}
      onWords={setWords}
      value={teamId ?? nobody}
      onPick={id => set(id === nobody ? null : id)}
    >
      <OwnerName id={teamId} />
    </Picker>
  )
}
