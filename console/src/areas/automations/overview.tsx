// What an automation is: what starts it, what it does, for whom it acts, and how it fared.
import { Code, Group, Stack, Text } from '@mantine/core'
import { Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import { momentOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { CopyFact } from '../../parts/copy.tsx'
import { LabelChips } from '../../parts/labels.tsx'
import { LinkButton, LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Markdown } from '../../parts/render.tsx'
import { ScopeList } from '../../parts/scopes.tsx'
import { Facts } from '../../parts/table.tsx'
import { useStanding } from '../../session.ts'
import { durationOf } from '../../units.ts'
import type { Automation, Step } from './automation.ts'
import { EnabledSwitch, Status, statsWords } from './state.tsx'
import { StepsShown } from './steps_shown.tsx'
import { sentence, triggerWords } from './words.ts'

export function Overview({ record }: { record: Row }) {
  const automation = record as Automation
  const { may } = useStanding()
  const edit = may('automations.patch') && (
    <LinkButton
      to="."
      search={{ tab: 'edit' } as never}
      size="xs"
      variant="default"
      leftSection={<Pencil size={14} aria-hidden />}
    >
      Edit
    </LinkButton>
  )
  return (
    <Stack>
      <Panel title="State">
        <Facts label="State" width={150} facts={stateFacts(automation)} />
      </Panel>
      <Panel title="When" aside={edit}>
        <Stack gap="sm">
          {automation.triggers.map((trigger, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no id, and the list is read anew as a whole
            <Text key={index} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {sentence(triggerWords(trigger))}
            </Text>
          ))}
          {automation.condition && (
            <Text size="sm">
              Only if <Code>{automation.condition}</Code>
            </Text>
          )}
          {automation.hookUrl !== null && <Hook hookUrl={automation.hookUrl} />}
        </Stack>
      </Panel>
      <Panel title="Then">
        <StepsShown steps={automation.steps as readonly Step[]} />
      </Panel>
      <Panel
        title="Who it acts for"
        about="It never does more than they may at that moment, nor more than it was granted."
      >
        <Facts label="Who it acts for" width={150} facts={whoFacts(automation)} />
      </Panel>
      <Panel title="How it runs">
        <Facts label="How it runs" width={150} facts={termFacts(automation)} />
      </Panel>
    </Stack>
  )
}

type Fact = [string, ReactNode]

function stateFacts(automation: Automation): Fact[] {
  const { description, nextRunAt, lastExecution, stats7d, labels } = automation
  return [
    ...(description ? [['Description', <Markdown key="description" text={description} />] as Fact] : []),
    ['Enabled', <EnabledSwitch key="enabled" automation={automation} label="Enabled" />],
    [
      'Next run',
      nextRunAt === null ? (
        <Moment key="next" at={null} none="None is planned" />
      ) : (
        <Text key="next" size="sm">
          {momentOf(nextRunAt)} (<Moment at={nextRunAt} />)
        </Text>
      ),
    ],
    [
      'Last run',
      lastExecution === null ? (
        <Moment key="last" at={null} none="Not yet" />
      ) : (
        <Stack key="last" gap={2}>
          <Group gap="xs">
            <Status value={lastExecution.status} />
            <LinkText to="." search={{ tab: 'executions', execution: lastExecution.id } as never} size="sm">
              <Moment at={lastExecution.created} />
            </LinkText>
          </Group>
          {lastExecution.error && <Text size="sm">{lastExecution.error}</Text>}
        </Stack>
      ),
    ],
    ['Last 7 days', statsWords(stats7d)],
    ...(labels.length > 0 ? [['Labels', <LabelChips key="labels" ids={labels} most={20} none="–" />] as Fact] : []),
  ]
}

/** Without its token: nobody can copy it from here. */
function Hook({ hookUrl }: { hookUrl: string }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Its webhook address
      </Text>
      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {hookUrl}
      </Text>
      <Text size="xs" c="dimmed">
        Its token was shown once. If nobody has it any more, make a new webhook address.
      </Text>
    </Stack>
  )
}

function whoFacts({ grantedBy, ownerId, grants }: Automation): Fact[] {
  return [
    [
      'Acts for',
      grantedBy === null ? 'Nobody: save it once, and it acts for you' : <OwnerName key="by" id={grantedBy} />,
    ],
    ['Owner', <OwnerName key="owner" id={ownerId} />],
    ['May use', grants.length === 0 ? 'No scopes: its steps need none' : <ScopeList key="grants" value={grants} />],
  ]
}

const concurrencies = {
  queue: 'The next waits while one is at work',
  skip: 'The next is skipped while one is at work',
  parallel: 'Up to ten run side by side',
}

function termFacts(automation: Automation): Fact[] {
  const { concurrency, timeoutSeconds, retry, missed, maxPerHour, triggers, version, id, created, updated } = automation
  return [
    ['At once', concurrencies[concurrency]],
    ['Ends after', `${durationOf(timeoutSeconds)} of work`],
    [
      'Further tries',
      retry ? `${retry.max}, from ${durationOf(retry.backoffSeconds)} on` : 'None, unless a step says so',
    ],
    ['At most', `${maxPerHour.toLocaleString('en')} an hour`],
    ...(triggers.some(({ on }) => on === 'schedule')
      ? [['Missed times', missed === 'skip' ? 'Are skipped' : 'Are made up for by one run'] as Fact]
      : []),
    ['Version', String(version)],
    ['ID', <CopyFact key="id" value={id} />],
    ['Created', <Moment key="created" at={created} />],
    ['Changed', <Moment key="updated" at={updated} />],
  ]
}
