// My password; changing it ends my other sessions.
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useAct } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { bodyField, remark, useKeptForm } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { passwordHint } from '../entering/signup.tsx'

const toggle = { 'aria-label': 'Show or hide the password' }

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
        <form
          noValidate
          onSubmit={form.onSubmit(
            values => act.mutate(values),
            errors => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
          )}
        >
          <Stack>
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              visibilityToggleButtonProps={toggle}
              {...form.getInputProps('oldPassword')}
            />
            <PasswordInput
              label="New password"
              description={passwordHint}
              autoComplete="new-password"
              visibilityToggleButtonProps={toggle}
              {...form.getInputProps('newPassword')}
            />
            <Failure error={act.error} />
            <Group justify="space-between">
              <Text size="sm">
                Forgot it? <LinkText to="/forgot">Reset it by mail</LinkText>
              </Text>
              <Button type="submit" loading={act.isPending}>
                Change the password
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Page>
  )
}
