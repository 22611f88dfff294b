// A new automation: from a template with a few values, or built from nothing.
import { Badge, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useAct, useCall } from '../../api.ts'
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
import { type Step, savedFields, shownOnce, type Template } from './automation.ts'
import { Builder } from './builder.tsx'
import { HookUse } from './hook_use.tsx'
import { fieldsIn, gatheredUnder } from './schema_fields.ts'
import { StepsShown } from './steps_shown.tsx'
import { sentence, triggerNames, triggerWords } from './words.ts'

/** A word that no template has as its slug. */
const nothing = '_'

const about = 'When something happens, do these steps. Begin with one that is ready, or with nothing.'

export function NewAutomation() {
  const [{ template }] = useLook<{ template?: string }>()
  const found = useCall('automations.templates', {})
  const list = `/w/${useWorkspaceId()}/automations`
  const place = placeOfArea('automations') as Place
  const crumbs = (title: string) => <Crumbs place={place} list={list} title={title} />
  if (template === nothing) return <FromNothing crumbs={crumbs} list={list} />
  const chosen = found.data?.items.find(({ slug }) => slug === template)
  if (chosen) return <Install key={chosen.slug} template={chosen} crumbs={crumbs} list={list} />
  return (
    <Page title="New automation" about={about} crumbs={crumbs('New automation')}>
      <Group>
        <LinkButton to="." search={{ template: nothing } as never}>
          Build it yourself
        </LinkButton>
      </Group>
      <Loaded query={found}>{({ items }) => <Gallery templates={items} />}</Loaded>
    </Page>
  )
}

function Gallery({ templates }: { templates: readonly Template[] }) {
  return (
    <Stack gap="sm" component="section" aria-label="Templates">
      <Title order={2}>Templates</Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} component="ul" className="atrium-plain-list">
        {templates.map(template => (
          <li key={template.slug}>
            <TemplateCard template={template} />
          </li>
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function TemplateCard({ template: { slug, name, description, definition } }: { template: Template }) {
  const kinds = [...new Set(definition.triggers.map(({ on }) => on))]
  return (
    <Panel padding="md" h="100%">
      <Stack gap="xs" h="100%">
        <LinkName to="." search={{ template: slug } as never} size="md">
          {name}
        </LinkName>
        <Text size="sm">{description}</Text>
        <Group gap={4}>
          {kinds.map(kind => (
            <Badge key={kind} color="gray">
              {triggerNames[kind]}
            </Badge>
          ))}
        </Group>
      </Stack>
    </Panel>
  )
}

type MakingProps = { crumbs: (title: string) => React.ReactNode; list: string }

function useOpen(list: string): (record: Row) => void {
  const navigate = useNavigate()
  // The guard of what was typed, or of a secret, must have heard first that it is done.
  return record =>
    queueMicrotask(() => void navigate({ to: `${list}/${String(record.id)}` as '/', search: {} as never }))
}

type MadeProps = { made: Row; crumbs: MakingProps['crumbs']; onDone: () => void }

/** Its webhook, this once. */
function Made({ made, crumbs, onDone }: MadeProps) {
  const title = `${String(made.name)} is created`
  return (
    <Page title={title} crumbs={crumbs(title)} narrow>
      <Panel>
        <SecretShown secrets={shownOnce(made as never)} onDone={onDone}>
          <HookUse secret="" record={made} />
        </SecretShown>
      </Panel>
    </Page>
  )
}

function Install({ template, crumbs, list }: MakingProps & { template: Template }) {
  const workspaceId = useWorkspaceId()
  const { slug, name, description, inputs, definition } = template
  const [made, setMade] = useState<Row | null>(null)
  const open = useOpen(list)
  const fields = useMemo(
    () => [
      ...fieldsIn(inputs, 'inputs'),
      { name: 'enabled', label: 'Enable it at once', schema: { type: 'boolean' }, start: true },
    ],
    [inputs],
  )
  const title = `New automation: ${name}`
  if (made) return <Made made={made} crumbs={crumbs} onDone={() => open(made)} />
  return (
    <Page title={title} about={description} crumbs={crumbs(title)} narrow>
      <Group>
        <LinkButton to="." search={{} as never} size="xs" variant="default">
          Choose another template
        </LinkButton>
      </Group>
      <Panel title="Values" about="It can be changed in every way once it is there.">
        <Form
          guard={UnsentGuard}
          id="automations.templates.install"
          fixed={{ workspaceId, template: slug }}
          fields={fields}
          toInput={input => gatheredUnder('inputs', input)}
          label="Install"
          cancel={list}
          onDone={record => {
            if (shownOnce(record as never).length > 0) return setMade(record)
            done(`${String(record.name)} is installed.`)
            open(record)
          }}
        />
      </Panel>
      <Panel title="What it does">
        <Stack gap="sm">
          {definition.triggers.map((trigger, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no id, and never change here
            <Text key={index} size="sm">
              {sentence(triggerWords(trigger))}
            </Text>
          ))}
          <StepsShown steps={definition.steps as readonly Step[]} />
          <Text size="sm" c="dimmed">
            It acts for you, with {definition.grants.join(', ') || 'no scopes'}.
          </Text>
        </Stack>
      </Panel>
    </Page>
  )
}

function FromNothing({ crumbs, list }: MakingProps) {
  const workspaceId = useWorkspaceId()
  const [made, setMade] = useState<Row | null>(null)
  const open = useOpen(list)
  const post = useAct('automations.post', {
    onDone: record => {
      if (shownOnce(record).length > 0) return setMade(record)
      done(`${record.name} is created.`)
      open(record)
    },
  })
  if (made) return <Made made={made} crumbs={crumbs} onDone={() => open(made)} />
  return (
    <Page title="New automation" about="What starts it, and what it does then." crumbs={crumbs('New automation')}>
      <Builder
        start={null}
        label="Create"
        isBusy={post.isPending || post.isSuccess}
        error={post.error}
        again={post.again}
        cancel={
          <LinkButton to={list as '/'} variant="default">
            Cancel
          </LinkButton>
        }
        onSave={draft => post.mutate({ workspaceId, ...savedFields(draft) })}
      />
    </Page>
  )
}
