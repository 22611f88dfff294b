// Sign up: an address and a password; an invite that brought the person here goes along.
import { Alert, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { bodyField, by, KeptForm, PasswordField, remark, useKeptForm } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { forgetEverything, safeNext } from '../../session.ts'
import { settings } from '../../settings.ts'
import { BotCheck } from './bot_check.tsx'
import { Frame } from './frame.tsx'
import { keptInvite } from './invite_token.ts'

export const passwordHint = `At least 8 characters: ${bodyField('auth.signup', 'password')['x-hint']}.`

export function SignUp() {
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const [turnstileToken, setTurnstileToken] = useState('')
  const inviteToken = keptInvite()
  const act = useAct('auth.signup', {
    onDone: ({ user }) => {
      forgetEverything()
      const after = safeNext(next)
      if (user.emailVerified) void navigate({ href: inviteToken ? '/invite' : after })
      else void navigate({ to: '/verify', search: { email: user.email ?? '', next: after } })
    },
  })
  const form = useKeptForm(
    { email: '', password: '' },
    {
      email: by('auth.signup', 'email'),
      password: (text: string) => remark(bodyField('auth.signup', 'password'), text),
    },
    act.error,
  )
  const isClosed = settings.signups !== 'open' && !inviteToken
  return (
    <Frame
      title="Create your account"
      about="A workspace of your own comes with it."
      below={
        <>
          Already here?{' '}
          <LinkText to="/login" search={{ next }}>
            Log in
          </LinkText>
        </>
      }
    >
      {isClosed ? (
        <Alert color="yellow" title="Sign-up is by invitation">
          Ask a member of a workspace to invite you; the link in the mail leads you in.
        </Alert>
      ) : (
        <KeptForm
          form={form}
          act={act}
          label="Sign up"
          isWide
          onSend={({ email, password }) =>
            act.mutate({
              email: email.trim(),
              password,
              ...(inviteToken && { inviteToken }),
              ...(turnstileToken && { turnstileToken }),
            })
          }
        >
          {inviteToken && <Alert color="iris">The invite is taken once your address is verified.</Alert>}
          <TextInput label="E-mail address" type="email" autoComplete="email" {...form.getInputProps('email')} />
          <PasswordField
            label="Password"
            description={passwordHint}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          {settings.turnstileSiteKey && <BotCheck siteKey={settings.turnstileSiteKey} onToken={setTurnstileToken} />}
        </KeptForm>
      )}
    </Frame>
  )
}
