// Invite somebody by e-mail, or make a link that several may use.
import { Alert, Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { roles } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import type { FieldHint, FieldProps } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { wordsOf } from '../../format.ts'
import { CopyLine } from '../../parts/copy.tsx'
import { RecordMultiSelect } from '../../parts/record_select.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { settings } from '../../settings.ts'

export function InviteLink({ token }: { token: string }) {
  return <CopyLine value={`${settings.publicUrl}/invite#${token}`} label="Copy the link" />
}

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Invite to the workspace" size="lg">
      <InviteForm onClose={onClose} />
    </Modal>
  )
}

type Way = 'mail' | 'link'

function Teams({ field, value, onChange }: FieldProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const teams = useCall('teams.list', { workspaceId, perPage: 1 }, { enabled: may('teams.list') })
  if ((teams.data?.count ?? 0) === 0) return null
  return (
    <RecordMultiSelect
      label={field.label}
      areas={['teams']}
      value={value as string[]}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': 'Choose no team' }}
    />
  )
}

function fieldsBy(way: Way, isOwner: boolean): FieldHint[] {
  const offered = roles.filter(name => name !== 'owner' || isOwner)
  return [
    way === 'mail'
      ? { name: 'email', label: 'E-mail address', isNeeded: true, autoFocus: true }
      : { name: 'maxUses', label: 'How many people may use it' },
    {
      name: 'position',
      label: 'Role',
      start: 'member',
      choices: offered.map(value => ({ value, label: wordsOf(value) })),
    },
    { name: 'teamIds', label: 'Teams', start: [], input: Teams },
    { name: 'expiresInDays', label: 'Expires after (days)' },
  ]
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const { role } = useStanding()
  const [token, setToken] = useState('')
  const [way, setWay] = useState<Way>('mail')
  if (token) {
    return (
      <Stack>
        <Alert color="green" title={way === 'mail' ? 'The invite is sent' : 'The link is ready'}>
          <Text size="sm">
            {way === 'mail'
              ? 'The link is shown this once; you can also share it yourself.'
              : 'Nothing is mailed: copy the link and share it. It is shown this once.'}
          </Text>
        </Alert>
        <InviteLink token={token} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => setToken('')}>
            Invite another
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      <SegmentedControl
        aria-label="How to invite"
        value={way}
        onChange={value => setWay(value as Way)}
        data={[
          { value: 'mail', label: 'By e-mail' },
          { value: 'link', label: 'By a link' },
        ]}
      />
      <Form
        key={way}
        id="workspace_members.invites.post"
        fixed={{ workspaceId }}
        fields={fieldsBy(way, role === 'owner')}
        label={way === 'mail' ? 'Send the invite' : 'Make the link'}
        cancel={onClose}
        onDone={invite => {
          setToken(String(invite.token))
          if (invite.email) done(`An invite is on its way to ${String(invite.email)}.`)
        }}
      />
    </Stack>
  )
}
