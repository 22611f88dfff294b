// The lines of a file with their numbers, each with an address of its own, and with who wrote them where that is wanted.
import './lines.css'
import { Anchor, Text } from '@mantine/core'
import { type ReactNode, startTransition, useEffect, useMemo, useRef, useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { short, usePlace } from './place.tsx'

type Place = { workspaceId: string; id: string; path: string; ref?: string }
type Blame = ResultOf<'repositories.blame'>

/** More would hold the page up. */
const mostLines = 5_000

export function FileLines({ text, place, isBlamed }: { text: string; place: Place; isBlamed: boolean }) {
  const [{ lines }, look] = usePlace()
  const blame = useCall('repositories.blame', place, { enabled: isBlamed })
  const all = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const shown = useMemo(() => all.slice(0, mostLines), [all])
  const coloured = useColoured(shown, place.path)
  const [from = 0, to = from] = (lines ?? '').split('-').map(Number)
  const marked = useRef<HTMLTableRowElement>(null)
  useEffect(() => marked.current?.scrollIntoView?.({ block: 'center' }), [])
  const authors = blame.data && authorsOf(blame.data)
  const choose = (line: number, isSpan: boolean) => {
    const chosen = isSpan && from > 0 ? `${Math.min(from, line)}-${Math.max(from, line)}` : String(line)
    look({ lines: chosen } as never)
  }
  return (
    <>
      <Failure error={blame.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="atrium-code atrium-scroll" tabIndex={0} aria-label="Lines of the file">
        <table className="atrium-lines" aria-label="Lines of the file">
          <tbody>
            {shown.map((line, index) => {
              const number = index + 1
              const isMarked = number >= from && number <= to
              return (
                <tr key={number} data-marked={isMarked || undefined} ref={number === from ? marked : undefined}>
                  {isBlamed && <td>{authors && <Author {...authors[number]} />}</td>}
                  <td>
                    <button
                      type="button"
                      aria-label={`Line ${number}`}
                      onClick={event => choose(number, event.shiftKey)}
                    >
                      {number}
                    </button>
                  </td>
                  <td>{coloured?.[index] ?? line}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      {all.length > mostLines && <Text size="sm">The first {mostLines.toLocaleString('en')} lines are shown.</Text>}
    </>
  )
}

/** Colours come after the lines: whoever only reads does not wait for them, and without them nothing is missing. */
function useColoured(lines: readonly string[], path: string): readonly ReactNode[] | null {
  const [found, setFound] = useState<{ of: readonly string[]; coloured: ReactNode[] | null } | null>(null)
  useEffect(() => {
    let isGone = false
    const colour = async () => {
      const { colouredLines } = await import('../../render/code_lines.tsx')
      if (isGone) return
      const coloured = colouredLines(lines.join('\n'), path)
      startTransition(() => setFound({ of: lines, coloured }))
    }
    colour().catch(() => {})
    return () => {
      isGone = true
    }
  }, [lines, path])
  return found?.of === lines ? found.coloured : null
}

type AuthorProps = { commit?: Blame['commits'][number] }

/** Told on the first line of each range. */
function authorsOf({ ranges, commits }: Blame): Record<number, AuthorProps> {
  const bySha = new Map(commits.map(commit => [commit.sha, commit]))
  return Object.fromEntries(ranges.map(({ from, commitSha }) => [from, { commit: bySha.get(commitSha) }])) as never
}

function Author({ commit }: AuthorProps) {
  const [, look] = usePlace()
  if (!commit) return null
  return (
    <>
      <Anchor
        component="button"
        type="button"
        size="xs"
        title={commit.subject}
        onClick={() => look({ tab: 'history', commit: commit.sha } as never)}
      >
        {short(commit.sha)}
      </Anchor>
      <span className="atrium-author">
        {' '}
        {commit.author.name} {commit.author.at && <Moment at={commit.author.at} />}
      </span>
    </>
  )
}
