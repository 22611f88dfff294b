// What the platform knows about me, to take along; and the end of my account.
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { call, useAct } from '../../api.ts'
import { countOf } from '../../format.ts'
import { Confirm, EndButton } from '../../parts/confirm.tsx'
import { saveFile } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { forgetEverything, provenName, useMe, useWorkspaces } from '../../session.ts'

export function Privacy() {
  return (
    <Page title="Privacy" about="Your own records, and the end of your account." narrow>
      <Export />
      <Ending />
    </Page>
  )
}

function Export() {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const take = async () => {
    setIsBusy(true)
    setError(null)
    try {
      const everything = await call('auth.export', {})
      saveFile('atrium-export.json', 'application/json', [JSON.stringify(everything, null, 2)])
      done('The export is downloaded.')
    } catch (failure) {
      setError(failure)
    }
    setIsBusy(false)
  }
  return (
    <Panel title="Export my records" about="Profile, settings, sessions, memberships, keys and activity, as JSON.">
      <Stack>
        <Failure error={error} />
        <Group>
          <Button
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
            onClick={() => void take()}
            loading={isBusy}
          >
            Download
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}

function Ending() {
  const me = useMe()
  const navigate = useNavigate()
  const [isAsking, asking] = useDisclosure(false)
  const { data } = useWorkspaces()
  const owned = data?.items.filter(({ ownerId }) => ownerId === me?.id) ?? []
  const act = useAct('auth.del', {
    onDone: () => {
      forgetEverything()
      done('Your account is deleted.')
      void navigate({ to: '/signup' })
    },
  })
  return (
    <Panel title="Delete my account" about="At once and for good.">
      <EndButton onClick={asking.open}>Delete my account</EndButton>
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="Delete your account?"
        label="Delete my account"
        act={act}
        onAct={() => act.mutate({})}
        typed={provenName(me) || 'delete my account'}
      >
        <Text size="sm" mb="xs">
          This cannot be taken back. These go:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>your profile, sessions, settings and the applications you let in</List.Item>
          <List.Item>every API key you own, from the next request on</List.Item>
          <List.Item>your place in {countOf(data?.count ?? 0, 'workspace')}</List.Item>
          {owned.length > 0 && (
            <List.Item>
              of those you own ({owned.map(({ name }) => name).join(', ')}), the ones where nobody else is left; the
              others pass to their longest-standing admin or member
            </List.Item>
          )}
        </List>
      </Confirm>
    </Panel>
  )
}
