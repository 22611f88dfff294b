// My password; changing it ends my other sessions.
import { Text } from '@mantine/core'
import { useAct } from '../../api.ts'
import { bodyField, KeptForm, PasswordField, remark, useKeptForm } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { passwordHint } from '../entering/signup.tsx'

export function Password() {
  const act = useAct('auth.changePassword', {
    onDone: () => {
      form.reset()
      done('Your password is changed; your other sessions have ended.')
    },
  })
  const form = useKeptForm(
    { oldPassword: '', newPassword: '' },
    {
      oldPassword: (text: string) => (text ? null : 'This is needed'),
      newPassword: (text: string) => remark(bodyField('auth.changePassword', 'newPassword'), text),
    },
    act.error,
  )
  return (
    <Page title="Password" about="Your other sessions end when it changes; API keys stay." narrow>
      <Panel>
        <KeptForm form={form} act={act} label="Change the password" onSend={values => act.mutate(values)}>
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps('oldPassword')}
          />
          <PasswordField
            label="New password"
            description={passwordHint}
            autoComplete="new-password"
            {...form.getInputProps('newPassword')}
          />
          <Text size="sm">
            Forgot it? <LinkText to="/forgot">Reset it by mail</LinkText>
          </Text>
        </KeptForm>
      </Panel>
    </Page>
  )
}
