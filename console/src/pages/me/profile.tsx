// My profile: names, username, and the address with its pending change.
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { bodyField, by, KeptForm, remark, useKeptForm } from '../../parts/form.tsx'
import { Page, Panel, Rows } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { type User, useMe } from '../../session.ts'
import { MailboxHint } from '../entering/frame.tsx'
import { tidyCode } from '../entering/verify.tsx'

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

const optional = (field: string) => (text: string) => (text ? remark(bodyField('auth.patch', field), text) : null)

function Names({ me }: { me: User }) {
  const act = useAct('auth.patch', { touches: ['workspace_members'], onDone: () => done('Your profile is saved.') })
  const form = useKeptForm(
    { forename: me.forename, surname: me.surname ?? '', username: me.username ?? '' },
    { forename: optional('forename'), surname: optional('surname'), username: usernameRemark },
    act.error,
  )
  return (
    <Panel title="Name">
      <KeptForm
        form={form}
        act={act}
        label="Save"
        onSend={({ forename, surname, username }) =>
          act.mutate({
            forename: forename.trim(),
            surname: surname.trim() || null,
            username: username.trim() || null,
          })
        }
      >
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput label="Forename" autoComplete="given-name" miw={160} {...form.getInputProps('forename')} />
          <TextInput label="Surname" autoComplete="family-name" miw={160} {...form.getInputProps('surname')} />
        </Group>
        <TextInput
          label="Username"
          description="Optional; you can log in with it"
          autoComplete="username"
          {...form.getInputProps('username')}
        />
      </KeptForm>
    </Panel>
  )
}

function usernameRemark(text: string): string | null {
  if (!text || /^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$/.test(text)) return null
  return `Use ${bodyField('auth.patch', 'username')['x-hint'] ?? 'letters and digits'}`
}

function Email({ me }: { me: User }) {
  const act = useAct('auth.patch', {
    onDone: ({ emailVerified }) =>
      done(emailVerified ? 'Your address is saved.' : 'A code is on its way to the new address.'),
  })
  const form = useKeptForm({ email: me.email ?? '' }, { email: by('auth.signup', 'email') }, act.error)
  return (
    <Panel title="E-mail address" about="A new address counts once you enter the code that is mailed to it.">
      <Stack>
        {me.email && !me.emailVerified && <PendingEmail email={me.email} />}
        <KeptForm
          form={form}
          act={act}
          label="Change the address"
          isReady={form.values.email.trim() !== me.email}
          onSend={({ email }) => act.mutate({ email: email.trim() })}
        >
          <TextInput label="E-mail address" type="email" autoComplete="email" {...form.getInputProps('email')} />
        </KeptForm>
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
              placeholder="XXXX-XXXX"
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
