// A new integration: the type from the catalogue, its form, and what is shown this once afterwards.
import { Alert, Badge, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { FieldHint } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import type { Row } from '../../named.ts'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { SecretShown } from '../../record/secret_shown.tsx'
import { useWorkspaceId } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { type Place, placeOfArea } from '../define.ts'
import { secretsIn } from '../schema.ts'
import { type Catalog, type CatalogType, type Direction, directions, needsOf, typeIn, useCatalog } from './catalog.ts'
import { configFields, gathered } from './config_fields.ts'
import { EventsInput, MoreInput, PairsInput, ScopesInput, SecretInput } from './inputs.tsx'
import { NextSteps } from './next_steps.tsx'

const postId = 'integrations.post'

export function NewIntegration() {
  const [{ type }] = useLook<{ type?: string }>()
  const catalog = useCatalog()
  const place = placeOfArea('integrations') as Place
  const list = `/w/${useWorkspaceId()}/integrations`
  const crumbs = <Crumbs place={place} list={list} title="New integration" />
  if (!catalog.data) {
    return (
      <Page title="New integration" crumbs={crumbs}>
        <Loaded query={catalog}>{() => null}</Loaded>
      </Page>
    )
  }
  const chosen = typeIn(catalog.data, type)
  if (chosen) return <TypeForm key={chosen.type} type={chosen} place={place} list={list} />
  return (
    <Page
      title="New integration"
      about="Choose what to connect. Each says what it needs at the other end."
      crumbs={crumbs}
    >
      <Catalogue catalog={catalog.data} />
    </Page>
  )
}

/** Each once, under the first thing that it does. */
function Catalogue({ catalog }: { catalog: Catalog }) {
  return (Object.keys(directions) as Direction[]).map(direction => (
    <Stack key={direction} gap="sm" component="section" aria-label={directions[direction].title}>
      <div>
        <Title order={2}>{directions[direction].title}</Title>
        <Text size="sm" c="dimmed">
          {directions[direction].about}
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} component="ul" className="atrium-plain-list">
        {catalog.types
          .filter(({ directions: own }) => own[0] === direction)
          .map(type => (
            <TypeCard key={type.type} type={type} />
          ))}
      </SimpleGrid>
    </Stack>
  ))
}

function TypeCard({ type: described }: { type: CatalogType }) {
  const { type, title, about, directions: own } = described
  return (
    <li>
      <Panel padding="md" h="100%">
        <Stack gap="xs" h="100%">
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <LinkName to="." search={{ type } as never} size="md">
              {title}
            </LinkName>
            <Group gap={4} wrap="nowrap">
              {own.map(direction => (
                <Badge key={direction} color="gray">
                  {directions[direction].badge}
                </Badge>
              ))}
            </Group>
          </Group>
          <Text size="sm">{about}</Text>
          <Text size="sm" c="dimmed">
            At the other end: {needsOf(described)}
          </Text>
        </Stack>
      </Panel>
    </li>
  )
}

type TypeFormProps = { type: CatalogType; place: Place; list: string }

function TypeForm({ type, place, list }: TypeFormProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const [made, setMade] = useState<Row | null>(null)
  const fields = useMemo(() => newFields(type), [type])
  const title = `New integration: ${type.title}`
  const crumbs = <Crumbs place={place} list={list} title={title} />
  const open = (record: Row) => void navigate({ to: `${list}/${String(record.id)}` as '/', search: {} as never })
  if (made) {
    const secrets = secretsIn(postId, made)
    return (
      <Page title={`${String(made.name)} is connected`} crumbs={crumbs} narrow>
        <Panel>
          <SecretShown secrets={secrets} onDone={() => queueMicrotask(() => open(made))}>
            <NextSteps secret={secrets[0]?.[1] ?? ''} record={made} />
          </SecretShown>
        </Panel>
      </Page>
    )
  }
  return (
    <Page title={title} about={type.about} crumbs={crumbs} narrow>
      <Alert color="iris" title="What it needs" icon={<Info size={18} aria-hidden />}>
        <Text size="sm">{needsOf(type)}</Text>
        <LinkButton to="." search={{} as never} size="xs" variant="default" mt="xs">
          Choose another type
        </LinkButton>
      </Alert>
      <Form
        guard={UnsentGuard}
        id={postId}
        fixed={{ workspaceId, type: type.type }}
        fields={fields}
        label="Create"
        cancel={list}
        toInput={input => gathered(input)}
        onDone={record => {
          if (secretsIn(postId, record).length > 0) return setMade(record)
          done(`${String(record.name)} is created. Test it next.`)
          open(record)
        }}
      />
    </Page>
  )
}

function newFields(type: CatalogType): FieldHint[] {
  const isOut = type.directions.includes('out')
  return [
    {
      name: 'name',
      group: type.title,
      autoFocus: true,
      about: 'Say what it is for, such as “Pager of the checkout team”.',
    },
    ...configFields(type, { secret: SecretInput, pairs: PairsInput, more: MoreInput }),
    ...(isOut
      ? [
          { name: 'events', group: 'Events', isNeeded: true, input: EventsInput },
          { name: 'scopes', group: 'What it may see', start: null, input: ScopesInput },
        ]
      : []),
  ]
}
