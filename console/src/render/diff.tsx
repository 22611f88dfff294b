// What was taken away and what was added, line by line: between two texts, or as a patch says it.
import './diff.css'
import { Text } from '@mantine/core'
import { structuredPatch } from 'diff'

export type DiffProps = { label?: string } & ({ before: string; after: string } | { patch: string })

type Line = { key: string; mark: string; text: string; old: number | null; new: number | null }

export function Diff(props: DiffProps) {
  const { label = 'Changes' } = props
  const lines = 'patch' in props ? fromPatch(props.patch.split('\n')) : fromTexts(props.before, props.after)
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing is different.
      </Text>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="atrium-code atrium-scroll" tabIndex={0} aria-label={label}>
      <table className="atrium-diff" aria-label={label}>
        <tbody>
          {lines.map(line => (
            <tr key={line.key} data-mark={line.mark}>
              <td aria-hidden>{line.old}</td>
              <td aria-hidden>{line.new}</td>
              <td>
                <span role="img" aria-label={markNames[line.mark] ?? 'same'}>
                  {line.mark}
                </span>
              </td>
              <td>{line.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const markNames: Readonly<Record<string, string>> = { '+': 'added', '-': 'taken away', '@': 'place' }
const around = 3

function fromTexts(before: string, after: string): Line[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: around })
  return hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [placeLine(`${index}@`, `Line ${hunk.newStart}`)] : []),
    ...numbered(hunk.lines, hunk.oldStart, hunk.newStart, String(index)),
  ])
}

/** A patch in the unified form, such as git writes it; what precedes its first place is its head. */
function fromPatch(given: readonly string[]): Line[] {
  const parts = given.reduce<string[][]>((found, line) => {
    if (line.startsWith('@@') || line.startsWith('diff ') || found.length === 0) found.push([])
    found.at(-1)?.push(line)
    return found
  }, [])
  return parts.flatMap((part, index) => {
    const [head = '', ...rest] = part
    const [, old, next] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? []
    const key = String(index)
    if (old === undefined) return part.filter(Boolean).map((text, at) => placeLine(`${key}h${at}`, text))
    return [placeLine(`${key}@`, head), ...numbered(rest, Number(old), Number(next), key)]
  })
}

function placeLine(key: string, text: string): Line {
  return { key, mark: '@', text, old: null, new: null }
}

function numbered(lines: readonly string[], oldStart: number, newStart: number, key: string): Line[] {
  let old = oldStart
  let next = newStart
  return lines
    .filter(line => line !== '' && !line.startsWith('\\'))
    .map((line, index) => {
      const mark = line.charAt(0)
      return {
        key: `${key}.${index}`,
        mark,
        text: line.slice(1),
        old: mark === '+' ? null : old++,
        new: mark === '-' ? null : next++,
      }
    })
}
