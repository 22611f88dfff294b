// SKILL.md from fields, and with some fields changed: what was not changed stays as it was written.
import { changeYaml, splitFrontMatter, type YamlChanges } from '../../../kit/front_matter.ts'
import type { SkillText } from './reading.ts'

/** Named as the API names them. */
export type TextFields = {
  slug?: string | undefined
  description?: string | undefined
  license?: string | null | undefined
  compatibility?: string | null | undefined
  metadata?: Readonly<Record<string, string>> | undefined
  allowedTools?: readonly string[] | undefined
  body?: string | undefined
}

export async function newMarkdown(fields: TextFields): Promise<string> {
  return `---\n${await changeYaml('', changesOf(fields, null))}---\n${fields.body ?? ''}`
}

/** The text must be one that can be read. */
export async function changedMarkdown(markdown: string, before: SkillText, fields: TextFields): Promise<string> {
  const parts = splitFrontMatter(markdown)
  if (!parts) throw new Error('the text of a skill has front matter')
  const { mark, yaml, body, lineEnd } = parts
  const changes = changesOf(fields, before)
  const isSame = Object.keys(changes).length === 0
  const head = isSame
    ? markdown.slice(0, markdown.length - body.length)
    : mark + `---\n${await changeYaml(yaml, changes)}---\n`.replace(/\r?\n/g, lineEnd)
  return head + (fields.body ?? body)
}

/** In the order of the format; what is empty is left out. */
function changesOf(fields: TextFields, before: SkillText | null): YamlChanges {
  const { slug, description, license, compatibility, metadata, allowedTools } = fields
  const wanted = {
    name: slug,
    description,
    license,
    compatibility,
    metadata: metadata && (Object.keys(metadata).length > 0 ? metadata : null),
    'allowed-tools': allowedTools && (allowedTools.length > 0 ? allowedTools.join(' ') : null),
  }
  const was: Record<string, unknown> = before
    ? { ...before, 'allowed-tools': before.allowedTools.join(' ') || null, metadata: orNull(before.metadata) }
    : {}
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(was[name] ?? null),
  )
  return Object.fromEntries(changed) as YamlChanges
}

function orNull(metadata: Record<string, string>): Record<string, string> | null {
  return Object.keys(metadata).length > 0 ? metadata : null
}
