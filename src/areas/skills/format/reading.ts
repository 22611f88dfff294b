// SKILL.md as the Agent Skills format defines it: what it says, what is wrong with it, and what could be better.
import { toolNameOf, toolsOf as toolsOfPlatform } from '../../../contract/tools.ts'
import { readYaml, splitFrontMatter, type YamlField, type YamlValue } from '../../../kit/front_matter.ts'
import { once } from '../../../kit/once.ts'
import { operations } from '../../../operations.ts'
import { longest, mostBodyBytes, mostMetadata, mostTools } from '../fields/contract.ts'

/** `field` is the name in the front matter. */
export type Finding = { line: number; field: string | null; message: string }

export type SkillText = {
  name: string
  description: string
  license: string | null
  compatibility: string | null
  metadata: Record<string, string>
  allowedTools: string[]
  body: string
}

/** Of errors, and of advice: who has put those right asks again. */
const mostFindings = 20

export type Reading = { text: SkillText | null; errors: Finding[]; advice: Finding[] }

/** The fields of the format, in the order in which they are written. */
export const fieldNames = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'] as const

type FieldName = (typeof fieldNames)[number]

export async function readSkill(markdown: string): Promise<Reading> {
  const parts = splitFrontMatter(markdown)
  if (!parts) return wrong({ line: 1, field: null, message: noFrontMatter(markdown) })
  const { fields, errors: faults } = await readYaml(parts.yaml)
  if (faults.length > 0) {
    return {
      text: null,
      errors: faults.slice(0, mostFindings).map(({ line, message }) => ({ line, field: null, message: `${message}.` })),
      advice: [],
    }
  }
  const errors: Finding[] = []
  const advice: Finding[] = []
  const text = textOf(fields, errors, advice)
  errors.push(...strangeFields(fields))
  const { body, bodyLine } = parts
  if (Buffer.byteLength(body) > mostBodyBytes) {
    errors.push({
      line: bodyLine,
      field: null,
      message: `The text below the front matter has more than ${mostBodyBytes} bytes; move parts of it to files beside it.`,
    })
  }
  advice.push(...adviceOn(text, fields, body, bodyLine))
  const inOrder = (one: Finding, other: Finding) => one.line - other.line
  return {
    text: errors.length > 0 ? null : { ...text, body },
    errors: errors.sort(inOrder).slice(0, mostFindings),
    advice: advice.sort(inOrder).slice(0, mostFindings),
  }
}

function wrong(finding: Finding): Reading {
  return { text: null, errors: [finding], advice: [] }
}

function noFrontMatter(markdown: string): string {
  return /^\ufeff?---[ \t]*\r?\n/.test(markdown)
    ? 'The front matter does not end; write a line "---" behind it.'
    : 'It must begin with front matter: a line "---", then `name` and `description`, then a line "---".'
}

type Fields = ReadonlyMap<string, YamlField>
type Said = Omit<SkillText, 'body'>

function textOf(fields: Fields, errors: Finding[], advice: Finding[]): Said {
  const one = (name: FieldName, most: number) => plainText(fields, name, most, errors, advice)
  const name = one('name', longest.slug)
  const description = one('description', longest.description)
  for (const field of ['name', 'description'] as const) {
    if (!fields.has(field)) errors.push({ line: 1, field, message: `"${field}" is missing; add a line "${field}: …".` })
  }
  if (name !== null && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    const message = '"name" takes lower case letters, digits and single hyphens between them, such as "triage-alerts".'
    errors.push({ line: lineOf(fields, 'name'), field: 'name', message })
  }
  const license = one('license', longest.license)
  const compatibility = one('compatibility', longest.compatibility)
  const metadata = metadataOf(fields.get('metadata'), errors, advice)
  const allowedTools = toolsOf(fields, errors)
  return { name: name ?? '', description: description ?? '', license, compatibility, metadata, allowedTools }
}

/** Null where it is not there, or is no text. */
function plainText(fields: Fields, name: FieldName, most: number, errors: Finding[], advice: Finding[]): string | null {
  const field = fields.get(name)
  if (!field) return null
  const { line } = field
  if (!isText(field.value)) {
    errors.push({ line, field: name, message: `"${name}" must be one text.` })
    return null
  }
  const { text } = field.value
  if (!isPlain(text))
    errors.push({ line, field: name, message: `"${name}" holds a NUL character or half of one; take it out.` })
  if (text.trim() === '')
    errors.push({ line, field: name, message: `"${name}" is empty; say something or leave it out.` })
  if ([...text].length > most)
    errors.push({ line, field: name, message: `"${name}" has more than ${most} characters.` })
  adviseQuotes(field.value, name, advice)
  return text
}

function isText(value: YamlField['value']): value is YamlValue {
  return value !== null && 'text' in value
}

