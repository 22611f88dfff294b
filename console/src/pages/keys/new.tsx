// A new key: a name and what it may do; then its secret, once.
import { Alert, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { by, KeptForm, useKeptForm } from '../../parts/form.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { ScopeMatrix } from '../../parts/scope_matrix.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Secret } from './secret.tsx'

export function NewKey() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { can } = useStanding()
  const [token, setToken] = useState('')
  const act = useAct('api_keys.post', { onDone: key => setToken(key.token) })
  const form = useKeptForm({ name: '', scopes: [] as Scope[] }, { name: by('api_keys.post', 'name') }, act.error)
  if (token) {
    return (
      <Page title="Your new key" narrow>
        <Panel>
          <Secret
            token={token}
            workspaceId={workspaceId}
            onDone={() => void navigate({ to: '/w/$workspaceId/keys', params: { workspaceId } })}
          />
        </Panel>
      </Page>
    )
  }
  const scopes = form.values.scopes
  return (
    <Page title="New API key" about="It acts as you, with the scopes you give it and no more than you hold." narrow>
      <KeptForm
        form={form}
        act={act}
        label="Create the key"
        cancel={
          <LinkButton to="/w/$workspaceId/keys" params={{ workspaceId }} variant="default">
            Cancel
          </LinkButton>
        }
        onSend={({ name }) => act.mutate({ workspaceId, name: name.trim(), scopes })}
      >
        <Panel>
          <TextInput
            label="Name"
            description="Say what uses it; you will be glad when you come back to it"
            placeholder="Nightly export"
            autoComplete="off"
            {...form.getInputProps('name')}
          />
        </Panel>
        <Panel title="Scopes" about="What the key may do. Fewer is safer; they can be narrowed later.">
          <ScopeMatrix value={scopes} mayGive={can} onChange={next => form.setFieldValue('scopes', next)} />
        </Panel>
        {scopes.length === 0 && (
          <Alert color="gray" title="No scope is chosen">
            Such a key can only say who it belongs to.
          </Alert>
        )}
      </KeptForm>
    </Page>
  )
}
