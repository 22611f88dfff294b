// My profile: names, username, and the address with its pending change.
import 'virtual:contract/auth'
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { tidyCode } from '../../form/code.tsx'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Page, Panel, Rows } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { type User, useMe } from '../../session.ts'
import { MailboxHint } from '../entering/frame.tsx'

export function Profile() {
  const me = useMe()
  return (
    <Page title="Profile" about="How others see you, and where mail reaches you." narrow>
      {me ? (
        <Stack>
          <Names me={me} />
          <Email me={me} />
        </Stack>
      ) : (
        <Rows />
      )}
    </Page>
  )
}

const names = [
  { name: 'forename', autoComplete: 'given-name' },
  { name: 'surname', autoComplete: 'family-name' },
  { name: 'username', autoComplete: 'username', about: 'Optional; you can log in with it.' },
]

function Names({ me }: { me: User }) {
  return (
    <Panel title="Name">
      <Form
        guard={UnsentGuard}
        id="auth.patch"
        record={me}
        fields={names}
        touches={['workspace_members']}
        label="Save"
        onDone={() => done('Your profile is saved.')}
      />
    </Panel>
  )
}

const address = [{ name: 'email', label: 'E-mail address', autoComplete: 'email', isNeeded: true }]

function Email({ me }: { me: User }) {
  return (
    <Panel title="E-mail address" about="A new address counts once you enter the code that is mailed to it.">
      <Stack>
        {me.email && !me.emailVerified && <PendingEmail email={me.email} />}
        <Form
          guard={UnsentGuard}
          id="auth.patch"
          record={me}
          fields={address}
          label="Change the address"
          onDone={({ emailVerified }) =>
            done(emailVerified ? 'Your address is saved.' : 'A code is on its way to the new address.')
          }
        />
      </Stack>
    </Panel>
  )
}

/** Until the code comes, log-in and mail stay with the address that was proven before. */
function PendingEmail({ email }: { email: string }) {
  const [code, setCode] = useState('')
  const verify = useAct('auth.verifyEmail', {
    onDone: () => done('The new address is yours. Other sessions have ended.'),
  })
  const again = useAct('auth.resendVerification', { onDone: ({ message }) => done(message) })
  return (
    <Alert color="yellow" title={`${email} waits for its code`}>
      <form
        onSubmit={event => {
          event.preventDefault()
          verify.mutate({ email, code })
        }}
      >
        <Stack gap="sm">
          <Text size="sm">Until then you log in, and others reach you, as before.</Text>
          <MailboxHint />
          <Group align="flex-end" gap="xs">
            <TextInput
              label="Code"
              autoComplete="one-time-code"
              value={code}
              onChange={event => setCode(tidyCode(event.currentTarget.value))}
            />
            <Button type="submit" loading={verify.isPending} disabled={code.length < 6}>
              Confirm
            </Button>
            <Button variant="default" loading={again.isPending} onClick={() => again.mutate({ email })}>
              Send again
            </Button>
          </Group>
          <Failure error={verify.error ?? again.error} />
        </Stack>
      </form>
    </Alert>
  )
}
