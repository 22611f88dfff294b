// What a program wrote to a terminal: its colours, lines that were written over, and the newest in sight while it runs.
import './terminal.css'
import { Box } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import { CopyIcon } from '../parts/copy.tsx'

export type TerminalProps = {
  text: string
  label?: string
  /** It still runs: the newest lines stay in sight unless the reader scrolled away. */
  isRunning?: boolean
  height?: number
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

export function Terminal({ text, label = 'Output', isRunning = false, height = 360 }: TerminalProps) {
  const place = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const pieces = useMemo(() => piecesOf(text), [text])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new text moves the end
  useEffect(() => {
    if (isRunning && isAtEnd.current && place.current) place.current.scrollTop = place.current.scrollHeight
  }, [text, isRunning])
  return (
    <Box pos="relative" className="atrium-terminal">
      <section
        ref={place}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        style={{ maxHeight: height }}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24
        }}
      >
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other identity
          <span key={index} className={piece.names}>
            {piece.text}
          </span>
        ))}
      </section>
      <Box pos="absolute" top={6} right={14}>
        <CopyIcon value={pieces.map(piece => piece.text).join('')} label={`Copy: ${label}`} />
      </Box>
    </Box>
  )
}

type Piece = { text: string; names: string }

/** Everything but colours is dropped: a program must not move the cursor of a page. */
function piecesOf(text: string): Piece[] {
  const plain = overwritten(text).replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[A-LN-Za-ln-z]/g, '')
  let style: string[] = []
  return plain.split(/(\x1b\[[0-9;]*m)/).flatMap(part => {
    const [, codes] = /^\x1b\[([0-9;]*)m$/.exec(part) ?? []
    if (codes === undefined) return part === '' ? [] : [{ text: part, names: style.join(' ') }]
    style = styled(style, codes)
    return []
  })
}

function styled(before: string[], codes: string): string[] {
  let style = before
  for (const code of codes.split(';').map(Number)) {
    const colour = colours[code % 10]
    if (code === 0) style = []
    else if (code === 1) style = [...style, 'is-bold']
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      style = [...style.filter(name => !name.startsWith('in-')), `in-${colour}`]
    } else if (code === 39) style = style.filter(name => !name.startsWith('in-'))
  }
  return style
}

/** A line that was written over, such as a bar that fills, shows as it was in the end. */
function overwritten(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(line => line.split('\r').findLast(part => part !== '') ?? '')
    .join('\n')
}
