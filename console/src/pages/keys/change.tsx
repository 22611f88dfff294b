// What can be changed on a key: its name, its end, where it may be used from, and its scopes.
import { TagsInput, TextInput } from '@mantine/core'
import { useCallback } from 'react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { by, KeptForm, useKeptForm } from '../../parts/form.tsx'
import { Panel } from '../../parts/page.tsx'
import { ScopeMatrix } from '../../parts/scope_matrix.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { Key } from './state.ts'

/** `2026-11-15T09:30` in the person's own time, as the browser's field wants it. */
function localMoment(iso: string | null): string {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function ChangeKey({ apiKey }: { apiKey: Key }) {
  const { can } = useStanding()
  const { workspaceId, id } = apiKey
  const act = useAct('api_keys.patch', { onDone: () => done('The key is changed.') })
  const form = useKeptForm(
    {
      name: apiKey.name,
      scopes: apiKey.scopes as Scope[],
      expires: localMoment(apiKey.expires),
      allowedIps: apiKey.allowedIps ?? [],
    },
    { name: by('api_keys.patch', 'name') },
    act.error,
  )
  const mayGive = useCallback((scope: Scope) => can(scope) || apiKey.scopes.includes(scope), [can, apiKey.scopes])
  if (!can('api_keys:write')) return null
  return (
    <Panel title="Change it" about="Narrowing takes effect with the next request.">
      <KeptForm
        form={form}
        act={act}
        label="Save"
        onSend={({ name, scopes, expires, allowedIps }) =>
          act.mutate({
            workspaceId,
            id,
            name: name.trim(),
            scopes,
            expires: expires ? new Date(expires).toISOString() : null,
            allowedIps: allowedIps.length > 0 ? allowedIps : null,
          })
        }
      >
        <TextInput label="Name" {...form.getInputProps('name')} />
        <TextInput
          type="datetime-local"
          label="Ends"
          description="Empty: never"
          maw={280}
          {...form.getInputProps('expires')}
        />
        <TagsInput
          label="Allowed addresses"
          description="IP addresses or ranges such as 203.0.113.0/24; none: from anywhere"
          clearButtonProps={{ 'aria-label': 'Remove all addresses' }}
          {...form.getInputProps('allowedIps')}
        />
        <ScopeMatrix
          value={form.values.scopes}
          mayGive={mayGive}
          onChange={next => form.setFieldValue('scopes', next)}
        />
      </KeptForm>
    </Panel>
  )
}
