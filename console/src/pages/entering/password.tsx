// A forgotten password: ask for a code, then set a new one with it.
import 'virtual:contract/auth'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { CodeField } from '../../form/code.tsx'
import type { FieldHint } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { NewPassword } from '../../form/password.tsx'
import { LinkText } from '../../parts/links.tsx'
import { done } from '../../parts/toast.tsx'
import { Frame, MailboxHint } from './frame.tsx'

/** Where the person was going stays known through the whole of it. */
function useNext(): { next?: string } {
  const { next } = useSearch({ strict: false }) as { next?: string }
  return next === undefined ? {} : { next }
}

function BackToLogin() {
  const next = useNext()
  return (
    <LinkText to="/login" search={next}>
      Back to log-in
    </LinkText>
  )
}

const email: FieldHint = { name: 'email', label: 'E-mail address', autoComplete: 'email', autoFocus: true }
const emailOnly = [email]

export function Forgot() {
  const navigate = useNavigate()
  const next = useNext()
  return (
    <Frame
      title="Reset your password"
      about="We mail you a code if the address has an account."
      below={<BackToLogin />}
    >
      <Form
        id="auth.generatePasswordResetCode"
        fields={emailOnly}
        label="Mail me a code"
        isWide
        onDone={(_, input) => void navigate({ to: '/reset', search: { email: String(input.email), ...next } })}
      />
    </Frame>
  )
}

export function Reset() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { email?: string }
  const next = useNext()
  const fields = useMemo<FieldHint[]>(
    () => [
      { ...email, start: search.email ?? '', autoFocus: !search.email },
      { name: 'code', input: CodeField, autoFocus: Boolean(search.email) },
      { name: 'password', label: 'New password', input: NewPassword },
    ],
    [search.email],
  )
  return (
    <Frame title="Set a new password" about="Everyone who is logged in as you is logged out." below={<BackToLogin />}>
      <MailboxHint />
      <Form
        id="auth.resetPassword"
        fields={fields}
        label="Set the password"
        isWide
        onDone={() => {
          done('Your password is set. Log in with it.')
          void navigate({ to: '/login', search: next })
        }}
      />
    </Frame>
  )
}
