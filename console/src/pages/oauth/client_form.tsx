// The fields of an OAuth client, for making one and for changing it.
import { Checkbox, Group, Radio, Stack, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ItemOf, Scope } from '../../../../src/client/catalogue.ts'
import { by } from '../../parts/form.tsx'
import { Panel } from '../../parts/page.tsx'
import { ScopeMatrix } from '../../parts/scope_matrix.tsx'
import { useStanding } from '../../session.ts'

export type Client = ItemOf<'oauth_clients.list'>
type Grant = Client['grants'][number]

export type Values = {
  name: string
  type: Client['type']
  description: string
  websiteUrl: string
  redirectUris: string[]
  grants: Grant[]
  scopes: Scope[]
}

export const fresh: Values = {
  name: '',
  type: 'public',
  description: '',
  websiteUrl: '',
  redirectUris: [],
  grants: ['code', 'refresh'],
  scopes: [],
}

export function valuesOf(client: Client): Values {
  const { name, type, description, websiteUrl, redirectUris, grants, scopes } = client
  return {
    name,
    type,
    description: description ?? '',
    websiteUrl: websiteUrl ?? '',
    redirectUris: [...redirectUris],
    grants: [...grants],
    scopes: [...scopes],
  }
}

export function inputOf({ type: _, description, websiteUrl, name, ...rest }: Values) {
  return { ...rest, name: name.trim(), description: description.trim() || null, websiteUrl: websiteUrl.trim() || null }
}

export const checks = {
  name: by('oauth_clients.post', 'name'),
  websiteUrl: (text: string) => (text && !text.startsWith('https://') ? 'Begin with https://' : null),
  redirectUris: (uris: string[], { grants }: Values) =>
    grants.includes('code') && uris.length === 0 ? 'Say where people are sent back to' : null,
  grants: (grants: Grant[]) => (grants.length === 0 ? 'Choose at least one' : null),
}

export function ClientFields({ form, isNew }: { form: UseFormReturnType<Values>; isNew: boolean }) {
  const { can } = useStanding()
  return (
    <Stack>
      <Panel title="The application">
        <Stack>
          <TextInput label="Name" description="People read it when they are asked" {...form.getInputProps('name')} />
          {isNew && (
            <Radio.Group
              label="Kind"
              description="Can it keep a secret? What runs on people’s own devices cannot."
              {...form.getInputProps('type')}
            >
              <Group mt="xs">
                <Radio value="public" label="Public" />
                <Radio value="confidential" label="Confidential" />
              </Group>
            </Radio.Group>
          )}
          <TextInput label="What it does" {...form.getInputProps('description')} />
          <TextInput label="Website" placeholder="https://" {...form.getInputProps('websiteUrl')} />
          <Checkbox.Group label="Ways in" {...form.getInputProps('grants')}>
            <Group mt="xs">
              <Checkbox value="code" label="In a browser" />
              <Checkbox value="refresh" label="Stays logged in" />
              <Checkbox value="device" label="By a code typed elsewhere" />
            </Group>
          </Checkbox.Group>
          <TagsInput
            label="Addresses to come back to"
            description="https, or http on 127.0.0.1; matched exactly. Enter adds one"
            clearButtonProps={{ 'aria-label': 'Remove all addresses' }}
            {...form.getInputProps('redirectUris')}
          />
        </Stack>
      </Panel>
      <Panel title="Scopes" about="The most it can ever be let do; people may allow less.">
        <ScopeMatrix
          value={form.values.scopes}
          mayGive={can}
          onChange={scopes => form.setFieldValue('scopes', scopes)}
          error={form.errors.scopes as string | undefined}
        />
      </Panel>
    </Stack>
  )
}
