// Lines in which a text was found, under the names of their files.
import './lines.css'
import { Stack, Text } from '@mantine/core'
import { LinkText } from '../../parts/links.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { Place } from './place.tsx'

type Hit = { path: string; line: number; text: string }

export type HitsProps = {
  id: string
  hits: readonly Hit[]
  /** The commit that was looked through: its lines have these numbers. */
  sha: string
  /** To be marked; of an expression nothing is. */
  words?: { text: string; isAnyCase: boolean }
}

export function Hits({ id, hits, sha, words }: HitsProps) {
  const files = Map.groupBy(hits, ({ path }) => path)
  return (
    <Stack component="ul" className="atrium-plain-list" gap="md">
      {[...files].map(([path, found]) => (
        <li key={path}>
          <CodeLink id={id} place={{ path, ref: sha }}>
            {path}
          </CodeLink>
          <table className="atrium-lines atrium-code" aria-label={`Lines of ${path}`}>
            <tbody>
              {found.map(({ line, text }) => (
                <tr key={line}>
                  <td>
                    <CodeLink id={id} place={{ path, ref: sha, lines: String(line) }} label={`${path}, line ${line}`}>
                      {line}
                    </CodeLink>
                  </td>
                  <td>{words ? <Marked text={text} words={words} /> : text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </li>
      ))}
    </Stack>
  )
}

type CodeLinkProps = { id: string; place: Place; label?: string; children: string | number }

function CodeLink({ id, place, label, children }: CodeLinkProps) {
  const workspaceId = useWorkspaceId()
  return (
    <LinkText
      to={`/w/${workspaceId}/repositories/${id}` as '/'}
      search={{ tab: 'code', ...place } as never}
      size="sm"
      style={{ overflowWrap: 'anywhere' }}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </LinkText>
  )
}

function Marked({ text, words }: { text: string; words: NonNullable<HitsProps['words']> }) {
  const wanted = words.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const parts = text.split(new RegExp(`(${wanted})`, words.isAnyCase ? 'iu' : 'u'))
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line have no other identity
    <span key={index}>{index % 2 === 1 ? <mark>{part}</mark> : part}</span>
  ))
}

/** What there is to say besides. */
export function HitsRemark({ isTruncated }: { isTruncated: boolean }) {
  if (!isTruncated) return null
  return (
    <Text size="sm" mt="sm">
      There may be more: only the first are shown. A longer text finds fewer.
    </Text>
  )
}
