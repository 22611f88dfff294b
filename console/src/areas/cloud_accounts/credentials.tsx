// Which credentials an account has; they are never shown, and replaced all at once.
import { Button, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import { Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { Account, Provider } from './account.ts'
import { inputs } from './inputs.tsx'
import { credentialFields, gathered, labelOfField } from './provider_fields.ts'

type CredentialsProps = { account: Account; provider: Provider }

export function Credentials({ account, provider }: CredentialsProps) {
  const { may } = useStanding()
  const [isReplacing, setIsReplacing] = useState(false)
  const { workspaceId, id, secretsSet } = account
  const fields = useMemo(() => credentialFields(provider, inputs), [provider])
  const close = () => setIsReplacing(false)
  const replace = may('cloud_accounts.patch') && !isReplacing && (
    <Button
      size="xs"
      variant="default"
      leftSection={<KeyRound size={14} aria-hidden />}
      onClick={() => setIsReplacing(true)}
    >
      {secretsSet.length > 0 ? 'Replace' : 'Add'}
    </Button>
  )
  return (
    <Panel title="Credentials" aside={replace}>
      {isReplacing ? (
        <Stack>
          <Text size="sm">What you enter takes the place of all that were there.</Text>
          <Form
            guard={UnsentGuard}
            id="cloud_accounts.patch"
            fixed={{ workspaceId, id }}
            fields={fields}
            label="Save the credentials"
            cancel={close}
            toInput={input => gathered(input)}
            beforeSend={input => 'credentials' in input}
            onDone={() => {
              close()
              done('The credentials are saved.')
            }}
          />
        </Stack>
      ) : (
        <Facts
          label="Credentials"
          width={190}
          facts={provider.secrets.map(name => [
            labelOfField(name),
            <Text key={name} size="sm" c={secretsSet.includes(name) ? undefined : 'dimmed'}>
              {secretsSet.includes(name) ? 'Set, and never shown' : 'Not set'}
            </Text>,
          ])}
        />
      )}
    </Panel>
  )
}
