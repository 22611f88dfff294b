// Code with its words coloured; the languages that are met here most, and plain text for the others.
import './highlight.css'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { Fragment, type ReactNode } from 'react'

/** Languages that are needed in one place only are added there. */
export const known = createLowlight({
  bash,
  css,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})

/** Longer code is shown as it is: colouring it would hold the page up. */
const longest = 50_000

export type Piece = { type: string; value?: string; properties?: { className?: unknown }; children?: readonly Piece[] }

export function highlighted(text: string, language: string): ReactNode {
  const name = language.toLowerCase()
  if (!name || !known.registered(name) || text.length > longest) return text
  return pieces(known.highlight(name, text).children as readonly Piece[])
}

export function namesOf({ properties }: Piece): string | undefined {
  return Array.isArray(properties?.className) ? properties.className.join(' ') : undefined
}

function pieces(found: readonly Piece[]): ReactNode {
  return found.map((piece, index) => {
    const names = namesOf(piece)
    const inner = piece.type === 'text' ? piece.value : pieces(piece.children ?? [])
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other identity
    if (!names) return <Fragment key={index}>{inner}</Fragment>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other identity
      <span key={index} className={names}>
        {inner}
      </span>
    )
  })
}
