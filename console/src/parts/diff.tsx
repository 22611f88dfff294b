// What differs, file by file: unified or side by side, with what can be said of a file and of each of its lines.
import { Badge, Button, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { countOf, wordsOf } from '../format.ts'
import { useWatched, watched } from '../store.ts'
import { type DiffHunk, DiffLines, type LineSlots } from './diff_lines.tsx'

export type { DiffHunk, DiffLine, LinePlace } from './diff_lines.tsx'

/** As `repositories.diff` answers it; patches of other origins are brought into the same form. */
export type DiffFile = {
  path: string
  /** Where it was renamed or copied from. */
  oldPath: string | null
  status: 'added' | 'copied' | 'deleted' | 'modified' | 'renamed' | 'type_changed'
  similarity?: number | null
  oldMode?: string | null
  newMode?: string | null
  isBinary: boolean
  /** Lines; null where nobody has counted them. */
  added: number | null
  removed: number | null
  /** Null where they are too long to be shown. */
  hunks: readonly DiffHunk[] | null
}

export type ChangedFilesProps = {
  files: readonly DiffFile[]
  /** There is more than `files` has. */
  isTruncated?: boolean
  /** At the end of a file's head: links to it. */
  aside?: (file: DiffFile) => ReactNode
  /** Between the head of a file and its lines: conflicts. */
  notice?: (file: DiffFile) => ReactNode
} & LineSlots

/** Files are folded once so many lines are shown, and a file that has more by itself always is. */
const mostLines = 4_000
const mostOfOne = 1_000
const filesAtOnce = 100

const kept = 'atrium.diff'
const isSplitWanted = watched(localStorage.getItem(kept) === 'split')

export function ChangedFiles({ files, isTruncated = false, ...more }: ChangedFilesProps) {
  const [shown, setShown] = useState(filesAtOnce)
  const isNarrow = useMediaQuery('(max-width: 60em)') ?? false
  const isSplit = useWatched(isSplitWanted) && !isNarrow
  const prefix = useId()
  if (files.length === 0) return <Text size="sm">Nothing is different.</Text>
  const folded = foldedOf(files)
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Summary files={files} isTruncated={isTruncated} />
        {!isNarrow && <LayoutChoice />}
      </Group>
      {files.length > 1 && <Contents files={files.slice(0, shown)} prefix={prefix} />}
      {files.slice(0, shown).map((file, index) => (
        <ChangedFile
          key={`${file.oldPath} ${file.path}`}
          id={`${prefix}${index}`}
          file={file}
          isSplit={isSplit}
          isFolded={folded[index] ?? false}
          {...more}
        />
      ))}
      {files.length > shown && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setShown(shown + filesAtOnce)}>
            Show {Math.min(filesAtOnce, files.length - shown)} more files
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const linesOf = ({ hunks }: DiffFile) => (hunks ?? []).reduce((sum, { lines }) => sum + lines.length, 0)

function foldedOf(files: readonly DiffFile[]): boolean[] {
  let sum = 0
  return files.map(file => {
    const own = linesOf(file)
    if (own > mostOfOne || sum + own > mostLines) return true
    sum += own
    return false
  })
}

function Summary({ files, isTruncated }: { files: readonly DiffFile[]; isTruncated: boolean }) {
  const sum = (name: 'added' | 'removed') => files.reduce((all, file) => all + (file[name] ?? 0), 0)
  return (
    <Text size="sm" role="status">
      {countOf(files.length, 'file')}, {countOf(sum('added'), 'line')} added, {sum('removed')} taken away
      {isTruncated ? '; not all of it can be shown' : ''}
    </Text>
  )
}

function LayoutChoice() {
  const isSplit = useWatched(isSplitWanted)
  const choose = (value: string) => {
    localStorage.setItem(kept, value)
    isSplitWanted.set(value === 'split')
  }
  return (
    <SegmentedControl
      size="xs"
      aria-label="How changes are shown"
      value={isSplit ? 'split' : 'unified'}
      onChange={choose}
      data={[
        { value: 'unified', label: 'Unified' },
        { value: 'split', label: 'Split' },
      ]}
    />
  )
}

/** What there is, before it is read; each name leads to its file. */
function Contents({ files, prefix }: { files: readonly DiffFile[]; prefix: string }) {
  return (
    <details>
      <Text size="sm" component="summary" style={{ cursor: 'pointer' }}>
        Names of the files
      </Text>
      <Stack component="ul" className="atrium-plain-list" gap={4} mt="xs">
        {files.map((file, index) => (
          <li key={`${file.oldPath} ${file.path}`}>
            <Group gap="xs" wrap="nowrap" justify="space-between" maw={720}>
              <UnstyledButton
                fz="sm"
                ff="monospace"
                c="var(--mantine-color-anchor)"
                style={{ overflowWrap: 'anywhere' }}
                mih={24}
                onClick={() => document.getElementById(`${prefix}${index}`)?.scrollIntoView()}
              >
                {file.path}
              </UnstyledButton>
              <Count file={file} />
            </Group>
          </li>
        ))}
      </Stack>
    </details>
  )
}

function Count({ file: { added, removed } }: { file: DiffFile }) {
  if (added === null || removed === null) return null
  return (
    <span className="atrium-changed-count">
      <ins>+{added}</ins> <del>−{removed}</del>
    </span>
  )
}

type FileProps = Omit<ChangedFilesProps, 'files' | 'isTruncated'> & {
  id: string
  file: DiffFile
  isSplit: boolean
  isFolded: boolean
}

const colours: Readonly<Record<string, string>> = { added: 'green', deleted: 'red', renamed: 'blue', copied: 'blue' }

function ChangedFile({ id, file, isSplit, isFolded, aside, notice, ...slots }: FileProps) {
  const [isOpen, setOpen] = useState(!isFolded)
  const { path, oldPath, status, hunks } = file
  const Icon = isOpen ? ChevronDown : ChevronRight
  const told = notice?.(file)
  return (
    <article className="atrium-changed-file" id={id} aria-label={path}>
      <header>
        <h2>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon size={14} aria-hidden style={{ verticalAlign: '-2px' }} />{' '}
            {oldPath === null || oldPath === path ? path : `${oldPath} → ${path}`}
          </button>
        </h2>
        {status !== 'modified' && <Badge color={colours[status] ?? 'gray'}>{wordsOf(status)}</Badge>}
        <Count file={file} />
        {aside?.(file)}
      </header>
      {told && <div style={{ padding: '0.5rem 0.75rem' }}>{told}</div>}
      {isOpen && hunks && hunks.length > 0 && !file.isBinary && (
        <DiffLines path={path} hunks={hunks} isSplit={isSplit} {...slots} />
      )}
      {isOpen && (file.isBinary || !hunks?.length) && <Remark file={file} />}
      {!isOpen && isFolded && (
        <Group px="sm" py="xs">
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            Show {countOf(linesOf(file), 'line')}
          </Button>
        </Group>
      )}
    </article>
  )
}

/** Why there are no lines to see. */
function Remark({ file }: { file: DiffFile }) {
  return (
    <Text size="sm" px="sm" py="xs">
      {remarkOn(file)}
    </Text>
  )
}

function remarkOn({ isBinary, hunks, status, similarity, oldMode, newMode }: DiffFile): string {
  if (isBinary) return 'Not a text: its contents cannot be compared here.'
  if (hunks === null) return 'Too long to be shown.'
  if (oldMode && newMode && oldMode !== newMode) return `Only its mode changed, from ${oldMode} to ${newMode}.`
  if (status === 'renamed' || status === 'copied') {
    return similarity === undefined || similarity === null || similarity === 100
      ? 'Its contents are the same.'
      : `Its contents are ${similarity} % the same.`
  }
  return status === 'added' || status === 'deleted' ? 'An empty file.' : 'No line is different.'
}
