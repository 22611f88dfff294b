// What is wrong with the text of a skill and what would make it better, while it is written.
import { Alert, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { CircleAlert, CircleCheck, Lightbulb } from 'lucide-react'
import { useCall } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import type { Finding } from './skill.ts'

const pauseMs = 300

/** Asked again when the writer pauses; undefined until the first answer. */
export function useFindings(markdown: string) {
  const workspaceId = useWorkspaceId()
  const [settled] = useDebouncedValue(markdown, pauseMs)
  return useCall('skills.validate', { workspaceId, markdown: settled }, { keep: true }).data
}

type FindingsProps = { errors: readonly Finding[]; advice: readonly Finding[]; withLines: boolean }

export function Findings({ errors, advice, withLines }: FindingsProps) {
  if (errors.length + advice.length === 0) {
    return (
      <Alert color="green" icon={<CircleCheck size={18} aria-hidden />} role="status">
        The text is a valid skill.
      </Alert>
    )
  }
  return (
    <Stack gap="xs" role="status" aria-label="Findings">
      {errors.length > 0 && (
        <Alert color="red" title="To be corrected" icon={<CircleAlert size={18} aria-hidden />}>
          <Lines findings={errors} withLines={withLines} />
        </Alert>
      )}
      {advice.length > 0 && (
        <Alert color="blue" title="Advice" icon={<Lightbulb size={18} aria-hidden />}>
          <Lines findings={advice} withLines={withLines} />
        </Alert>
      )}
    </Stack>
  )
}

function Lines({ findings, withLines }: { findings: readonly Finding[]; withLines: boolean }) {
  return (
    <ul className="atrium-plain-list">
      {findings.map(({ line, field, message }) => (
        <Text component="li" size="sm" key={`${line} ${field} ${message}`}>
          {withLines && `Line ${line}: `}
          {message}
        </Text>
      ))}
    </ul>
  )
}
