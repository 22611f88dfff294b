// Invite somebody by mail, or make a link that several may use.
import {
  Alert,
  Button,
  Group,
  Modal,
  MultiSelect,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { type Role, roles } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { CopyLine } from '../../parts/copy.tsx'
import { by, KeptForm, useKeptForm, WholeField } from '../../parts/form.tsx'
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

function InviteForm({ onClose }: { onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const { role: mine, can } = useStanding()
  const [token, setToken] = useState('')
  const [way, setWay] = useState<'mail' | 'link'>('mail')
  const teams = useCall('teams.list', { workspaceId, perPage: 100 }, { enabled: can('teams:read') })
  const act = useAct('workspace_members.invites.post', {
    onDone: invite => {
      setToken(invite.token)
      if (invite.email) done(`An invite is on its way to ${invite.email}.`)
    },
  })
  const form = useKeptForm(
    { email: '', position: 'member' as Role, teamIds: [] as string[], maxUses: 1, expiresInDays: 7 },
    {
      email: (text: string) => (way === 'link' ? null : by('auth.signup', 'email')(text)),
    },
    act.error,
  )
  if (token) {
    return (
      <Stack>
        <Alert color="green" title={way === 'mail' ? 'The invite is mailed' : 'The link is ready'}>
          <Text size="sm">The link is shown this once; you can also share it yourself.</Text>
        </Alert>
        <InviteLink token={token} />
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            onClick={() => {
              setToken('')
              form.setFieldValue('email', '')
            }}
          >
            Invite another
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )
  }
  const offered = roles.filter(name => name !== 'owner' || mine === 'owner')
  return (
    <KeptForm
      form={form}
      act={act}
      label={way === 'mail' ? 'Send the invite' : 'Make the link'}
      cancel={onClose}
      onSend={({ email, maxUses, ...rest }) =>
        act.mutate({ workspaceId, ...rest, ...(way === 'mail' ? { email: email.trim() } : { maxUses }) })
      }
    >
      <SegmentedControl
        aria-label="How to invite"
        value={way}
        onChange={value => setWay(value as 'mail' | 'link')}
        data={[
          { value: 'mail', label: 'By mail' },
          { value: 'link', label: 'By a link' },
        ]}
      />
      {way === 'mail' ? (
        <TextInput label="E-mail address" type="email" data-autofocus {...form.getInputProps('email')} />
      ) : (
        <WholeField label="How many may use it" min={1} max={100} {...form.getInputProps('maxUses')} />
      )}
      <Select
        label="Role"
        allowDeselect={false}
        data={offered.map(value => ({ value, label: wordsOf(value) }))}
        {...form.getInputProps('position')}
      />
      {(teams.data?.items.length ?? 0) > 0 && (
        <MultiSelect
          label="Teams"
          data={teams.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          clearButtonProps={{ 'aria-label': 'Choose no team' }}
          {...form.getInputProps('teamIds')}
        />
      )}
      <WholeField label="Good for (days)" min={1} max={30} {...form.getInputProps('expiresInDays')} />
    </KeptForm>
  )
}
