// Tries an automation on a past event, a form or a payload: what it would do, and nothing is done.
import { Autocomplete, Button, Group, JsonInput, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import { useAct, useCall } from '../../api.ts'
import { actorName, type Entry, verbOf } from '../../audit/sentence.tsx'
import { Form } from '../../form/form.tsx'
import { agoOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { useStanding } from '../../session.ts'
import { isMeant } from '../integrations/catalog.ts'
import type { Automation } from './automation.ts'
import { fieldsIn, gatheredUnder } from './schema_fields.ts'
import { type DryRun, TrialResult } from './trial_result.tsx'

type Way = 'event' | 'form' | 'payload'

const ways: Readonly<Record<Way, string>> = { event: 'A past event', form: 'By hand', payload: 'A payload' }

function waysOf({ triggers }: Automation): Way[] {
  const has = (...kinds: readonly string[]) => triggers.some(({ on }) => kinds.includes(on))
  return [
    ...(has('event', 'issue.matched') ? (['event'] as const) : []),
    ...(has('manual', 'schedule') ? (['form'] as const) : []),
    ...(has('webhook') ? (['payload'] as const) : []),
  ]
}

export function Trial({ record }: { record: Row }) {
  const automation = record as Automation
  const offered = waysOf(automation)
  const [way, setWay] = useState<Way>(offered[0] ?? 'form')
  const [result, setResult] = useState<DryRun | null>(null)
  return (
    <Stack>
      <Panel
        title="Try it"
        about="Shows what each step would be given, and whether it would be let in. Nothing is done."
      >
        <Stack>
          {offered.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label="What it is tried with"
              style={{ alignSelf: 'flex-start' }}
              value={way}
              onChange={next => {
                setWay(next as Way)
                setResult(null)
              }}
              data={offered.map(value => ({ value, label: ways[value] }))}
            />
          )}
          {way === 'event' && <ByEvent automation={automation} onResult={setResult} />}
          {way === 'form' && <ByForm automation={automation} onResult={setResult} />}
          {way === 'payload' && <ByPayload automation={automation} onResult={setResult} />}
        </Stack>
      </Panel>
      {result && <TrialResult result={result} />}
    </Stack>
  )
}

type WayProps = { automation: Automation; onResult: (result: DryRun | null) => void }

const mostRecent = 100

/** By its number, or one of the last that its triggers are for. */
function ByEvent({ automation, onResult }: WayProps) {
  const { workspaceId, id, triggers } = automation
  const { may } = useStanding()
  const [seq, setSeq] = useState<number | ''>('')
  const input = { workspaceId, perPage: mostRecent, orderBy: 'seq' as const, order: 'desc' as const }
  const log = useCall('audit_logs.list', input, { enabled: may('audit_logs.list') })
  const globs = triggers.map(({ on, event }) => (on === 'issue.matched' ? 'issues.*' : (event ?? '')))
  const recent = (log.data?.items ?? []).filter(
    ({ action, outcome }) => outcome === 'success' && globs.some(glob => isMeant(glob, action)),
  )
  const act = useAct('automations.dryRun', { onDone: onResult })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (seq !== '') act.mutate({ workspaceId, id, eventSeq: seq })
  }
  const offers = recent.map(entry => ({ seq: entry.seq, words: entryWords(entry) }))
  return (
    <form onSubmit={submit}>
      <Stack>
        {offers.length > 0 ? (
          <RecentEvents offers={offers} onPick={setSeq} />
        ) : (
          <Text size="sm" c="dimmed">
            {may('audit_logs.list')
              ? 'Nothing that it is for happened lately. The number of any other event stands in the audit log.'
              : 'The number of an event stands in the audit log. Ask somebody who may read it.'}
          </Text>
        )}
        <NumberInput
          label="Number in the audit log"
          maw={260}
          hideControls
          allowDecimal={false}
          min={1}
          value={seq}
          onChange={value => setSeq(value === '' ? '' : Number(value))}
        />
        <Failure error={act.error} onRetry={act.again} />
        <Group justify="flex-end">
          <Button type="submit" loading={act.isPending} disabled={seq === ''}>
            Try it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function entryWords(entry: Entry): string {
  return `${entry.seq} · ${entry.action} · ${actorName(entry)} ${verbOf(entry.action)} it ${agoOf(entry.at)}`
}

type RecentProps = { offers: readonly { seq: number; words: string }[]; onPick: (seq: number) => void }

function RecentEvents({ offers, onPick }: RecentProps) {
  const [text, setText] = useState('')
  return (
    <Autocomplete
      label="A recent event"
      placeholder="Choose one, or type to find it"
      data={offers.map(({ words }) => words)}
      limit={30}
      value={text}
      onChange={next => {
        setText(next)
        const picked = offers.find(({ words }) => words === next)
        if (picked) onPick(picked.seq)
      }}
    />
  )
}

function ByForm({ automation, onResult }: WayProps) {
  const { workspaceId, id, triggers } = automation
  const form = triggers.find(({ on }) => on === 'manual')?.form
  const fields = useMemo(() => fieldsIn(form, 'input'), [form])
  return (
    <Stack>
      {fields.length === 0 && <Text size="sm">It asks for nothing.</Text>}
      <Form
        id="automations.dryRun"
        fixed={{ workspaceId, id }}
        fields={fields}
        toInput={input => gatheredUnder('input', input)}
        label="Try it"
        onDone={result => onResult(result as DryRun)}
      />
    </Stack>
  )
}

function ByPayload({ automation: { workspaceId, id }, onResult }: WayProps) {
  const [text, setText] = useState('{}')
  const act = useAct('automations.dryRun', { onDone: onResult })
  const payload = parsed(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (payload !== undefined) act.mutate({ workspaceId, id, payload })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <JsonInput
          label="Payload"
          description="As the webhook would bring it"
          autosize
          minRows={4}
          maxRows={24}
          formatOnBlur
          value={text}
          error={payload === undefined && 'Write valid JSON'}
          onChange={setText}
        />
        <Failure error={act.error} onRetry={act.again} />
        <Group justify="flex-end">
          <Button type="submit" loading={act.isPending} disabled={payload === undefined}>
            Try it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
