// When it was: a slider from a while ago until now, with a mark for every change in between.
import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { momentOf } from '../../../format.ts'
import { type Picturing, spanMs, spans } from './look_of.ts'

const steps = 120
const waitMs = 250

type TimeSliderProps = { look: Picturing; start: number; end: number; changes: readonly string[] }

export function TimeSlider({ look: { at, span, put }, start, end, changes }: TimeSliderProps) {
  const told = at === undefined ? steps : stepOf(Date.parse(at), start, end)
  const [step, setStep] = useState(told)
  useEffect(() => setStep(told), [told])
  const momentAt = (one: number) => new Date(start + ((end - start) * one) / steps).toISOString()
  const tell = useDebouncedCallback((one: number) => put({ at: one === steps ? undefined : momentAt(one) }), waitMs)
  const words = step === steps ? 'Now' : momentOf(momentAt(step))
  return (
    <Group gap="sm" wrap="wrap" role="group" aria-label="Time">
      <NativeSelect
        aria-label="How far back"
        size="xs"
        value={span}
        data={Object.entries(spans).map(([value, [label]]) => ({ value, label: `Last ${label}` }))}
        onChange={event => put({ span: event.currentTarget.value, at: undefined })}
      />
      <div className="atrium-time">
        <input
          type="range"
          aria-label="As it was at"
          aria-valuetext={words}
          min={0}
          max={steps}
          value={step}
          onChange={event => {
            const next = Number(event.currentTarget.value)
            setStep(next)
            tell(next)
          }}
        />
        {[...new Set(changes.map(time => stepOf(Date.parse(time), start, end)))].map(one => (
          <i key={one} aria-hidden style={{ insetInlineStart: `calc(8px + (100% - 16px) * ${one / steps})` }} />
        ))}
      </div>
      <Text size="sm" miw={60} role="status">
        {words}
      </Text>
      {step !== steps && (
        <Button size="xs" variant="default" onClick={() => put({ at: undefined })}>
          Back to now
        </Button>
      )}
    </Group>
  )
}

function stepOf(time: number, start: number, end: number): number {
  return Math.max(0, Math.min(steps, Math.round(((time - start) / (end - start)) * steps)))
}

/** The end stands still while the page is open: a slider that moves by itself cannot be held. */
export function useSpan(span: Picturing['span']): { start: number; end: number } {
  const [end] = useState(() => Date.now())
  return { start: end - spanMs(span), end }
}
