// What came of an autofix, and how it is taken to a copy of one's own.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { addressOf } from '../../api.ts'
import { CopyLine } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/table.tsx'
import { type Autofix, isReadable } from './autofix.ts'

export function Taking({ autofix }: { autofix: Autofix }) {
  return (
    <Panel title={autofix.branch ? 'Applied' : 'Take it along'}>
      <Stack gap="sm">
        {autofix.branch && <Delivered autofix={autofix} branch={autofix.branch} />}
        <Files autofix={autofix} />
      </Stack>
    </Panel>
  )
}

function Delivered({ autofix, branch }: { autofix: Autofix; branch: string }) {
  const { commitSha, pushedAt, pullRequestUrl, mergedSha } = autofix
  const sha = (of: string) => (
    <Text span size="sm" ff="monospace">
      {of.slice(0, 9)}
    </Text>
  )
  const facts: ([string, ReactNode] | null)[] = [
    commitSha === null ? null : ['Commit', sha(commitSha)],
    ['Pushed', <Moment key="pushed" at={pushedAt} none="No, it is kept here" />],
    pullRequestUrl === null ? null : ['Pull request', <PullRequest key="pull" address={pullRequestUrl} />],
    mergedSha === null ? null : ['Merged as', sha(mergedSha)],
  ]
  return (
    <>
      <CopyLine value={branch} label="Copy the branch" />
      <Facts label="What came of it" width={100} facts={facts.filter(fact => fact !== null)} />
      {pushedAt !== null && <CopyLine value={`git fetch origin ${branch}`} label="Copy the command that fetches it" />}
    </>
  )
}

/** It comes from another service: only what is surely an address is a link. */
function PullRequest({ address }: { address: string }) {
  if (!/^https?:\/\//.test(address)) return address
  return (
    <Anchor href={address} target="_blank" rel="noopener noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {address}
    </Anchor>
  )
}

function Files({ autofix }: { autofix: Autofix }) {
  const { workspaceId, id } = autofix
  const hasMail = isReadable(autofix)
  const format = hasMail ? ('mbox' as const) : ('patch' as const)
  return (
    <>
      <Group>
        <Button
          component="a"
          size="xs"
          variant="default"
          href={addressOf('autofixes.diff', { workspaceId, id, format })}
          download={`${id}.${hasMail ? 'mbox' : 'diff'}`}
          leftSection={<Download size={14} aria-hidden />}
        >
          {hasMail ? 'Download mbox' : 'Download the patch'}
        </Button>
      </Group>
      <Text size="sm">Then, in your copy of the repository:</Text>
      <CopyLine value={hasMail ? `git am < ${id}.mbox` : `git apply ${id}.diff`} label="Copy the command" />
    </>
  )
}
