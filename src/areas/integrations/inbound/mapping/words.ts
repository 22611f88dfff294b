// Parts of the body of an alert, in Markdown, made of texts that strangers wrote.
import type { Json } from '../payloads.ts'
import { addressOf, cut, line } from '../values.ts'

const longestValue = 1_024
const longestBlock = 8_000
const mostRows = 50

/** As it is, in a face of fixed width: nothing in it is Markdown. */
export function code(text: string): string {
  const flat = line(text, longestValue).replaceAll('`', "'")
  return flat === '' ? '' : `\`${flat}\``
}

export function block(text: string): string {
  return text.trim() === '' ? '' : `\`\`\`\n${cut(text, longestBlock).trimEnd().replaceAll('```', "'''")}\n\`\`\``
}

/** Empty where there is no address to open. */
export function link(words: string, address: Json | undefined): string {
  const url = addressOf(address)
  // What would end the link early is written as an address may have it.
  return url === null ? '' : `[${words}](${url.replace(/[()<>\\]/g, encoded)})`
}

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** One line for each: `- **name**: value`. */
export function rows(entries: Iterable<readonly [string, string]>): string {
  const lines: string[] = []
  for (const [name, value] of entries) {
    if (lines.length === mostRows) break
    if (value !== '') lines.push(`- ${code(name) || code('?')}: ${code(value)}`)
  }
  return lines.join('\n')
}
