// What an autofix changes, file by file; where git cannot lay it onto its base, the patch as it was given.
import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { addressOf, download, RequestError } from '../../api.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { ChangedFiles, type DiffFile } from '../../parts/diff.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type Autofix, isReadable } from './autofix.ts'
import { Conflicts } from './check.tsx'
import { useLineComments } from './comments.tsx'

type Found = { files: DiffFile[]; truncated: boolean } | { patch: string }
type Path = { workspaceId: string; id: string }

export function Changes({ autofix, read }: { autofix: Autofix; read: string }) {
  const workspaceId = useWorkspaceId()
  const { id, baseSha } = autofix
  const mayBeRead = isReadable(autofix)
  // Not by the name of the operation: what was read stays as it is until somebody asks for another patch.
  const found = useQuery<Found, Error>({
    queryKey: ['autofix_changes', `${workspaceId} ${id}`, read, baseSha, mayBeRead],
    queryFn: ({ signal }) => changesOf({ workspaceId, id }, mayBeRead, signal),
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  })
  return (
    <Panel title="Changes">
      <Loaded query={found}>
        {changes => ('patch' in changes ? <Plain patch={changes.patch} /> : <Files autofix={autofix} {...changes} />)}
      </Loaded>
    </Panel>
  )
}

async function changesOf(path: Path, mayBeRead: boolean, signal: AbortSignal): Promise<Found> {
  if (mayBeRead) {
    try {
      return JSON.parse(await textOf(path, 'json', signal))
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 409) throw error
    }
  }
  return { patch: await textOf(path, 'patch', signal) }
}

async function textOf(path: Path, format: 'json' | 'patch', signal: AbortSignal): Promise<string> {
  return await new Blob(await download(addressOf('autofixes.diff', { ...path, format }), () => {}, signal)).text()
}

function Plain({ patch }: { patch: string }) {
  return (
    <Stack>
      <Alert color="gray">
        <Text size="sm">
          The repository cannot be read at the base of the patch. This is the patch as it was given.
        </Text>
      </Alert>
      <CopyBlock value={patch} label="Patch" />
    </Stack>
  )
}

function Files({ autofix, files, truncated }: { autofix: Autofix; files: DiffFile[]; truncated: boolean }) {
  const { check, repositoryId } = autofix
  const comments = useLineComments(autofix)
  const inTheWay = ({ path, oldPath }: DiffFile) =>
    check.conflicts.filter(conflict => conflict.path === path || conflict.path === oldPath)
  return (
    <ChangedFiles
      files={files}
      isTruncated={truncated}
      notice={file => {
        const conflicts = inTheWay(file)
        return conflicts.length > 0 && <Conflicts autofix={autofix} conflicts={conflicts} />
      }}
      aside={file => repositoryId !== null && file.status !== 'added' && <Before autofix={autofix} file={file} />}
      {...comments}
    />
  )
}

/** The file as it was before the patch. */
function Before({ autofix: { repositoryId, baseSha }, file }: { autofix: Autofix; file: DiffFile }) {
  const workspaceId = useWorkspaceId()
  const path = file.oldPath ?? file.path
  return (
    <LinkButton
      to={`/w/${workspaceId}/repositories/${repositoryId}` as '/'}
      search={{ tab: 'code', ref: baseSha, path } as never}
      size="compact-xs"
      variant="default"
      aria-label={`Open ${path}`}
    >
      Open
    </LinkButton>
  )
}
