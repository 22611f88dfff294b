// Markdown as elements, never as HTML: what looks like a tag is shown as text, and links lead to safe places only.
import './markdown.css'
import { Anchor, Table } from '@mantine/core'
import { Square, SquareCheck } from 'lucide-react'
import { Lexer, type Token, type Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import { placeOfArea } from '../areas/define.ts'
import { areaOfObject } from '../contract.ts'
import { CopyIcon } from '../parts/copy.tsx'
import { LinkText } from '../parts/links.tsx'
import { Diff } from '../parts/render.tsx'
import { highlighted } from './highlight.tsx'

export type MarkdownProps = {
  text: string
  /** The heading that `#` becomes, so that the page keeps one order of headings. */
  firstHeading?: 2 | 3 | 4
}

export function Markdown({ text, firstHeading = 3 }: MarkdownProps) {
  return <div className="atrium-markdown">{blocks(new Lexer({ gfm: true, breaks: true }).lex(text), firstHeading)}</div>
}

/** Texts do not change their order while they are shown: the place is identity enough. */
function each(tokens: readonly Token[] | undefined, draw: (token: Token) => ReactNode): ReactNode {
  return (tokens ?? []).map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other identity
    <Fragment key={index}>{draw(token)}</Fragment>
  ))
}

function blocks(tokens: readonly Token[] | undefined, first: number): ReactNode {
  return each(tokens, token => block(token as Tokens.Generic & Token, first))
}

function block(token: Token, first: number): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return createElement(`h${Math.min(6, first - 1 + token.depth)}`, {}, inline(token.tokens))
    case 'code':
      return <CodeBlock text={token.text} language={token.lang ?? ''} />
    case 'hr':
      return <hr />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, first)}</blockquote>
    case 'list':
      return <List list={token as Tokens.List} first={first} />
    case 'table':
      return <Grid table={token as Tokens.Table} />
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'text':
      return inline(token.tokens ?? [token])
    default:
      return <p>{token.raw}</p>
  }
}

function List({ list, first }: { list: Tokens.List; first: number }) {
  const items = each(list.items as unknown as Token[], token => {
    const item = token as Tokens.ListItem
    return (
      <li data-task={item.task || undefined}>
        {item.task &&
          (item.checked ? <SquareCheck size={16} aria-label="Done" /> : <Square size={16} aria-label="To do" />)}
        <div>
          {blocks(
            item.tokens.filter(({ type }) => type !== 'checkbox'),
            first,
          )}
        </div>
      </li>
    )
  })
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

function Grid({ table }: { table: Tokens.Table }) {
  const aligned = (align: Tokens.TableCell['align']) => (align ? { ta: align } : {})
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="atrium-scroll" tabIndex={0} aria-label="Table">
      <Table withTableBorder withColumnBorders fz="sm">
        <Table.Thead>
          <Table.Tr>
            {each(table.header as unknown as Token[], cell => (
              <Table.Th scope="col" {...aligned((cell as unknown as Tokens.TableCell).align)}>
                {inline((cell as unknown as Tokens.TableCell).tokens)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {each(table.rows as unknown as Token[], row => (
            <Table.Tr>
              {each(row as unknown as Token[], cell => (
                <Table.Td {...aligned((cell as unknown as Tokens.TableCell).align)}>
                  {inline((cell as unknown as Tokens.TableCell).tokens)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function inline(tokens: readonly Token[] | undefined): ReactNode {
  return each(tokens, word)
}

function word(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link href={token.href}>{inline(token.tokens)}</Link>
    case 'image':
      return <Picture href={token.href} text={token.text} />
    case 'escape':
      return token.text
    case 'text':
      return token.tokens ? inline(token.tokens) : unescaped(token.text)
    default:
      return token.raw
  }
}

/** The lexer leaves entities as they were written. */
function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
    '&quot;': '"',
    '&#39;': "'",
    '&nbsp;': ' ',
  }
  return text.replace(/&(?:lt|gt|amp|quot|nbsp|#39);/g, entity => known[entity] ?? entity)
}

/** `atrium://ws_…/team/team_…` is a record of a workspace, shown by its own page. */
function recordPath(href: string): string | undefined {
  const [, workspaceId, object = '', id] = /^atrium:\/\/(ws_\w+)\/(\w+)\/([\w-]+)$/.exec(href) ?? []
  const place = placeOfArea(areaOfObject(object)?.name ?? '')
  return place && workspaceId && id ? `/w/${workspaceId}/${place.path}/${id}` : undefined
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const path = recordPath(href) ?? (/^\/w\/[\w/-]+$/.test(href) ? href : undefined)
  if (path) {
    return (
      <LinkText to={path as '/'} inherit>
        {children}
      </LinkText>
    )
  }
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return children
  return (
    <Anchor href={href} inherit target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </Anchor>
  )
}

/** A picture from elsewhere would tell that place who reads: it is a link. */
function Picture({ href, text }: { href: string; text: string }) {
  if (/^\/v1\/[\w/?=&.-]+$/.test(href)) return <img src={href} alt={text} loading="lazy" />
  return <Link href={href}>{text || href}</Link>
}

function CodeBlock({ text, language }: { text: string; language: string }) {
  const name = language.split(/\s/)[0] ?? ''
  if (/^(diff|patch)$/.test(name) && /^@@ /m.test(text)) return <Diff patch={text} />
  return (
    <div className="atrium-code atrium-code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="atrium-pre" tabIndex={0} aria-label={name ? `Code, ${name}` : 'Code'}>
        <code>{highlighted(text, name)}</code>
      </section>
      <div className="atrium-code-copy">
        <CopyIcon value={text} label="Copy the code" />
      </div>
    </div>
  )
}
