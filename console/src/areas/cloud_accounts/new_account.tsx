// A new cloud account: the provider from the catalog, then the fields that it takes and no others.
import { Alert, Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { useMemo } from 'react'
import type { Draft, FieldHint } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { type Place, placeOfArea } from '../define.ts'
import { type Account, missingIn, type Provider, providerIn, takesUpload, useCatalog } from './account.ts'
import { inputs } from './inputs.tsx'
import { configFields, credentialFields, gathered } from './provider_fields.ts'

export function NewAccount() {
  const [{ provider }] = useLook<{ provider?: string }>()
  const catalog = useCatalog()
  const place = placeOfArea('cloud_accounts') as Place
  const list = `/w/${useWorkspaceId()}/cloud_accounts`
  const chosen = providerIn(catalog.data, provider)
  if (chosen) return <ProviderForm key={chosen.provider} provider={chosen} place={place} list={list} />
  return (
    <Page
      title="New cloud account"
      about="Choose where to read from. Each says what it needs at the other end, and none of them ever writes there."
      crumbs={<Crumbs place={place} list={list} title="New cloud account" />}
    >
      <Loaded query={catalog}>
        {({ providers }) => (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} component="ul" className="atrium-plain-list">
            {providers.map(one => (
              <ProviderCard key={one.provider} provider={one} />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Page>
  )
}

const ways: Readonly<Record<Provider['by'], string>> = { sync: 'Is read', push: 'Is sent' }

function ProviderCard({ provider: { provider, title, about, needs, by } }: { provider: Provider }) {
  return (
    <li>
      <Panel padding="md" h="100%">
        <Stack gap="xs" h="100%">
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <LinkName to="." search={{ provider } as never} size="md">
              {title}
            </LinkName>
            <Badge color="gray" miw="max-content">
              {ways[by]}
            </Badge>
          </Group>
          <Text size="sm">{about}</Text>
          <Text size="sm" c="dimmed">
            Needs: {needs}
          </Text>
        </Stack>
      </Panel>
    </li>
  )
}

type ProviderFormProps = { provider: Provider; place: Place; list: string }

function ProviderForm({ provider, place, list }: ProviderFormProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const fields = useMemo(() => newFields(provider), [provider])
  const title = `New cloud account: ${provider.title}`
  const open = (account: Account) => {
    const missing = missingIn(account)
    done(missing === null ? `${account.name} is added, and read now.` : `${account.name} is added.`)
    const tab = missing === null ? undefined : takesUpload(account) ? 'state' : 'setup'
    void navigate({ to: `${list}/${account.id}` as '/', search: (tab ? { tab } : {}) as never })
  }
  return (
    <Page title={title} about={provider.about} crumbs={<Crumbs place={place} list={list} title={title} />} narrow>
      <Alert color="iris" title="What it needs" icon={<Info size={18} aria-hidden />}>
        <Text size="sm">{provider.needs}</Text>
        <LinkButton to="." search={{} as never} size="xs" variant="default" mt="xs">
          Choose another provider
        </LinkButton>
      </Alert>
      <Form
        guard={UnsentGuard}
        id="cloud_accounts.post"
        fixed={{ workspaceId, provider: provider.provider }}
        fields={fields}
        label="Create"
        cancel={list}
        // Left empty it is read when somebody asks, not as often as is usual.
        toInput={input => ({ syncIntervalMinutes: null, ...gathered(input) })}
        onDone={record => open(record as Account)}
      />
    </Page>
  )
}

/** What is only sent is never read: then there is nothing to say about how often. */
export function isRead({ provider }: Provider, draft: Draft): boolean {
  return provider === 'push' ? false : provider !== 'terraform_state' || Boolean(draft['config.repositoryId'])
}

export function intervalField(provider: Provider): FieldHint {
  return {
    name: 'syncIntervalMinutes',
    label: 'Minutes between syncs',
    about: 'From 5 to 1440. Empty: only when somebody asks.',
    isShown: draft => isRead(provider, draft),
  }
}

function newFields(provider: Provider): FieldHint[] {
  const config = configFields(provider, inputs).map(field => ({ ...field, group: provider.title }))
  const secrets = credentialFields(provider, inputs).map(field => ({ ...field, group: 'Credentials' }))
  return [
    {
      name: 'name',
      group: provider.title,
      autoFocus: true,
      about: 'What people here call it, such as “Production”.',
    },
    ...config,
    ...(provider.regions
      ? [{ name: 'regions', group: provider.title, about: 'Which are looked at; us-east-1 where none is named.' }]
      : []),
    ...secrets,
    { ...intervalField(provider), group: 'More', start: provider.by === 'sync' ? 60 : '' },
    { name: 'labels', group: 'More', about: 'Words to find it by.' },
  ]
}
