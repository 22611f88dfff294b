// A forgotten password: ask for a code, then set a new one with it.
import { TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useAct } from '../../api.ts'
import { bodyField, by, KeptForm, PasswordField, remark, useKeptForm } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { done } from '../../parts/toast.tsx'
import { Frame, MailboxHint } from './frame.tsx'
import { passwordHint } from './signup.tsx'
import { tidyCode } from './verify.tsx'

const backToLogin = <LinkText to="/login">Back to log-in</LinkText>
const checkEmail = by('auth.resetPassword', 'email')

export function Forgot() {
  const navigate = useNavigate()
  const act = useAct('auth.generatePasswordResetCode', {
    onDone: (_, { email }) => void navigate({ to: '/reset', search: { email } }),
  })
  const form = useKeptForm({ email: '' }, { email: checkEmail }, act.error)
  return (
    <Frame title="Reset your password" about="We mail you a code if the address has an account." below={backToLogin}>
      <KeptForm
        form={form}
        act={act}
        label="Mail me a code"
        isWide
        onSend={({ email }) => act.mutate({ email: email.trim() })}
      >
        <TextInput label="E-mail address" type="email" autoComplete="email" {...form.getInputProps('email')} />
      </KeptForm>
    </Frame>
  )
}

export function Reset() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { email?: string }
  const act = useAct('auth.resetPassword', {
    onDone: () => {
      done('Your password is set. Log in with it.')
      void navigate({ to: '/login' })
    },
  })
  const form = useKeptForm(
    { email: search.email ?? '', code: '', password: '' },
    {
      email: checkEmail,
      code: (text: string) => (text.length < 6 ? 'Enter the code from the mail' : null),
      password: (text: string) => remark(bodyField('auth.resetPassword', 'password'), text),
    },
    act.error,
  )
  return (
    <Frame title="Set a new password" about="Everyone who is logged in as you is logged out." below={backToLogin}>
      <KeptForm
        form={form}
        act={act}
        label="Set the password"
        isWide
        onSend={values => act.mutate({ ...values, email: values.email.trim() })}
      >
        <MailboxHint />
        <TextInput label="E-mail address" type="email" autoComplete="email" {...form.getInputProps('email')} />
        <TextInput
          label="Code"
          placeholder="XXXX-XXXX"
          autoComplete="one-time-code"
          {...form.getInputProps('code')}
          onChange={event => form.setFieldValue('code', tidyCode(event.currentTarget.value))}
        />
        <PasswordField
          label="New password"
          description={passwordHint}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
      </KeptForm>
    </Frame>
  )
}
