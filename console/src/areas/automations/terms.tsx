// How it runs: side by side or one after the other, how long, how often, and what is made up for.
import { NumberInput, Select, SimpleGrid, Stack } from '@mantine/core'
import type { Draft, Terms as RunTerms } from './automation.ts'
import { useFault } from './check.ts'
import { RetryFields } from './step_more.tsx'

const concurrencies: Readonly<Record<RunTerms['concurrency'], string>> = {
  queue: 'Queue the next, up to 100',
  skip: 'Skip the next',
  parallel: 'Run up to ten side by side',
}

const missed: Readonly<Record<RunTerms['missed'], string>> = {
  skip: 'Skip it',
  run_once: 'Run once for all of it',
}

type TermsProps = { draft: Draft; set: (fields: Partial<Draft>) => void }

export function Terms({ draft, set }: TermsProps) {
  const hasSchedule = draft.triggers.some(({ on }) => on === 'schedule')
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="While one is at work"
          data={Object.entries(concurrencies).map(([value, label]) => ({ value, label }))}
          value={draft.concurrency}
          allowDeselect={false}
          onChange={value => set({ concurrency: (value ?? 'queue') as RunTerms['concurrency'] })}
        />
        {hasSchedule && (
          <Select
            label="What came due while nothing ran"
            data={Object.entries(missed).map(([value, label]) => ({ value, label }))}
            value={draft.missed}
            allowDeselect={false}
            onChange={value => set({ missed: (value ?? 'skip') as RunTerms['missed'] })}
          />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
        <NumberInput
          label="Ends after (seconds)"
          description="Of work; what it waits is not counted"
          hideControls
          clampBehavior="none"
          value={draft.timeoutSeconds}
          error={useFault('timeoutSeconds', false)}
          onChange={value => set({ timeoutSeconds: Number(value) })}
        />
        <NumberInput
          label="At most per hour"
          description="What is more is skipped"
          hideControls
          clampBehavior="none"
          value={draft.maxPerHour}
          error={useFault('maxPerHour', false)}
          onChange={value => set({ maxPerHour: Number(value) })}
        />
        <RetryFields place="retry" value={draft.retry ?? undefined} onChange={retry => set({ retry: retry ?? null })} />
      </SimpleGrid>
    </Stack>
  )
}
