// The lines of one changed file, one under the other or side by side, each with a place under it for what is said of it.
import './diff.css'
import { Fragment, type ReactNode } from 'react'

export type DiffLine = {
  type: 'context' | 'added' | 'removed'
  text: string
  oldLine: number | null
  newLine: number | null
  /** The file ends here without a line end. */
  noNewline?: boolean
}

export type DiffHunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  section?: string
  lines: readonly DiffLine[]
}

/** A line that was taken away is one of the old file; all others are named by their number in the new one. */
export type LinePlace = { path: string; side: 'old' | 'new'; line: number }

export type LineSlots = {
  /** Shown under a line over the whole width; nothing where it answers null. */
  under?: (place: LinePlace) => ReactNode
  /** Makes the number of a line a button. */
  onLine?: (place: LinePlace) => void
  /** What that button does: "Comment on line". */
  lineLabel?: string
}

type LinesProps = { path: string; hunks: readonly DiffHunk[]; isSplit: boolean } & LineSlots

export function DiffLines({ path, hunks, isSplit, ...slots }: LinesProps) {
  const label = `Changes of ${path}`
  const Rows = isSplit ? SplitRows : UnifiedRows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="atrium-scroll" tabIndex={0} aria-label={label}>
      <table className="atrium-changes" data-split={isSplit || undefined} aria-label={label}>
        {isSplit && <Halves />}
        <tbody>
          {hunks.map(hunk => (
            <Fragment key={`${hunk.oldStart} ${hunk.newStart}`}>
              <tr data-type="place">
                <td colSpan={4}>
                  @@ -{hunk.oldStart},{hunk.oldLines} +{hunk.newStart},{hunk.newLines} @@ {hunk.section}
                </td>
              </tr>
              <Rows path={path} lines={hunk.lines} {...slots} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Both sides are as wide, whatever stands in them. */
function Halves() {
  return (
    <colgroup>
      <col data-cell="number" />
      <col />
      <col data-cell="number" />
      <col />
    </colgroup>
  )
}

type RowsProps = { path: string; lines: readonly DiffLine[] } & LineSlots

function placeOf(path: string, { type, oldLine, newLine }: DiffLine): LinePlace {
  return type === 'removed' ? { path, side: 'old', line: oldLine ?? 0 } : { path, side: 'new', line: newLine ?? 0 }
}

function UnifiedRows({ path, lines, ...slots }: RowsProps) {
  return lines.map(line => (
    <Fragment key={keyOf(line)}>
      <tr data-type={line.type}>
        <td data-cell="number">
          {line.type === 'removed' ? (
            <LineNumber place={placeOf(path, line)} {...slots} />
          ) : (
            <Aside line={line.oldLine} />
          )}
        </td>
        <td data-cell="number">{line.type !== 'removed' && <LineNumber place={placeOf(path, line)} {...slots} />}</td>
        <Mark line={line} />
        <Words line={line} />
      </tr>
      <Under places={[placeOf(path, line)]} {...slots} />
    </Fragment>
  ))
}

function SplitRows({ path, lines, ...slots }: RowsProps) {
  return pairsOf(lines).map(([old, next]) => (
    <Fragment key={`${old ? keyOf(old) : ''} ${next ? keyOf(next) : ''}`}>
      <tr>
        <Half path={path} line={old} side="old" {...slots} />
        <Half path={path} line={next} side="new" {...slots} />
      </tr>
      <Under places={[old, next].flatMap(line => (line ? [placeOf(path, line)] : [])).filter(isFirst)} {...slots} />
    </Fragment>
  ))
}

/** What did not change stands on both sides and is one line. */
function isFirst(place: LinePlace, index: number, all: readonly LinePlace[]): boolean {
  return all.findIndex(({ side, line }) => side === place.side && line === place.line) === index
}

type HalfProps = { path: string; line: DiffLine | null; side: 'old' | 'new' } & LineSlots

function Half({ path, line, side, ...slots }: HalfProps) {
  if (!line) return <td colSpan={2} data-type="none" data-side={side} />
  const place = placeOf(path, line)
  return (
    <>
      <td data-cell="number" data-type={line.type} data-side={side}>
        {place.side === side ? <LineNumber place={place} {...slots} /> : <Aside line={line.oldLine} />}
      </td>
      <Words line={line} isMarked />
    </>
  )
}

/** Lines that were taken away stand beside those that came in their place. */
function pairsOf(lines: readonly DiffLine[]): (readonly [DiffLine | null, DiffLine | null])[] {
  const pairs: (readonly [DiffLine | null, DiffLine | null])[] = []
  let [removed, added]: DiffLine[][] = [[], []]
  const flush = () => {
    const [gone = [], come = []] = [removed, added]
    const count = Math.max(gone.length, come.length)
    for (let at = 0; at < count; at++) pairs.push([gone[at] ?? null, come[at] ?? null])
    ;[removed, added] = [[], []]
  }
  for (const line of lines) {
    if (line.type === 'removed') {
      if (added?.length) flush()
      removed?.push(line)
    } else if (line.type === 'added') added?.push(line)
    else {
      flush()
      pairs.push([line, line])
    }
  }
  flush()
  return pairs
}

const keyOf = ({ oldLine, newLine }: DiffLine) => `${oldLine ?? ''}:${newLine ?? ''}`

/** The number of a line by which nothing is said of it. */
function Aside({ line }: { line: number | null }) {
  return <span aria-hidden>{line}</span>
}

function LineNumber({ place, onLine, lineLabel = 'Line' }: { place: LinePlace } & LineSlots) {
  if (!onLine) return <span aria-hidden>{place.line}</span>
  const where = place.side === 'old' ? ' as it was' : ''
  return (
    <button type="button" aria-label={`${lineLabel} ${place.line}${where}`} onClick={() => onLine(place)}>
      {place.line}
    </button>
  )
}

const marks = { context: ' ', added: '+', removed: '-' } as const
const markNames = { context: 'same', added: 'added', removed: 'taken away' } as const

function Mark({ line: { type } }: { line: DiffLine }) {
  return (
    <td data-cell="mark">
      <span role="img" aria-label={markNames[type]}>
        {marks[type]}
      </span>
    </td>
  )
}

function Words({ line, isMarked = false }: { line: DiffLine; isMarked?: boolean }) {
  return (
    <td data-type={line.type}>
      {isMarked && (
        <span role="img" aria-label={markNames[line.type]} data-mark>
          {marks[line.type]}
        </span>
      )}
      {line.text}
      {line.noNewline && <em> No line end</em>}
    </td>
  )
}

function Under({ places, under }: { places: readonly LinePlace[] } & LineSlots) {
  const found = under ? places.map(place => [place, under(place)] as const).filter(([, shown]) => shown) : []
  if (found.length === 0) return null
  return (
    <tr data-type="under">
      <td colSpan={4}>
        {found.map(([{ side, line }, shown]) => (
          <Fragment key={`${side} ${line}`}>{shown}</Fragment>
        ))}
      </td>
    </tr>
  )
}
