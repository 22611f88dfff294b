// Registers an application; its id, and its secret this once.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { CopyLine } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useKeptForm } from '../../parts/form.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ClientFields, checks, fresh, inputOf } from './client_form.tsx'

export function NewOauthClient() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const [made, setMade] = useState<ResultOf<'oauth_clients.post'> | null>(null)
  const act = useAct('oauth_clients.post', { onDone: setMade })
  const form = useKeptForm(fresh, checks, act.error)
  if (made) {
    return (
      <Page title="Your new client" narrow>
        <Panel>
          <ClientSecret id={made.id} secret={made.clientSecret} />
          <Group justify="flex-end" mt="md">
            <Button
              onClick={() =>
                void navigate({ to: '/w/$workspaceId/oauth_clients/$id', params: { workspaceId, id: made.id } })
              }
            >
              {made.clientSecret ? 'I have copied it' : 'Go on'}
            </Button>
          </Group>
        </Panel>
      </Page>
    )
  }
  return (
    <Page title="New OAuth client" about="An application that people can let act for them." narrow>
      <form
        noValidate
        onSubmit={form.onSubmit(
          values => act.mutate({ workspaceId, type: values.type, ...inputOf(values) }),
          errors => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
        )}
      >
        <Stack>
          <ClientFields form={form} isNew />
          <Failure error={act.error} />
          <Group justify="flex-end" gap="xs">
            <LinkButton to="/w/$workspaceId/oauth_clients" params={{ workspaceId }} variant="default">
              Cancel
            </LinkButton>
            <Button type="submit" loading={act.isPending}>
              Create the client
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}

export function ClientSecret({ id, secret }: { id: string; secret: string | null }) {
  return (
    <Stack>
      <Text size="sm">Client ID</Text>
      <CopyLine value={id} label="Copy the client id" />
      {secret && (
        <>
          <Alert color="yellow" title="Copy the secret now">
            It is shown this once.
          </Alert>
          <CopyLine value={secret} label="Copy the secret" />
        </>
      )}
    </Stack>
  )
}
