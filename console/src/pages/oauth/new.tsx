// Registers an application; its id, and its secret this once.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { CopyLine } from '../../parts/copy.tsx'
import { KeptForm, useKeptForm } from '../../parts/form.tsx'
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
      <KeptForm
        form={form}
        act={act}
        label="Create the client"
        cancel={
          <LinkButton to="/w/$workspaceId/oauth_clients" params={{ workspaceId }} variant="default">
            Cancel
          </LinkButton>
        }
        onSend={values => act.mutate({ workspaceId, type: values.type, ...inputOf(values) })}
      >
        <ClientFields form={form} isNew />
      </KeptForm>
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
