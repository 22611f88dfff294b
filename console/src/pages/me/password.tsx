// My password; changing it ends my other sessions.
import 'virtual:contract/auth'
import { Text } from '@mantine/core'
import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import { NewPassword } from '../../form/password.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'

const fields = [
  { name: 'oldPassword', label: 'Current password', autoComplete: 'current-password' },
  { name: 'newPassword', label: 'New password', input: NewPassword },
]

export function Password() {
  const [count, setCount] = useState(0)
  return (
    <Page title="Password" about="Your other sessions end when it changes; API keys stay." narrow>
      <Panel>
        <Form
          guard={UnsentGuard}
          key={count}
          id="auth.changePassword"
          fields={fields}
          label="Change the password"
          onDone={() => {
            setCount(before => before + 1)
            done('Your password is changed; your other sessions have ended.')
          }}
        >
          <Text size="sm">
            Forgot it? <LinkText to="/forgot">Reset it by mail</LinkText>
          </Text>
        </Form>
      </Panel>
    </Page>
  )
}
