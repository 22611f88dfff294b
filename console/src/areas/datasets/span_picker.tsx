// Which span of time is looked at: one that ends now, or one with a beginning and an end.
import { Button, Group, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Ask, lasts, type Question, type Span } from './question.ts'

const own = 'own'

type SpanPickerProps = { question: Question; span: Span; ask: Ask }

export function SpanPicker({ question, span, ask }: SpanPickerProps) {
  const [isOwn, setIsOwn] = useState(false)
  const isShown = isOwn || question.last === null
  const choose = (chosen: string | null) => {
    setIsOwn(chosen === own)
    if (chosen !== null && chosen !== own) ask({ last: chosen, from: undefined, to: undefined })
  }
  return (
    <Group align="start" gap="sm">
      <Select
        label="Time"
        w={180}
        data={[
          ...Object.entries(lasts).map(([value, { title }]) => ({ value, label: title })),
          { value: own, label: 'From and to …' },
        ]}
        allowDeselect={false}
        value={isShown ? own : question.last}
        onChange={choose}
      />
      {isShown && (
        <OwnSpan
          key={`${question.from} ${question.to}`}
          span={span}
          onSpan={chosen => {
            setIsOwn(false)
            ask({ ...chosen, last: undefined, live: undefined })
          }}
        />
      )}
    </Group>
  )
}

function OwnSpan({ span, onSpan }: { span: Span; onSpan: (span: Span) => void }) {
  const [from, setFrom] = useState(() => localOf(span.from))
  const [to, setTo] = useState(() => localOf(span.to))
  const [remark, setRemark] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [start, end] = [new Date(from), new Date(to)]
    const isTold = !Number.isNaN(start.getTime()) && !Number.isNaN(end.getTime())
    setRemark(isTold ? (start < end ? null : 'Choose a time before the end') : 'Fill in both times')
    if (isTold && start < end) onSpan({ from: start.toISOString(), to: end.toISOString() })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Group align="start" gap="sm">
        <TextInput
          type="datetime-local"
          step={1}
          label="From"
          error={remark}
          value={from}
          onChange={event => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          step={1}
          label="To"
          value={to}
          onChange={event => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" mt={25}>
          Apply
        </Button>
      </Group>
    </form>
  )
}

/** As the field wants it, in the time of the person who looks. */
function localOf(iso: string): string {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
