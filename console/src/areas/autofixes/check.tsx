// What git says of a patch, in words: whether it applies, what is in its way and where, and what to look at twice.
import { Alert, Group, Stack, Text } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type Autofix, type Check, checkStates, warningWords } from './autofix.ts'

type Conflict = Check['conflicts'][number]

export function CheckPanel({ autofix }: { autofix: Autofix }) {
  const { state, at, conflicts, warnings } = autofix.check
  const { about } = checkStates[state]
  return (
    <Panel title="Check">
      <Stack gap="sm">
        <Text size="sm">
          {about}{' '}
          <Text span size="sm" c="dimmed">
            Checked <Moment at={at} />.
          </Text>
        </Text>
        {conflicts.length > 0 && <Conflicts autofix={autofix} conflicts={conflicts} />}
        {warnings.length > 0 && <Warnings warnings={warnings} />}
      </Stack>
    </Panel>
  )
}

type ConflictsProps = { autofix: Autofix; conflicts: readonly Conflict[] }

export function Conflicts({ autofix, conflicts }: ConflictsProps) {
  return (
    <Alert color="red" title={conflicts.length === 1 ? 'Conflict' : 'Conflicts'} p="sm">
      <Stack component="ul" className="atrium-plain-list" gap={4}>
        {conflicts.map(conflict => (
          <li key={`${conflict.path}:${conflict.line} ${conflict.text}`}>
            <Text size="sm" component="div">
              <Where autofix={autofix} conflict={conflict} /> {conflict.text}
            </Text>
          </li>
        ))}
      </Stack>
    </Alert>
  )
}

/** Leads to the line as it is in the repository, at the commit that was looked at. */
function Where({ autofix, conflict: { path, line } }: { autofix: Autofix; conflict: Conflict }) {
  const workspaceId = useWorkspaceId()
  const { repositoryId, check, baseSha } = autofix
  const words = line ? `${path}:${line}` : path
  const ref = check.state === 'invalid' ? baseSha : check.headSha
  if (repositoryId === null || ref === null) {
    return (
      <Text span inherit ff="monospace">
        {words}
      </Text>
    )
  }
  return (
    <LinkText
      to={`/w/${workspaceId}/repositories/${repositoryId}` as '/'}
      search={{ tab: 'code', ref, path, ...(line && { lines: String(line) }) } as never}
      inherit
      ff="monospace"
      underline="always"
      style={{ overflowWrap: 'anywhere' }}
    >
      {words}
    </LinkText>
  )
}

function Warnings({ warnings }: { warnings: Check['warnings'] }) {
  return (
    <Alert color="yellow" title="Look at this twice" icon={<TriangleAlert size={18} aria-hidden />} p="sm">
      <Stack component="ul" className="atrium-plain-list" gap={4}>
        {warnings.map(({ kind, path }) => (
          <li key={`${kind} ${path}`}>
            <Group gap="xs">
              <Text size="sm">{warningWords[kind]}</Text>
              {path && (
                <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {path}
                </Text>
              )}
            </Group>
          </li>
        ))}
      </Stack>
    </Alert>
  )
}
