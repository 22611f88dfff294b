// The steps of a definition to be read: what each does, with what, and what stands inside it.
import './automations.css'
import { Code, Stack, Text } from '@mantine/core'
import type { Row } from '../../named.ts'
import { durationOf } from '../../units.ts'
import type { Step } from './automation.ts'
import { innerLists } from './deeds.ts'
import { deedWords } from './words.ts'

type StepsShownProps = { steps: readonly Step[]; prefix?: string; depth?: number }

export function StepsShown({ steps, prefix = '', depth = 0 }: StepsShownProps) {
  return (
    <ol className="atrium-steps">
      {steps.map((step, index) => {
        const number = `${prefix}${index + 1}`
        return (
          <li key={number}>
            <OneStep step={step} number={number} depth={depth} />
          </li>
        )
      })}
    </ol>
  )
}

function OneStep({ step, number, depth }: { step: Step; number: string; depth: number }) {
  const lists = innerLists(step.do, depth).filter(([name]) => (step[name]?.length ?? 0) > 0)
  return (
    <div className="atrium-step">
      <Stack gap={4}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <strong>
            {number}. {deedWords(step.do)}
          </strong>{' '}
          {step.id && (
            <Text span size="xs" c="dimmed" ff="monospace">
              {step.id}
            </Text>
          )}
        </Text>
        {step.if && (
          <Text size="sm">
            if <Code>{step.if}</Code>
          </Text>
        )}
        <Given value={step.with ?? {}} />
        {terms(step) && (
          <Text size="xs" c="dimmed">
            {terms(step)}
          </Text>
        )}
        {lists.map(([name, title]) => (
          <Stack key={name} gap={4} mt={4}>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <div className="atrium-inner-steps">
              <StepsShown
                steps={step[name] ?? []}
                prefix={`${number}.${name === 'else' ? 'else.' : ''}`}
                depth={depth + 1}
              />
            </div>
          </Stack>
        ))}
      </Stack>
    </div>
  )
}

function Given({ value }: { value: Row }) {
  return Object.entries(value).map(([name, given]) => (
    <Text key={name} size="sm" lineClamp={6} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      <Text span c="dimmed">
        {name}:
      </Text>{' '}
      {typeof given === 'string' ? given : JSON.stringify(given)}
    </Text>
  ))
}

function terms({ retry, timeoutSeconds, onError }: Step): string {
  return [
    ...(timeoutSeconds ? [`ends after ${durationOf(timeoutSeconds)}`] : []),
    ...(retry ? [`tried again up to ${retry.max} times, from ${durationOf(retry.backoffSeconds)} on`] : []),
    ...(onError === 'continue' ? ['goes on when it fails'] : []),
  ].join(', ')
}
