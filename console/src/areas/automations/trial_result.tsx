// What a trial says: whether it would start, and of each step what it would be given and why it would be refused.
import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { CircleCheck, SkipForward } from 'lucide-react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { Panel } from '../../parts/page.tsx'
import { Json } from '../../parts/render.tsx'
import { deedWords, placeWords } from './words.ts'

export type DryRun = ResultOf<'automations.dryRun'>
type TriedStep = DryRun['steps'][number]

const runs: Readonly<Record<TriedStep['runs'], readonly [string, string]>> = {
  yes: ['Would run', 'green'],
  no: ['Would be left out', 'gray'],
  unknown: ['Hangs on earlier steps', 'yellow'],
}

export function TrialResult({ result: { starts, why, steps } }: { result: DryRun }) {
  const Icon = starts ? CircleCheck : SkipForward
  return (
    <Stack role="status" aria-label="What it would do">
      <Alert
        color={starts ? 'green' : 'gray'}
        title={starts ? 'It would start' : 'It would not start'}
        icon={<Icon size={18} aria-hidden />}
      >
        {why}
      </Alert>
      {steps.length > 0 && (
        <Panel title="What the steps would be given">
          <Stack component="ol" className="atrium-plain-list atrium-parted" gap="lg">
            {steps.map(step => (
              <li key={step.path}>
                <Tried step={step} />
              </li>
            ))}
          </Stack>
        </Panel>
      )}
    </Stack>
  )
}

function Tried({ step }: { step: TriedStep }) {
  const [words, color] = runs[step.runs]
  return (
    <Stack gap="xs">
      <Group gap={6}>
        <Text span size="sm" fw={600}>
          {placeWords(step.path)}. {deedWords(step.do)}
        </Text>
        {step.operation && step.operation !== step.do && (
          <Text span size="xs" c="dimmed" ff="monospace">
            {step.operation}
          </Text>
        )}
        <Badge color={color}>{words}</Badge>
        {step.refusal && <Badge color="red">Would be refused</Badge>}
      </Group>
      {step.refusal && (
        <Text size="sm" c="var(--mantine-color-error)">
          {step.refusal}
        </Text>
      )}
      {step.runs !== 'no' && <Json value={step.input} open={3} />}
    </Stack>
  )
}
