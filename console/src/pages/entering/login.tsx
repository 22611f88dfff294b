// Log in with an address or a username; the same form serves where a session ended in the middle of work.
import 'virtual:contract/auth'
import { Group } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Form } from '../../form/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { forgetEverything, goOnTo, type User } from '../../session.ts'
import { Frame } from './frame.tsx'

type LoginFormProps = { name?: string; onDone: (user: User) => void }

export function LoginForm({ name = '', onDone }: LoginFormProps) {
  return (
    <Form
      id="auth.login"
      label="Log in"
      isWide
      fields={[
        {
          name: 'name',
          label: 'E-mail address or username',
          schema: { type: 'string' },
          isNeeded: true,
          start: name,
          autoComplete: 'username',
          autoFocus: name === '',
        },
        { name: 'password', autoComplete: 'current-password', autoFocus: name !== '' },
      ]}
      toInput={input => {
        const typed = String(input.name)
        return { ...(typed.includes('@') ? { email: typed } : { username: typed }), password: input.password }
      }}
      onDone={result => onDone(result.user as User)}
    />
  )
}

export function LogIn() {
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const enter = () => {
    forgetEverything()
    goOnTo(next, navigate)
  }
  return (
    <Frame
      title="Log in"
      below={
        <>
          New here?{' '}
          <LinkText to="/signup" search={{ next }}>
            Sign up
          </LinkText>
        </>
      }
    >
      <LoginForm onDone={enter} />
      <Group justify="center" mt="md">
        <LinkText to="/forgot" search={{ next }} size="sm">
          Forgot your password?
        </LinkText>
      </Group>
    </Frame>
  )
}
