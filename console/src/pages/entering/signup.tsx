// Sign up: an address and a password; an invite that brought the person here goes along.
import 'virtual:contract/auth'
import { Alert } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import { NewPassword } from '../../form/password.tsx'
import { LinkText } from '../../parts/links.tsx'
import { forgetEverything, goOnTo, safeNext, type User } from '../../session.ts'
import { settings } from '../../settings.ts'
import { BotCheck } from './bot_check.tsx'
import { Frame } from './frame.tsx'
import { keptInvite } from './invite_token.ts'

const fields = [
  { name: 'email', label: 'E-mail address', autoComplete: 'email', autoFocus: true },
  { name: 'password', label: 'Password', input: NewPassword },
]

export function SignUp() {
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const [turnstileToken, setTurnstileToken] = useState('')
  const inviteToken = keptInvite()
  const enter = (user: User) => {
    forgetEverything()
    const after = safeNext(next)
    if (user.emailVerified) goOnTo(inviteToken ? '/invite' : after, navigate)
    else void navigate({ to: '/verify', search: { email: user.email ?? '', next: after } })
  }
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
        <>
          {inviteToken && (
            <Alert color="iris" mb="md">
              The invite is taken once your address is verified.
            </Alert>
          )}
          <Form
            id="auth.signup"
            fields={fields}
            fixed={{ ...(inviteToken && { inviteToken }), ...(turnstileToken && { turnstileToken }) }}
            label="Sign up"
            isWide
            onDone={result => enter(result.user as User)}
          >
            {settings.turnstileSiteKey && <BotCheck siteKey={settings.turnstileSiteKey} onToken={setTurnstileToken} />}
          </Form>
        </>
      )}
    </Frame>
  )
}
