// The unified diff of git, as lines with their numbers.
import { shownBytes } from '../../../kit/git_paths.ts'

export type Line = {
  type: 'context' | 'added' | 'removed'
  text: string
  oldLine: number | null
  newLine: number | null
  noNewline: boolean
}

export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  section: string
  lines: Line[]
}

export type Section = { isBinary: boolean; hunks: Hunk[] }

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s

/** One section for each file, in the order of git. Inside a hunk, its numbers say where it ends. */
export function sectionsOf(patch: Buffer): Section[] {
  const sections: Section[] = []
  let hunk: Hunk | undefined
  let [oldLeft, newLeft] = [0, 0]
  for (let from = 0; from < patch.length; ) {
    const end = patch.indexOf(0x0a, from)
    const bytes = patch.subarray(from, end < 0 ? patch.length : end)
    from = end < 0 ? patch.length : end + 1
    const sign = String.fromCharCode(bytes[0] ?? 0x20)
    if (hunk && sign === '\\') {
      const last = hunk.lines.at(-1)
      if (last) last.noNewline = true
    } else if (hunk && oldLeft + newLeft > 0) {
      const type = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'context'
      const oldLine = type === 'added' ? null : hunk.oldStart + hunk.oldLines - oldLeft
      const newLine = type === 'removed' ? null : hunk.newStart + hunk.newLines - newLeft
      hunk.lines.push({ type, text: shownBytes(bytes.subarray(1)), oldLine, newLine, noNewline: false })
      if (oldLine !== null) oldLeft--
      if (newLine !== null) newLeft--
    } else {
      const line = shownBytes(bytes)
      const section = sections.at(-1)
      if (line.startsWith('diff --git ')) {
        sections.push({ isBinary: false, hunks: [] })
        hunk = undefined
      } else if (line.startsWith('Binary files ') && section) section.isBinary = true
      else if (header.test(line) && section) {
        hunk = hunkOf(line)
        ;[oldLeft, newLeft] = [hunk.oldLines, hunk.newLines]
        section.hunks.push(hunk)
      }
    }
  }
  return sections
}

function hunkOf(line: string): Hunk {
  const [, oldStart = '0', oldLines = '1', newStart = '0', newLines = '1', section = ''] = header.exec(line) ?? []
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    section,
    lines: [],
  }
}
