// How a token shows: where it writes, what it sent, what went wrong last, and how it is used.
import { Alert, Badge, Stack, Text } from '@mantine/core'
import { Ban, RotateCw, TriangleAlert } from 'lucide-react'
import { agoOf, countOf, momentOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { LinkName } from '../../parts/links.tsx'
import { Panel } from '../../parts/page.tsx'
import { ownerAreas } from '../../parts/people.tsx'
import { useChoiceNames } from '../../parts/record_choices.ts'
import { Facts } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { bytesOf } from '../../units.ts'
import type { CellProps, Views } from '../define.ts'
import type { Token } from './fields.tsx'
import { SecretUse } from './secret_use.tsx'

const colours: Readonly<Record<string, string>> = { active: 'green', expired: 'yellow' }

function Status({ value }: CellProps) {
  return <Badge color={colours[String(value)] ?? 'gray'}>{String(value)}</Badge>
}

function Hint({ value }: CellProps) {
  return (
    <Text size="sm" ff="monospace" c="dimmed" className="atrium-nowrap">
      {String(value)}
    </Text>
  )
}

function Count({ value }: CellProps) {
  return <Text size="sm">{Number(value).toLocaleString('en')}</Text>
}

const signals = ['traces', 'logs', 'metrics'] as const

function Routes({ value }: CellProps) {
  const workspaceId = useWorkspaceId()
  const routes = value as Token['routes']
  const names = useChoiceNames(
    ['datasets'],
    signals.flatMap(signal => routes[signal] ?? []),
  )
  return (
    <Stack gap={2}>
      {signals.map(signal => {
        const id = routes[signal]
        return (
          <Text key={signal} size="sm">
            {signal}:{' '}
            {id === null ? (
              'refused'
            ) : (
              <LinkName to={`/w/${workspaceId}/datasets/${id}` as '/'} search={{ tab: 'rows' } as never}>
                {names.get(id) ?? id}
              </LinkName>
            )}
          </Text>
        )
      })}
    </Stack>
  )
}

function Limits({ value }: CellProps) {
  const { itemsPerMinute, bytesPerDay } = value as Token['limits']
  const told = [
    itemsPerMinute !== null && `${itemsPerMinute.toLocaleString('en')} items a minute`,
    bytesPerDay !== null && `${bytesOf(bytesPerDay)} a day`,
  ].filter(Boolean)
  return <Text size="sm">{told.join(', ') || 'None'}</Text>
}

function LastError({ value }: CellProps) {
  const error = value as Token['lastError']
  if (!error) return <Text size="sm">None</Text>
  return (
    <Text size="sm">
      {error.message} ({error.signal}, {agoOf(error.at)})
    </Text>
  )
}

/** An error that came after the last success, or within the day, is worth a word. */
function Notice({ record }: { record: Row }) {
  const { lastError, oldSecretUntil } = record as Token
  const isRecent = lastError !== null && Date.now() - new Date(lastError.at).getTime() < 86_400_000
  const isOverlapping = oldSecretUntil !== null && new Date(oldSecretUntil).getTime() > Date.now()
  return (
    <>
      {isOverlapping && (
        <Alert color="iris" title={`The old secret works until ${momentOf(oldSecretUntil)}`}>
          <Text size="sm">Give the new one to whatever sends with the token before then.</Text>
        </Alert>
      )}
      {isRecent && (
        <Alert color="red" title="Something was refused lately" icon={<TriangleAlert size={18} aria-hidden />}>
          <Text size="sm">
            {lastError.message} ({lastError.signal}, {agoOf(lastError.at)})
          </Text>
        </Alert>
      )}
    </>
  )
}

/** The secret is not known any more: it stands where it must be put in. */
function Use({ record }: { record: Row }) {
  const token = record as Token
  return (
    <Stack>
      <Panel title="The last 30 days">
        <Facts
          label="Use"
          width={150}
          facts={[
            ['Taken', `${countOf(token.accepted30d, 'item')} (spans, logs and points together)`],
            ['Refused', countOf(token.rejected30d, 'item')],
            ['Size', bytesOf(token.bytes30d)],
            ['Last used', token.lastUsedAt === null ? 'Never' : agoOf(token.lastUsedAt)],
            ['Last error', <LastError key="error" record={record} value={token.lastError} />],
          ]}
        />
      </Panel>
      <Panel about="Put the secret where it says tt_YOUR_SECRET. Rotate the token if nobody has it any more.">
        <SecretUse secret="tt_YOUR_SECRET" />
      </Panel>
    </Stack>
  )
}

export const views: Views = {
  cells: { status: Status, hint: Hint, accepted30d: Count, rejected30d: Count },
  facts: {
    status: Status,
    hint: Hint,
    routes: Routes,
    limits: Limits,
    accepted30d: Count,
    rejected30d: Count,
    lastError: LastError,
  },
  notice: Notice,
  secretUse: SecretUse,
  tabs: [{ name: 'use', title: 'Use', view: Use }],
  presets: [
    {
      label: 'Revoke',
      icon: Ban,
      input: { status: 'revoked' },
      done: 'Revoked: it is refused from the next request on.',
      isOffered: ({ status }) => status === 'active',
    },
  ],
  acts: {
    rotate: {
      icon: RotateCw,
      about: 'The token gets a new secret. The old one works for a while longer, so that nothing is lost.',
      fields: [
        {
          name: 'overlapHours',
          label: 'The old secret works for (hours)',
          about: '0 to 168; with 0 it stops at once.',
          start: 24,
        },
      ],
      isOffered: ({ status }) => status !== 'revoked',
    },
    del: {
      about: 'What sends with it is refused from the next request on. The rows that it sent stay.',
      fields: [
        {
          name: 'force',
          label: 'Also if it was used within the last hour',
        },
      ],
    },
  },
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
