// Which rights an account has beside those that syncs need: there, missing, too many; and the policy that gives just these.
import { Alert, Badge, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { CircleCheck, ShieldCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAct, useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Panel } from '../../parts/page.tsx'
import { useStanding } from '../../session.ts'
import type { Account, Rights } from './account.ts'

type Part = { title: string; names: readonly string[]; colour: string; about: string }

/** What calls for something to be done comes first. */
function partsOf({ missing, tooMany, unknown, present }: Rights): Part[] {
  const parts = [
    { title: 'Missing', names: missing, colour: 'red', about: 'Syncs need them: what they open is not seen.' },
    { title: 'Too many', names: tooMany, colour: 'orange', about: 'No sync needs them: take them away.' },
    { title: 'Not known', names: unknown, colour: 'gray', about: 'The provider does not tell whether it has them.' },
    { title: 'Present', names: present, colour: 'green', about: 'Syncs need them, and they are there.' },
  ]
  return parts.filter(({ names }) => names.length > 0)
}

function Summary({ rights: { missing, tooMany } }: { rights: Rights }) {
  const isRight = missing.length === 0 && tooMany.length === 0
  const Icon = isRight ? CircleCheck : TriangleAlert
  const words = [
    ...(missing.length > 0 ? [`${countOf(missing.length, 'right is', 'rights are')} missing`] : []),
    ...(tooMany.length > 0 ? [`${countOf(tooMany.length, 'right is', 'rights are')} too many`] : []),
  ]
  return (
    <Alert color={isRight ? 'green' : 'orange'} icon={<Icon size={18} aria-hidden />}>
      {isRight ? 'It has what syncs need, and nothing else that is known.' : `${words.join(', ')}.`}
    </Alert>
  )
}

export function RightsShown({ rights }: { rights: Rights }) {
  return (
    <Stack>
      <Summary rights={rights} />
      {partsOf(rights).map(({ title, names, colour, about }) => (
        <Stack key={title} gap={4} role="group" aria-label={title}>
          <Text size="sm" fw={600}>
            {title} ({names.length})
          </Text>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
          <Group gap={4} component="ul" className="atrium-plain-list">
            {names.map(name => (
              <li key={name}>
                <Badge color={colour} ff="monospace" maw="100%">
                  {name}
                </Badge>
              </li>
            ))}
          </Group>
        </Stack>
      ))}
    </Stack>
  )
}

function Policy({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{children ?? 'With this it may do what syncs need, and nothing else:'}</Text>
      <CopyBlock label="Policy" value={text} />
    </Stack>
  )
}

/** The last of its documents is the one that gives rights; the others say who has them. */
function usePolicy({ workspaceId, id }: Account): string | undefined {
  return useCall('cloud_accounts.setup', { workspaceId, id }).data?.documents.at(-1)?.text
}

export function RightsTab({ record }: { record: Row }) {
  const account = record as Account
  const { rights, workspaceId, id } = account
  const { may } = useStanding()
  const policy = usePolicy(account)
  const act = useAct('cloud_accounts.validate')
  const check = may('cloud_accounts.validate') && (
    <Button
      size="xs"
      variant="default"
      leftSection={<ShieldCheck size={14} aria-hidden />}
      loading={act.isPending}
      onClick={() => act.mutate({ workspaceId, id })}
    >
      {rights ? 'Check again' : 'Check now'}
    </Button>
  )
  return (
    <Stack>
      <Panel title="Rights" aside={check} about={rights && <CheckedAt at={rights.checkedAt} />}>
        <Stack>
          <Failure error={act.error} onRetry={act.again} />
          {act.data && !act.data.rights && <Unreached account={act.data} />}
          {rights ? (
            <RightsShown rights={rights} />
          ) : (
            <Empty
              icon={ShieldCheck}
              title="Not checked yet"
              text="The provider is asked which rights the account has, and they are compared with what syncs need."
            />
          )}
        </Stack>
      </Panel>
      {policy && (
        <Panel title="The policy to paste">
          <Policy text={policy} />
        </Panel>
      )}
    </Stack>
  )
}

function CheckedAt({ at }: { at: string }) {
  return (
    <>
      Checked <Moment at={at} />. Nothing was changed at the provider.
    </>
  )
}

/** It was asked in vain; or there was nothing to find out but that it can be read. */
function Unreached({ account: { lastError } }: { account: Pick<Account, 'lastError'> }) {
  return lastError ? (
    <Alert color="red" title="It could not be asked" icon={<TriangleAlert size={18} aria-hidden />}>
      {lastError.text}
    </Alert>
  ) : (
    <Alert color="green" icon={<CircleCheck size={18} aria-hidden />}>
      It can be read. Its provider knows no rights that could be too many.
    </Alert>
  )
}

/** From the button at the head of the page; the answer stays in the dialog. */
export function ValidateDialog({ record, onClose }: { record: Row; onClose: () => void }) {
  const { workspaceId, id, name } = record as Account
  const act = useAct('cloud_accounts.validate')
  return (
    <Modal opened onClose={onClose} title={`Validate ${name}`} size="lg">
      <Stack>
        {!act.data && <Text size="sm">The provider is asked what the account may do. Nothing is changed there.</Text>}
        <Failure error={act.error} onRetry={act.again} />
        {act.data && (
          <Stack role="status">
            {act.data.rights ? <RightsShown rights={act.data.rights} /> : <Unreached account={act.data} />}
            {act.data.policy && <Policy text={act.data.policy} />}
          </Stack>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button data-autofocus loading={act.isPending} onClick={() => act.mutate({ workspaceId, id })}>
            {act.data ? 'Validate again' : 'Validate'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
