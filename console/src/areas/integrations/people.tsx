// Who presses the buttons in Slack: members link their account there, and what it presses is done in their name.
import { Alert, Button, Stack, Table, Text } from '@mantine/core'
import { Link2, Unlink } from 'lucide-react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { Form } from '../../form/form.tsx'
import { type Row, useAll } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding } from '../../session.ts'
import type { Integration } from './catalog.ts'

type Person = ItemOf<'integrations.people.list'>

export function People({ record }: { record: Row }) {
  const { workspaceId, id, config } = record as Integration
  const me = useMe()
  const found = useAll<Person>('integrations.people.list', { workspaceId, id })
  return (
    <Panel
      title="People"
      about="Buttons in Slack act in the name of the member who is linked to the account that presses them, with their rights."
    >
      <Loaded query={found}>
        {({ items }) => (
          <Stack>
            {config.buttons !== true && (
              <Alert color="yellow">Messages have no buttons yet: switch Buttons on under About.</Alert>
            )}
            <Own integration={record as Integration} own={items.find(({ userId }) => userId === me?.id)} />
            {items.length === 0 ? (
              <Empty icon={Link2} title="Nobody is linked" text="Until then, pressing a button does nothing." />
            ) : (
              <Linked people={items} />
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

const fields = [
  {
    name: 'externalId',
    label: 'Your member ID in Slack',
    about: 'There, open your profile, then ⋮, then Copy member ID.',
  },
]

function Own({ integration: { workspaceId, id }, own }: { integration: Integration; own: Person | undefined }) {
  return (
    <Stack gap="xs">
      {own && <Text size="sm">Your account is linked. Another ID takes its place.</Text>}
      <Form
        key={own?.externalId}
        id="integrations.people.put"
        fixed={{ workspaceId, id }}
        fields={fields}
        label={own ? 'Replace' : 'Link my account'}
        onDone={() => done('Your account is linked: buttons that you press there act in your name.')}
      />
    </Stack>
  )
}

function Linked({ people }: { people: readonly Person[] }) {
  const me = useMe()
  const { may } = useStanding()
  const unlink = useAct('integrations.people.del', { onDone: () => done('The link is taken back.') })
  return (
    <>
      <Failure error={unlink.error} onRetry={unlink.again} />
      <RowTable label="Linked accounts" heads={['Member', 'Member ID in Slack', 'Linked', 'Actions']} minWidth={420}>
        {people.map(({ workspaceId, integrationId, userId, externalId, created }) => (
          <Table.Tr key={userId}>
            <Table.Td>
              <OwnerName id={userId} />
            </Table.Td>
            <Table.Td ff="monospace" fz="sm">
              {externalId}
            </Table.Td>
            <Table.Td>
              <Moment at={created} />
            </Table.Td>
            <Table.Td ta="end">
              {(userId === me?.id || may('integrations.people.del')) && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<Unlink size={14} aria-hidden />}
                  aria-label={`Unlink ${externalId}`}
                  loading={unlink.isPending && unlink.variables?.userId === userId}
                  onClick={() => unlink.mutate({ workspaceId, id: integrationId, userId })}
                >
                  Unlink
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
    </>
  )
}
