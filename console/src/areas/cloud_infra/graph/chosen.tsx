// The node that is chosen in the picture: what it is, and what can be done from here.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { wordsOf } from '../../../format.ts'
import { LinkButton, LinkName } from '../../../parts/links.tsx'
import { Moment } from '../../../parts/moment.tsx'
import { Facts } from '../../../parts/table.tsx'
import { useWorkspaceId } from '../../../session.ts'
import { type Change, type InfraNode, nodeHref, tierColours } from '../node.ts'
import type { Picturing } from './look_of.ts'
import type { Health } from './reading.ts'

type ChosenProps = {
  node: InfraNode | undefined
  look: Picturing
  account: string | undefined
  health: Health | undefined
  change: Change | undefined
}

export function Chosen({ node, look, account, health, change }: ChosenProps) {
  const workspaceId = useWorkspaceId()
  if (!node) {
    return (
      <Text size="sm" c="dimmed">
        Choose a node to see what it is. Its + shows its neighbours; arrow keys go from node to node.
      </Text>
    )
  }
  const { id, name, type, region, tier, category, isStale } = node
  const isOpen = look.ids.includes(id)
  return (
    <Stack gap="xs" role="group" aria-label={`Chosen: ${name}`}>
      <LinkName to={nodeHref(workspaceId, id) as '/'} size="md" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </LinkName>
      <Facts
        label="The chosen node"
        width={90}
        facts={[
          ['Type', type],
          ['Category', wordsOf(category)],
          ['Account', account ?? 'None'],
          ['Region', region || 'None'],
          [
            'Tier',
            <Badge key="tier" color={tierColours[tier]}>
              {wordsOf(tier)}
            </Badge>,
          ],
          ...(health ? ([['Health', healthWords(health)]] as [string, string][]) : []),
          ...(change
            ? ([
                [
                  'Change',
                  <span key="change">
                    {wordsOf(change.kind)} <Moment at={change.at} />
                  </span>,
                ],
              ] as [string, React.ReactNode][])
            : []),
        ]}
      />
      {isStale && <Text size="sm">The last sync could not see it: it is shown as it was before.</Text>}
      <Group gap="xs">
        {isOpen ? (
          look.ids.length > 1 && (
            <Button size="xs" variant="default" onClick={() => look.close(id)}>
              Hide its neighbours
            </Button>
          )
        ) : (
          <Button size="xs" onClick={() => look.open(id)}>
            Show its neighbours
          </Button>
        )}
        {(look.ids.length > 1 || !isOpen) && (
          <Button size="xs" variant="default" onClick={() => look.begin(id)}>
            Begin here
          </Button>
        )}
        <LinkButton size="xs" variant="default" to={nodeHref(workspaceId, id) as '/'}>
          Open its page
        </LinkButton>
      </Group>
    </Stack>
  )
}

function healthWords({ requests, errorRate, p95Ms }: Health): string {
  const errors = errorRate === null ? '' : `, ${(errorRate * 100).toFixed(1)} % failed`
  const slow = p95Ms === null ? '' : `, 95 % within ${Math.round(p95Ms)} ms`
  return `${requests.toLocaleString('en')} requests in the last hour${errors}${slow}`
}
