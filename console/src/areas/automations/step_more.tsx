// What few steps need: their name, when they are left out, and what happens when they fail.
import { Button, Group, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Retry, type Step, uid } from './automation.ts'
import { useFault } from './check.ts'

type Changed = { [K in 'id' | 'retry' | 'timeoutSeconds' | 'onError']?: Step[K] | undefined }

/** What is empty is left out; the card stays the same card. */
function changed(step: Step, fields: Changed): Step {
  const kept = Object.entries({ ...step, ...fields }).filter(([, value]) => value !== undefined && value !== '')
  return { ...(Object.fromEntries(kept) as Step), ...(step[uid] !== undefined && { [uid]: step[uid] }) }
}

type StepMoreProps = { place: string; step: Step; onChange: (step: Step) => void; children: ReactNode }

export function StepMore({ place, step, onChange, children }: StepMoreProps) {
  const isUsed = step.retry !== undefined || step.timeoutSeconds !== undefined || step.onError !== undefined
  const [isOpen, setIsOpen] = useState(isUsed || (step.if !== undefined && step.do !== 'branch'))
  const faults = {
    id: useFault(`${place}.id`, !step.id),
    timeout: useFault(`${place}.timeoutSeconds`, false),
    onError: useFault(`${place}.onError`, false),
  }
  const set = (fields: Changed) => onChange(changed(step, fields))
  if (!isOpen && !faults.id) {
    return (
      <Group>
        <Button size="compact-sm" variant="subtle" aria-expanded={false} onClick={() => setIsOpen(true)}>
          More
        </Button>
      </Group>
    )
  }
  return (
    <Stack gap="sm">
      {children}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Name"
          description="Later steps read what it gave as steps.<name>.output"
          value={step.id ?? ''}
          error={faults.id}
          spellCheck={false}
          onChange={event => set({ id: event.currentTarget.value.trim() })}
        />
        <Select
          label="When it fails"
          description="After all tries"
          data={[
            { value: 'stop', label: 'Stop' },
            { value: 'continue', label: 'Go on with the next step' },
          ]}
          value={step.onError ?? 'stop'}
          error={faults.onError}
          allowDeselect={false}
          onChange={value => set({ onError: value === 'continue' ? 'continue' : undefined })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Seconds
          label="Ends after (seconds)"
          value={step.timeoutSeconds}
          error={faults.timeout}
          onChange={timeoutSeconds => set({ timeoutSeconds })}
        />
        <RetryFields place={`${place}.retry`} value={step.retry} onChange={retry => set({ retry })} />
      </SimpleGrid>
    </Stack>
  )
}

type RetryFieldsProps = { place: string; value: Retry | undefined; onChange: (retry: Retry | undefined) => void }

export function RetryFields({ place, value, onChange }: RetryFieldsProps) {
  const error = useFault(place, value === undefined)
  return (
    <>
      <Seconds
        label="Further tries"
        value={value?.max}
        error={error}
        onChange={max => onChange(max ? { max, backoffSeconds: value?.backoffSeconds ?? 10 } : undefined)}
      />
      <Seconds
        label="Wait between (seconds)"
        value={value?.backoffSeconds}
        isDisabled={value === undefined}
        onChange={seconds => value && onChange({ ...value, backoffSeconds: seconds ?? 10 })}
      />
    </>
  )
}

type SecondsProps = {
  label: string
  value: number | undefined
  error?: string | undefined
  isDisabled?: boolean
  onChange: (value: number | undefined) => void
}

function Seconds({ label, value, error, isDisabled = false, onChange }: SecondsProps) {
  return (
    <NumberInput
      label={label}
      value={value ?? ''}
      error={error}
      disabled={isDisabled}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      onChange={next => onChange(next === '' ? undefined : Number(next))}
    />
  )
}
