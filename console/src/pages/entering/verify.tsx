// Prove an address: paste or type the code from the mail.
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { isWholeCode, tidyCode } from '../../form/code.tsx'
import { Sending } from '../../form/sending.tsx'
import { LinkText } from '../../parts/links.tsx'
import { done } from '../../parts/toast.tsx'
import { forgetEverything, goOnTo } from '../../session.ts'
import { Frame, MailboxHint } from './frame.tsx'
import { dropInvite, keptInvite } from './invite_token.ts'

export function Verify() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { email?: string; next?: string }
  const [email, setEmail] = useState(search.email ?? '')
  const [code, setCode] = useState('')
  const verify = useAct('auth.verifyEmail', {
    onDone: () => {
      forgetEverything()
      const wasInvited = keptInvite() !== ''
      dropInvite()
      done('Your address is verified.')
      goOnTo(wasInvited ? '/?newest=true' : search.next, navigate)
    },
  })
  const resend = useAct('auth.resendVerification', { onDone: ({ message }) => done(message) })
  const submit = (text: string) => verify.mutate({ email: email.trim(), code: text })
  return (
    <Frame
      title="Verify your address"
      about={search.email ? `We mailed a code to ${search.email}.` : 'Enter the code from the mail.'}
      below={<LinkText to="/">Later</LinkText>}
    >
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault()
          submit(code)
        }}
      >
        <Stack>
          {!search.email && (
            <TextInput
              label="E-mail address"
              type="email"
              autoComplete="email"
              value={email}
              onChange={event => setEmail(event.currentTarget.value)}
            />
          )}
          <TextInput
            label="Code"
            value={code}
            autoFocus={search.email !== undefined}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '.12em' } }}
            onChange={event => setCode(tidyCode(event.currentTarget.value))}
            onPaste={event => {
              const pasted = tidyCode(event.clipboardData.getData('text'))
              if (!isWholeCode(pasted) || !email) return
              event.preventDefault()
              setCode(pasted)
              submit(pasted)
            }}
          />
          <MailboxHint />
          <Sending
            act={{ isPending: verify.isPending, error: verify.error ?? resend.error }}
            label="Verify"
            isReady={code.length >= 6 && email !== ''}
            isWide
          />
          <Group justify="center">
            <Button
              variant="subtle"
              size="xs"
              loading={resend.isPending}
              disabled={!email}
              onClick={() => resend.mutate({ email: email.trim() })}
            >
              Send a new code
            </Button>
          </Group>
        </Stack>
      </form>
    </Frame>
  )
}