/** YAML can write characters that no text of ours may hold. */
function isPlain(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function adviseQuotes({ isUnclear, line, text }: YamlValue, field: string, advice: Finding[]): void {
  if (!isUnclear) return
  advice.push({
    line,
    field,
    message: `Write "${text}" in quotes: other readers take it for something else than text.`,
  })
}

function lineOf(fields: Fields, name: string): number {
  return fields.get(name)?.line ?? 1
}

function metadataOf(field: YamlField | undefined, errors: Finding[], advice: Finding[]): Record<string, string> {
  if (!field) return {}
  const refuse = (line: number, message: string) => void errors.push({ line, field: 'metadata', message })
  if (field.value === null || isText(field.value)) {
    refuse(field.line, '"metadata" must have one `name: text` a line below it, indented.')
    return {}
  }
  if (field.value.size > mostMetadata) refuse(field.line, `"metadata" has more than ${mostMetadata} entries.`)
  const entries = [...field.value].map(([name, value]) => {
    const line = value?.line ?? field.line
    if (value === null) refuse(line, `"metadata.${name}" must be one text.`)
    if (name === '' || name.length > longest.license)
      refuse(line, `A name in "metadata" must have 1 to ${longest.license} characters.`)
    if ([...(value?.text ?? '')].length > longest.metadata)
      refuse(line, `"metadata.${name}" has more than ${longest.metadata} characters.`)
    if (!isPlain(name + (value?.text ?? '')))
      refuse(line, '"metadata" holds a NUL character or half of one; take it out.')
    if (value) adviseQuotes(value, `metadata.${name}`, advice)
    return [name, value?.text ?? ''] as const
  })
  return Object.fromEntries(entries)
}

/** One text with spaces between the tools; brackets may have spaces in them. */
function toolsOf(fields: Fields, errors: Finding[]): string[] {
  const field = fields.get('allowed-tools')
  if (!field) return []
  const refuse = (message: string) => void errors.push({ line: field.line, field: 'allowed-tools', message })
  if (!isText(field.value)) {
    refuse('"allowed-tools" must be one text, with spaces between the tools.')
    return []
  }
  const { text } = field.value
  if (!isPlain(text)) refuse('"allowed-tools" holds a NUL character or half of one; take it out.')
  const tools = text.match(/[^\s(),]+(\([^()]*\))?/g) ?? []
  if (text.replace(/[^\s(),]+(\([^()]*\))?/g, '').trim() !== '')
    refuse('"allowed-tools" takes names with spaces between them, such as "issues_list Bash(git:*)".')
  if (tools.length > mostTools) refuse(`"allowed-tools" names more than ${mostTools} tools.`)
  if (tools.some(tool => tool.length > longest.tool))
    refuse(`A name in "allowed-tools" has more than ${longest.tool} characters.`)
  return [...tools]
}

function strangeFields(fields: Fields): Finding[] {
  const strange = [...fields].filter(([name]) => !(fieldNames as readonly string[]).includes(name))
  return strange.map(([name, { line }]) => ({
    line,
    field: name,
    message: `The format has no field "${name.slice(0, longest.slug)}"; put it under "metadata", or take it out.`,
  }))
}

const mostLines = 500
const shortest = 20

function adviceOn({ description, allowedTools }: Said, fields: Fields, body: string, bodyLine: number): Finding[] {
  const advice: Finding[] = []
  const say = (line: number, field: string | null, message: string) => void advice.push({ line, field, message })
  const line = lineOf(fields, 'description')
  if (description.length < shortest)
    say(
      line,
      'description',
      'Describe it in a sentence or two: it is all that an agent knows before it reads the skill.',
    )
  else if (!/\b(when|whenever|if|for|before|after|use)\b/i.test(description))
    say(line, 'description', 'Say also when to use it: "Use when …".')
  if (body.trim() === '') say(bodyLine, null, 'There are no instructions below the front matter.')
  if (body.split('\n').length > mostLines)
    say(
      bodyLine,
      null,
      `It has more than ${mostLines} lines; move details to files beside it, which are read only when needed.`,
    )
  for (const message of unknownTools(allowedTools)) say(lineOf(fields, 'allowed-tools'), 'allowed-tools', message)
  return advice
}

/** A sentence for each tool that the platform does not have. */
export function unknownTools(allowedTools: readonly string[]): string[] {
  return allowedTools
    .filter(tool => !isKnown(tool))
    .map(tool => `"${tool}" is no tool of this platform; a run here cannot call it.`)
}

const platformTools = once(() => new Set(toolsOfPlatform(operations).map(({ name }) => name)))

function isKnown(tool: string): boolean {
  return platformTools().has(toolNameOf(tool))
}
