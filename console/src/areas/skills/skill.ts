// A skill as the editor holds it: the fields of its front matter, or its whole text.
import type { InputOf, ResultOf } from '../../../../src/client/catalogue.ts'

export type Skill = ResultOf<'skills.get'>
export type Finding = ResultOf<'skills.validate'>['errors'][number]

export type Draft = {
  slug: string
  description: string
  license: string
  compatibility: string
  /** One `name: text` a line. */
  metadata: string
  allowedTools: string[]
  body: string
  /** As JSON. */
  parameters: string
  labels: string[]
  /** The whole text, while that is what is edited. */
  markdown: string | null
}

export function draftOf(skill: Skill | null): Draft {
  return {
    slug: skill?.slug ?? '',
    description: skill?.description ?? '',
    license: skill?.license ?? '',
    compatibility: skill?.compatibility ?? '',
    metadata: Object.entries(skill?.metadata ?? {})
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n'),
    allowedTools: skill?.allowedTools ?? [],
    body: skill?.body ?? '',
    parameters: skill?.parametersSchema ? JSON.stringify(skill.parametersSchema, null, 2) : '',
    labels: skill?.labels ?? [],
    markdown: null,
  }
}

function metadataOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  return Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      return colon < 0 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}

/** Text in double quotes means the same in JSON and in YAML. */
export function markdownOf(draft: Draft): string {
  if (draft.markdown !== null) return draft.markdown
  const { slug, description, license, compatibility, allowedTools, body } = draft
  const metadata = Object.entries(metadataOf(draft.metadata))
  const lines = [
    `name: ${JSON.stringify(slug)}`,
    `description: ${JSON.stringify(description)}`,
    license && `license: ${JSON.stringify(license)}`,
    compatibility && `compatibility: ${JSON.stringify(compatibility)}`,
    metadata.length > 0 && 'metadata:',
    ...metadata.map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)}`),
    allowedTools.length > 0 && `allowed-tools: ${JSON.stringify(allowedTools.join(' '))}`,
  ]
  return `---\n${lines.filter(Boolean).join('\n')}\n---\n${body}`
}

/** Null where it is no JSON; undefined where it says the same as before. */
export function parametersOf(draft: Draft): Record<string, unknown> | null | undefined {
  if (draft.parameters.trim() === '') return undefined
  try {
    const schema: unknown = JSON.parse(draft.parameters)
    return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
      ? (schema as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

type Saved = Omit<InputOf<'skills.patch'>, 'workspaceId' | 'id'>

/** What the service takes: the whole text where that was edited, else the fields. */
export function savedFields(draft: Draft): Saved {
  const { slug, description, license, compatibility, allowedTools, body, labels, markdown } = draft
  const beside = { parametersSchema: parametersOf(draft) ?? null, labels }
  if (markdown !== null) return { markdown, ...nameIn(markdown), ...beside }
  const fields = {
    slug,
    description,
    license: license || null,
    compatibility: compatibility || null,
    allowedTools,
    body,
  }
  return { ...fields, metadata: metadataOf(draft.metadata), ...beside }
}

/** A new name must be sent beside the text, so that nobody renames a skill by mistake; here the text is in view. */
function nameIn(markdown: string): { slug?: string } {
  const slug = /^name:[ \t]*["']?([a-z0-9-]+)["']?[ \t]*(?:#.*)?$/m.exec(markdown)?.[1]
  return slug ? { slug } : {}
}
