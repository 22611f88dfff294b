// What callers send as the text of a skill → a SKILL.md that can be read, or a refusal that names the line.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { type ParametersSchema, parametersFault } from '../../../kit/text_arguments.ts'
import { mostParameterBytes } from '../fields/contract.ts'
import { readSkill, type SkillText } from './reading.ts'
import { changedMarkdown, newMarkdown, type TextFields } from './writing.ts'

/** `place` is what callers know the text by. */
export async function acceptedText(markdown: string, place = 'markdown'): Promise<SkillText> {
  const { text, errors } = await readSkill(markdown)
  const [first] = errors
  if (text && !first) return text
  const issues = errors.map(({ line, field, message }) => ({
    path: place,
    rule: field ?? 'format',
    expected: message,
    line,
  }))
  throw new ApiError('bad_request', `"${place}", line ${first?.line}: ${first?.message}`, { issues })
}

type Given = TextFields & { markdown?: string | undefined }
export type Accepted = { markdown: string; text: SkillText }

/** A first text needs `slug` and `description`; a later one keeps what is not given. */
export async function acceptedFields(given: Given, before: Accepted | null): Promise<Accepted> {
  const { markdown, slug, ...others } = given
  if (markdown === undefined) return await fromFields(given, before)
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0]
  if (other !== undefined) {
    throw refusal(other, 'left out where "markdown" is given: the whole text says it already')
  }
  const text = await acceptedText(markdown)
  const wanted = slug ?? before?.text.name ?? text.name
  if (text.name !== wanted) {
    const hint = slug === undefined ? ', or send the new name as "slug" too' : ''
    throw refusal('markdown', `a text whose name is "${wanted}", as the slug is; its name is "${text.name}"${hint}`)
  }
  return { markdown, text }
}

async function fromFields(fields: TextFields, before: Accepted | null): Promise<Accepted> {
  if (!before) {
    for (const name of ['slug', 'description'] as const) {
      if (fields[name] === undefined) throw refusal(name, 'present, or the whole text as "markdown"')
    }
  }
  const markdown = before ? await changedMarkdown(before.markdown, before.text, fields) : await newMarkdown(fields)
  return { markdown, text: await acceptedText(markdown) }
}

export function refuseSchema(schema: ParametersSchema | null | undefined): void {
  const expected = schema ? parametersFault(schema, mostParameterBytes) : null
  if (expected) throw refusal('parametersSchema', expected)
}

function refusal(path: string, expected: string): ApiError {
  return badRequest(`"${path}" must be ${expected}.`, [{ path, rule: 'skill', expected }])
}
