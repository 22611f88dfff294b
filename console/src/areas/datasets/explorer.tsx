// The explorer of a dataset: a filter, a span, how the rows lie in it, and the rows, their groups, or one trace.
import './explorer.css'
import { ActionIcon, Alert, Button, Group, Menu, SegmentedControl, Stack, Switch, Text, Tooltip } from '@mantine/core'
import { Download, Info, Link2, RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import { addressOf, fieldIssues, useCall } from '../../api.ts'
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Panel, Rows } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { FilterInput } from './filter_input.tsx'
import { Histogram, useHistogram } from './histogram.tsx'
import { type Ask, type Dataset, type Question, type Span, useQuestion, useSpan } from './question.ts'
import { RowList } from './row_list.tsx'
import { SpanPicker } from './span_picker.tsx'

/** Rows come by a stream; what is counted is counted again. */
const liveMs = 5_000

type TraceProps = { dataset: Dataset; question: Question; ask: Ask }
const Trace = whenNeeded<TraceProps>(
  'Trace',
  async () => (await import('./trace.tsx')).Trace,
  () => <Rows />,
)

type GroupsProps = { dataset: Dataset; question: Question; span: Span; ask: Ask }
const Groups = whenNeeded<GroupsProps>(
  'Groups',
  async () => (await import('./groups.tsx')).Groups,
  () => <Rows />,
)

export function Explorer({ record }: { record: Row }) {
  const [question, ask] = useQuestion()
  const dataset = record as Dataset
  if (question.trace !== null) return <Trace dataset={dataset} question={question} ask={ask} />
  return <Exploring dataset={dataset} question={question} ask={ask} />
}

function Exploring({ dataset, question, ask }: TraceProps) {
  const workspaceId = useWorkspaceId()
  const { span, refresh } = useSpan(question)
  const { filter, isLive, isGrouped } = question
  const fields = useCall('datasets.fields', { workspaceId, id: dataset.id })
  const found = useHistogram(dataset, filter, span)
  useEvery(isLive ? liveMs : null, refresh)
  const remark = fieldIssues(found.error).find(({ path }) => /^\/?filter/.test(path))?.expected
  const run = (text: string) => {
    refresh()
    if (text !== filter) ask({ filter: text || undefined })
  }
  return (
    <Stack gap="md">
      <Panel padding="md">
        <Stack gap="sm">
          <FilterInput
            dataset={dataset}
            fields={fields.data?.fields ?? []}
            filter={filter}
            span={span}
            remark={remark}
            onRun={run}
          />
          <Group justify="space-between" align="end" gap="sm">
            <SpanPicker question={question} span={span} ask={ask} />
            <Group gap="xs">
              <Switch
                label="Live"
                checked={isLive}
                onChange={event =>
                  ask({
                    live: event.currentTarget.checked ? 'yes' : undefined,
                    ...(question.last === null && { last: '15m', from: undefined, to: undefined }),
                  })
                }
              />
              <CopyLink />
              <ExportMenu dataset={dataset} filter={filter} span={span} />
              <Tooltip label="Refresh">
                <ActionIcon variant="default" size="lg" aria-label="Refresh" onClick={refresh}>
                  <RefreshCw size={16} aria-hidden />
                </ActionIcon>
              </Tooltip>
            </Group>
          </Group>
          {remark === undefined && (
            <>
              <Failure error={found.error} onRetry={() => void found.refetch()} />
              <Histogram found={found} span={span} onNarrow={ask} />
              <Notes answer={found.data} />
            </>
          )}
        </Stack>
      </Panel>
      {remark === undefined && (
        <>
          <SegmentedControl
            aria-label="What is shown"
            style={{ alignSelf: 'flex-start' }}
            value={isGrouped ? 'groups' : 'rows'}
            onChange={value => ask({ view: value === 'groups' ? 'groups' : undefined })}
            data={[
              { value: 'rows', label: 'Rows' },
              { value: 'groups', label: 'Groups' },
            ]}
          />
          {isGrouped ? (
            <Groups dataset={dataset} question={question} span={span} ask={ask} />
          ) : (
            <RowList dataset={dataset} question={question} span={span} ask={ask} />
          )}
        </>
      )}
    </Stack>
  )
}

/** Runs only while the page is in sight. */
function useEvery(ms: number | null, act: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the act is the same in all that matters
  useEffect(() => {
    if (ms === null) return
    const timer = setInterval(() => document.visibilityState === 'visible' && act(), ms)
    return () => clearInterval(timer)
  }, [ms])
}

/** The browser saves the stream, however long it is. */
function ExportMenu({ dataset, filter, span }: { dataset: Dataset; filter: string; span: Span }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  if (!may('datasets.export')) return null
  const input = { workspaceId, id: dataset.id, ...span, ...(filter && { filter }) }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label="Export these rows">
          <ActionIcon variant="default" size="lg" aria-label="Export these rows">
            <Download size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown aria-label="Export">
        {(['csv', 'ndjson'] as const).map(format => (
          <Menu.Item
            key={format}
            component="a"
            href={addressOf('datasets.export', { ...input, format })}
            download={`${dataset.slug}.${format}`}
          >
            {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function CopyLink() {
  return (
    <Button
      variant="default"
      leftSection={<Link2 size={16} aria-hidden />}
      onClick={() =>
        void navigator.clipboard
          .writeText(window.location.href)
          .then(() => done('Copied: the address holds the whole query.'))
          .catch(() => done('Copy it from the address bar: it holds the whole query.'))
      }
    >
      Copy link
    </Button>
  )
}

type NotesProps = { answer: ReturnType<typeof useHistogram>['data'] }

function Notes({ answer }: NotesProps) {
  if (!answer || (!answer.partial && answer.note === null)) return null
  return (
    <Alert variant="light" color="yellow" icon={<Info size={18} aria-hidden />}>
      <Text size="sm">
        {answer.partial && 'Only the newest rows were counted. Choose a shorter span to count all. '}
        {answer.note}
      </Text>
    </Alert>
  )
}
