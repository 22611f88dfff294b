// Log in with an address or a username; the same form serves where a session ended in the middle of work.
import { Group, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useAct } from '../../api.ts'
import { KeptForm, PasswordField, useKeptForm } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { forgetEverything, safeNext, type User } from '../../session.ts'
import { Frame } from './frame.tsx'

type LoginFormProps = { name?: string; onDone: (user: User) => void }

const needed = (text: string) => (text.trim() ? null : 'This is needed')

export function LoginForm({ name = '', onDone }: LoginFormProps) {
  const act = useAct('auth.login', { onDone: ({ user }) => onDone(user) })
  const form = useKeptForm({ name, password: '' }, { name: needed, password: needed }, act.error)
  return (
    <KeptForm
      form={form}
      act={act}
      label="Log in"
      isWide
      onSend={values => {
        const typed = values.name.trim()
        act.mutate({ ...(typed.includes('@') ? { email: typed } : { username: typed }), password: values.password })
      }}
    >
      <TextInput label="E-mail address or username" autoComplete="username" {...form.getInputProps('name')} />
      <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
    </KeptForm>
  )
}

export function LogIn() {
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const enter = () => {
    forgetEverything()
    const after = safeNext(next)
    // The server's own pages are no routes of the console.
    if (/^\/(oauth|docs|dev)\b/.test(after)) window.location.assign(after)
    else void navigate({ href: after })
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
        <LinkText to="/forgot" size="sm">
          Forgot your password?
        </LinkText>
      </Group>
    </Frame>
  )
}
