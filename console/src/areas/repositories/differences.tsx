// The files that differ between two commits, each with the way to it.
import { Button } from '@mantine/core'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { ChangedFiles, type DiffFile } from '../../parts/diff.tsx'
import { usePlace } from './place.tsx'

type Found = ResultOf<'repositories.diff'>

export function Differences({ found }: { found: Found }) {
  const [, look] = usePlace()
  const { files, sha, baseSha, truncated } = found
  const open = ({ path, status }: DiffFile) => {
    const ref = status === 'deleted' ? baseSha : sha
    look({ tab: 'code', ref: ref ?? undefined, path, lines: undefined, commit: undefined } as never)
  }
  return (
    <ChangedFiles
      files={files}
      isTruncated={truncated}
      aside={file => (
        <Button size="compact-xs" variant="default" aria-label={`Open ${file.path}`} onClick={() => open(file)}>
          Open
        </Button>
      )}
    />
  )
}
