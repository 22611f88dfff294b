// A trace as a waterfall: when each span began, how long it took, what called it. Of many, only those in sight are drawn.
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { ArrowLeft, ChevronsDownUp, ChevronsUpDown, Info, SkipForward } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { durationWords, exactOf } from './look_of.ts'
import type { Ask, Dataset, Question } from './question.ts'
import { RowDetail } from './row_detail.tsx'
import { inSight, nextError, parentsOf } from './spans.ts'
import { serviceColour, Waterfall } from './waterfall.tsx'

type TraceProps = { dataset: Dataset; question: Question; ask: Ask }

export function Trace({ dataset, question, ask }: TraceProps) {
  const workspaceId = useWorkspaceId()
  const traceId = question.trace ?? ''
  const query = useCall('datasets.traces.get', { workspaceId, id: dataset.id, traceId })
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Button
          variant="default"
          leftSection={<ArrowLeft size={16} aria-hidden />}
          onClick={() => ask({ trace: undefined, span: undefined })}
        >
          Back to the rows
        </Button>
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {traceId}
        </Text>
      </Group>
      <Loaded query={query} rows={8}>
        {trace => <WholeTrace key={traceId} {...{ trace, dataset, question, ask }} />}
      </Loaded>
    </Stack>
  )
}

type WholeTraceProps = TraceProps & { trace: ResultOf<'datasets.traces.get'> }

function WholeTrace({ trace, dataset, question, ask }: WholeTraceProps) {
  const { spans, errors } = trace
  const start = Math.max(
    0,
    spans.findIndex(({ spanId }) => spanId === question.span),
  )
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [at, setAt] = useState(start)
  const shown = useMemo(() => inSight(spans, folded), [spans, folded])
  const open = question.span === null ? undefined : spans.find(({ spanId }) => spanId === question.span)
  const fold = (index: number, isFolded: boolean) =>
    setFolded(before => {
      const next = new Set(before)
      if (isFolded) next.add(index)
      else next.delete(index)
      return next
    })
  const show = (index: number) => {
    const parents = parentsOf(spans, index)
    setFolded(before => new Set([...before].filter(one => !parents.includes(one))))
    setAt(index)
    ask({ span: spans[index]?.spanId ?? undefined })
  }
  const foldAll = () => {
    setFolded(new Set(spans.flatMap(({ children }, index) => (children > 0 ? [index] : []))))
    setAt(0)
  }
  return (
    <>
      <Panel padding="md">
        <Stack gap="sm">
          <Summary trace={trace} />
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<ChevronsUpDown size={14} aria-hidden />}
              onClick={() => setFolded(new Set())}
            >
              Unfold all
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<ChevronsDownUp size={14} aria-hidden />}
              onClick={foldAll}
            >
              Fold all
            </Button>
            {errors > 0 && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<SkipForward size={14} aria-hidden />}
                onClick={() => show(nextError(spans, at))}
              >
                Next error
              </Button>
            )}
          </Group>
          <Waterfall
            trace={trace}
            shown={shown}
            folded={folded}
            at={at}
            open={question.span}
            onAt={setAt}
            onFold={fold}
            onOpen={show}
          />
        </Stack>
      </Panel>
      {open && (
        <Panel padding="md">
          <Group justify="space-between" mb="xs">
            <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
              {open.name ?? 'A span without a name'}
            </Title>
            <Button size="compact-sm" variant="default" onClick={() => ask({ span: undefined })}>
              Close
            </Button>
          </Group>
          <RowDetail dataset={dataset} row={open} filter={question.filter} ask={ask}>
            <Text size="sm">
              {durationWords(open.durationMs ?? 0)}, of which its own {durationWords(open.selfMs)}; began{' '}
              {durationWords(open.offsetMs)} after the trace
            </Text>
          </RowDetail>
        </Panel>
      )}
    </>
  )
}

function Summary({ trace }: Pick<WholeTraceProps, 'trace'>) {
  const { spans, services, errors, durationMs, from, partial } = trace
  return (
    <>
      <Text size="sm" role="status">
        <strong>{countOf(spans.length, 'span')}</strong> in {durationWords(durationMs)}, from {exactOf(from)};{' '}
        {errors === 0 ? 'no errors' : countOf(errors, 'error')}
      </Text>
      <Group gap="md">
        {services.map((service, index) => (
          <Group key={service} gap={6} wrap="nowrap">
            <span className="atrium-swatch" style={{ background: serviceColour(index) }} />
            <Text size="sm">{service}</Text>
          </Group>
        ))}
      </Group>
      {partial && (
        <Alert variant="light" color="yellow" icon={<Info size={18} aria-hidden />}>
          <Text size="sm">The trace has more spans than can be shown at once: the first 10,000 are here.</Text>
        </Alert>
      )}
    </>
  )
}
