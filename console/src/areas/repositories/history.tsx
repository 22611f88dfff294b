// The commits of a repository, or of a path in it, and what each of them changed.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Differences } from './differences.tsx'
import { Crumbs, Readable, short, usePlace } from './place.tsx'

export function History({ record }: { record: Row }) {
  const [{ commit }] = usePlace()
  return (
    <Readable record={record}>
      {commit ? <OneCommit record={record} sha={commit} /> : <Commits record={record} />}
    </Readable>
  )
}

function Commits({ record }: { record: Row }) {
  const workspaceId = useWorkspaceId()
  const [{ ref, path }, look] = usePlace()
  const [after, setAfter] = useState(0)
  const asked = { workspaceId, id: String(record.id), limit: 50, after, ...(ref && { ref }), ...(path && { path }) }
  const found = useCall('repositories.commits', asked, { keep: true })
  return (
    <Stack>
      <Crumbs name={String(record.name)} path={path ?? ''} />
      <Loaded query={found}>
        {({ commits, next }) => (
          <Panel title={path ? `Commits that changed ${path}` : 'Commits'}>
            <Stack component="ul" className="atrium-plain-list" gap="xs">
              {commits.map(commit => (
                <li key={commit.sha}>
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    ta="left"
                    onClick={() => look({ commit: commit.sha } as never)}
                  >
                    {commit.subject || short(commit.sha)}
                  </Anchor>
                  <Group gap="xs">
                    <Text size="sm">{commit.author.name}</Text>
                    {commit.author.at && <Moment at={commit.author.at} />}
                    <Text size="sm" ff="monospace">
                      {short(commit.sha)}
                    </Text>
                  </Group>
                </li>
              ))}
            </Stack>
            <Group mt="sm">
              {after > 0 && (
                <Button size="xs" variant="default" onClick={() => setAfter(Math.max(0, after - 50))}>
                  Newer
                </Button>
              )}
              {next !== null && (
                <Button size="xs" variant="default" onClick={() => setAfter(next)}>
                  Older
                </Button>
              )}
            </Group>
          </Panel>
        )}
      </Loaded>
    </Stack>
  )
}

function OneCommit({ record, sha }: { record: Row; sha: string }) {
  const workspaceId = useWorkspaceId()
  const [, look] = usePlace()
  const place = { workspaceId, id: String(record.id) }
  const commit = useCall('repositories.commits', { ...place, ref: sha, limit: 1 })
  const diff = useCall('repositories.diff', { ...place, head: sha })
  const message = commit.data?.commits[0]?.message
  return (
    <Stack>
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<ArrowLeft size={14} aria-hidden />}
          onClick={() => look({ commit: undefined } as never)}
        >
          All commits
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => look({ tab: 'code', ref: sha, commit: undefined, path: undefined } as never)}
        >
          Files at {short(sha)}
        </Button>
      </Group>
      {message && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {message}
        </Text>
      )}
      <Loaded query={diff}>{found => <Differences found={found} />}</Loaded>
    </Stack>
  )
}
