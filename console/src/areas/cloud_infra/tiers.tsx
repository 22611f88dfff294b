// The rules that give nodes their tier: tried from the first to the last, for all that nobody has set by hand.
import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { fieldIssues, useAct, useCall } from '../../api.ts'
import { UnsentGuard } from '../../form/guard.tsx'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { tierColours } from './node.ts'

type Rule = ResultOf<'cloud_infra.tiers.get'>['rules'][number]
type Draft = Rule & { key: number }

const fields =
  'Expressions (CEL) over node: its name, type, category, provider, region, externalId, tags and properties.'

export function TiersPage() {
  const workspaceId = useWorkspaceId()
  const place = placeOfArea('cloud_infra') as Place
  const found = useCall('cloud_infra.tiers.get', { workspaceId })
  return (
    <Page
      title="Tier rules"
      about="The first rule that holds gives a node its tier; where none does it is normal. A tier that was set by hand stays."
      crumbs={<Crumbs place={place} list={`/w/${workspaceId}/${place.path}`} title="Tier rules" />}
    >
      <Panel title="Rules" about={fields}>
        <Loaded query={found}>{({ rules, updated }) => <Rules key={updated} rules={rules} />}</Loaded>
      </Panel>
    </Page>
  )
}

let lastKey = 0
const keyed = (rule: Rule): Draft => ({ ...rule, key: lastKey++ })

function Rules({ rules }: { rules: readonly Rule[] }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => rules.map(keyed))
  const act = useAct('cloud_infra.tiers.put', { onDone: () => done('The rules hold now.') })
  const isLocked = !may('cloud_infra.tiers.put')
  const given = drafts.map(({ when, tier }) => ({ when: when.trim(), tier }))
  const isChanged = JSON.stringify(given) !== JSON.stringify(rules.map(({ when, tier }) => ({ when, tier })))
  const remarks = new Map(fieldIssues(act.error).map(({ path, expected }) => [path, expected]))
  const put = (key: number, changed: Partial<Rule>) =>
    setDrafts(before => before.map(one => (one.key === key ? { ...one, ...changed } : one)))
  const move = (from: number, to: number) =>
    setDrafts(before => {
      const next = before.filter((_, index) => index !== from)
      const moved = before[from]
      return moved ? next.toSpliced(to, 0, moved) : before
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate({ workspaceId, rules: given })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {drafts.length === 0 && (
          <Text size="sm">There are none: every node is normal, unless somebody sets its tier.</Text>
        )}
        {drafts.map((draft, index) => (
          <RuleRow
            key={draft.key}
            draft={draft}
            number={index + 1}
            count={drafts.length}
            remark={remarks.get(`rules.${index}.when`)}
            isLocked={isLocked}
            put={changed => put(draft.key, changed)}
            move={to => move(index, to)}
            remove={() => setDrafts(before => before.filter(one => one !== draft))}
          />
        ))}
        <Failure error={act.error} onRetry={act.again} />
        {!isLocked && (
          <Group justify="space-between">
            <Button
              variant="default"
              leftSection={<Plus size={16} aria-hidden />}
              onClick={() => setDrafts([...drafts, keyed({ when: '', tier: 'critical' })])}
            >
              Add a rule
            </Button>
            <Button
              type="submit"
              loading={act.isPending}
              disabled={!isChanged || given.some(({ when }) => when === '')}
            >
              Save
            </Button>
          </Group>
        )}
      </Stack>
      <UnsentGuard isOn={() => isChanged && !act.isSuccess} />
    </form>
  )
}

type RuleRowProps = {
  draft: Draft
  number: number
  count: number
  remark: string | undefined
  isLocked: boolean
  put: (changed: Partial<Rule>) => void
  move: (to: number) => void
  remove: () => void
}

const example = 'node.category == "database" && node.tags["env"] == "production"'

function RuleRow({ draft: { when, tier }, number, count, remark, isLocked, put, move, remove }: RuleRowProps) {
  const icon = { variant: 'subtle', color: 'gray', size: 'lg' } as const
  return (
    <Group align="flex-end" gap="xs" role="group" aria-label={`Rule ${number}`}>
      <TextInput
        label={`${number}. When`}
        placeholder={example}
        flex={1}
        miw={220}
        readOnly={isLocked}
        spellCheck={false}
        value={when}
        error={remark && `Expected ${remark}`}
        onChange={event => put({ when: event.currentTarget.value })}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <NativeSelect
        label="Then"
        disabled={isLocked}
        value={tier}
        data={Object.keys(tierColours).map(value => ({ value, label: wordsOf(value) }))}
        onChange={event => put({ tier: event.currentTarget.value as Rule['tier'] })}
      />
      {!isLocked && (
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            {...icon}
            disabled={number === 1}
            aria-label={`Move rule ${number} up`}
            onClick={() => move(number - 2)}
          >
            <ArrowUp size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            {...icon}
            disabled={number === count}
            aria-label={`Move rule ${number} down`}
            onClick={() => move(number)}
          >
            <ArrowDown size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon {...icon} aria-label={`Take away rule ${number}`} onClick={remove}>
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </Group>
      )}
    </Group>
  )
}
