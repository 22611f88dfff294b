// What would suffer if a node failed: open issues, owners, health, and what depends on it.
import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { useCall } from '../../api.ts'
import { indexedArea } from '../../contract.ts'
import { countOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { LinkName } from '../../parts/links.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Reference } from '../../table/reference.tsx'
import { useNames } from '../../table/references.ts'
import { type Impact, type InfraNode, nodeHref, tierColours } from './node.ts'

export function ImpactTab({ record }: { record: Row }) {
  const { id } = record as InfraNode
  const workspaceId = useWorkspaceId()
  const found = useCall('cloud_infra.nodes.impact', { workspaceId, id })
  return (
    <Loaded query={found}>
      {impact => {
        const names = new Map(impact.nodes.map(node => [node.id, node.name]))
        return (
          <Stack gap="lg">
            <Issues impact={impact} names={names} />
            <Owners owners={impact.owners} names={names} />
            <Health health={impact.health} names={names} />
            <Dependents impact={impact} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

type Names = ReadonlyMap<string, string>

const mostNamed = 3

function namesOf(ids: readonly string[], names: Names): string {
  const shown = ids.slice(0, mostNamed).map(id => names.get(id) ?? id)
  const rest = ids.length - shown.length
  return [...shown, ...(rest > 0 ? [countOf(rest, 'other')] : [])].join(', ')
}

const severities: Readonly<Record<string, string>> = { critical: 'red', high: 'orange', medium: 'yellow', low: 'gray' }

function Issues({ impact: { issues }, names }: { impact: Impact; names: Names }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  if (!may('issues.list')) return null
  return (
    <Panel title="Open issues" about="Of this node, and of what depends on it.">
      {issues.length === 0 ? (
        <Empty
          icon={CircleCheck}
          title="No open issues"
          text="An issue belongs here when its resources name one of these nodes."
        />
      ) : (
        <RowTable label="Open issues" heads={['Issue', 'Severity', 'Status', 'About']} minWidth={520} hasCards>
          {issues.map(({ id, title, severity, status, nodeIds }) => (
            <Table.Tr key={id}>
              <Table.Td data-label="Issue">
                <LinkName to={`/w/${workspaceId}/issues/${id}` as '/'}>{title}</LinkName>
              </Table.Td>
              <Table.Td data-label="Severity">
                <Badge color={severities[severity] ?? 'gray'}>{wordsOf(severity)}</Badge>
              </Table.Td>
              <Table.Td fz="sm" data-label="Status">
                {wordsOf(status)}
              </Table.Td>
              <Table.Td fz="sm" data-label="About">
                {namesOf(nodeIds, names)}
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
    </Panel>
  )
}

function Owners({ owners, names }: { owners: Impact['owners']; names: Names }) {
  const area = indexedArea('repositories')
  const ids = [...new Set(owners.flatMap(({ repositoryId }) => repositoryId ?? []))]
  const repositories = useNames(area ? [{ area, ids }] : [])
  return (
    <Panel title="Owners" about="Teams that nodes were given to, and whom CODEOWNERS files name for their paths.">
      {owners.length === 0 ? (
        <Text size="sm">Nobody is named. Give the node to a team under About.</Text>
      ) : (
        <RowTable label="Owners" heads={['Who', 'From', 'Of']} minWidth={420} hasCards>
          {owners.map(owner => (
            <Table.Tr key={`${owner.teamId} ${owner.codeowner} ${owner.repositoryId}`}>
              <Table.Td fz="sm" data-label="Who">
                {owner.teamId ? <OwnerName id={owner.teamId} /> : owner.codeowner}
              </Table.Td>
              <Table.Td fz="sm" data-label="From">
                {owner.repositoryId ? (
                  <Reference id={owner.repositoryId} name={repositories.get(owner.repositoryId) ?? 'CODEOWNERS'} />
                ) : (
                  'The team of the node'
                )}
              </Table.Td>
              <Table.Td fz="sm" data-label="Of">
                {namesOf(owner.nodeIds, names)}
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
    </Panel>
  )
}

function Health({ health, names }: { health: Impact['health']; names: Names }) {
  if (health.length === 0) return null
  return (
    <Panel title="Health in the last hour">
      <RowTable
        label="Health in the last hour"
        heads={['Node', 'Requests', 'Failed', '95 % within']}
        minWidth={420}
        hasCards
      >
        {health.map(({ nodeId, requests, errorRate, p95Ms }) => (
          <Table.Tr key={nodeId}>
            <Table.Td fz="sm" data-label="Node">
              {names.get(nodeId) ?? nodeId}
            </Table.Td>
            <Table.Td fz="sm" data-label="Requests">
              {requests.toLocaleString('en')}
            </Table.Td>
            <Table.Td fz="sm" data-label="Failed">
              {errorRate === null ? '–' : `${(errorRate * 100).toFixed(1)} %`}
            </Table.Td>
            <Table.Td fz="sm" data-label="95 % within">
              {p95Ms === null ? '–' : `${Math.round(p95Ms)} ms`}
            </Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
    </Panel>
  )
}

function Dependents({ impact: { dependents, tiers, truncated } }: { impact: Impact }) {
  const workspaceId = useWorkspaceId()
  const counts = (
    <Group gap={4}>
      {tiers.map(({ tier, count }) => (
        <Badge key={tier} color={tierColours[tier]}>
          {count} {tier}
        </Badge>
      ))}
    </Group>
  )
  return (
    <Panel
      title="What depends on it"
      about="Whatever points at it, and what it contains, up to six steps away."
      aside={counts}
    >
      {dependents.length === 0 ? (
        <Text size="sm">Nothing that is known.</Text>
      ) : (
        <Stack>
          {truncated && <Text size="sm">There is more than is shown here.</Text>}
          <RowTable label="What depends on it" heads={['Node', 'Type', 'Tier', 'Steps away']} minWidth={480} hasCards>
            {dependents.map(({ node, depth }) => (
              <Table.Tr key={node.id}>
                <Table.Td data-label="Node">
                  <LinkName to={nodeHref(workspaceId, node.id) as '/'}>{node.name}</LinkName>
                </Table.Td>
                <Table.Td fz="sm" data-label="Type">
                  {node.type}
                </Table.Td>
                <Table.Td data-label="Tier">
                  <Badge color={tierColours[node.tier]}>{wordsOf(node.tier)}</Badge>
                </Table.Td>
                <Table.Td fz="sm" data-label="Steps away">
                  {depth}
                </Table.Td>
              </Table.Tr>
            ))}
          </RowTable>
        </Stack>
      )}
    </Panel>
  )
}
