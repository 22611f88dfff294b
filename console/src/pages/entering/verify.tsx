// Prove an address: paste or type the code from the mail.
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { Sending } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { done } from '../../parts/toast.tsx'
import { forgetEverything, safeNext } from '../../session.ts'
import { Frame, MailboxHint } from './frame.tsx'
import { dropInvite, keptInvite } from './invite_token.ts'

const codeLength = 8

/** Upper case, no stray characters, a hyphen in the middle: as it stands in the mail. */
export function tidyCode(text: string): string {
  const bare = text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .slice(0, codeLength)
  return bare.length > 4 ? `${bare.slice(0, 4)}-${bare.slice(4)}` : bare
}

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
      void navigate({ href: wasInvited ? '/?newest=true' : safeNext(search.next) })
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
            placeholder="XXXX-XXXX"
            value={code}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '.12em' } }}
            onChange={event => setCode(tidyCode(event.currentTarget.value))}
            onPaste={event => {
              const pasted = tidyCode(event.clipboardData.getData('text'))
              if (pasted.length <= codeLength || !email) return
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
