// A stored skill as it is answered, as the ledger is told of it, and as a prompt.
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { ApiError } from '../../../contract/errors.ts'
import { splitFrontMatter } from '../../../kit/front_matter.ts'
import type { Skill } from '../fields/contract.ts'
import type { SkillRow } from '../store.ts'
import { unknownTools } from './reading.ts'

export function bodyOf(markdown: string): string {
  return splitFrontMatter(markdown)?.body ?? ''
}

export function shown(row: SkillRow): Static<typeof Skill> {
  return { ...row, body: bodyOf(row.markdown), warnings: unknownTools(row.allowedTools) }
}

/** Versions keep the texts: of those the ledger has the hashes. */
export function told({ markdown, files, ...row }: SkillRow): object {
  const named = files.map(({ path, sha256 }) => ({ path, sha256 }))
  return { ...row, markdown: `sha256:${hash('sha256', markdown)}`, files: named }
}

const placeholder = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g
const mostPromptMiB = 1

/** `{{name}}` is replaced where the skill has such a parameter; what the text does not name comes behind it. */
export function promptOf(markdown: string, args: Readonly<Record<string, string>>): string {
  const body = bodyOf(markdown)
  refuseMuch(body, args)
  const named = new Set<string>()
  const text = body.replace(placeholder, (whole, name: string) => {
    if (!Object.hasOwn(args, name)) return whole
    named.add(name)
    return args[name] ?? ''
  })
  const rest = Object.entries(args).filter(([name]) => !named.has(name))
  if (rest.length === 0) return text.trim()
  return `${text.trim()}\n\nArguments:\n\n${rest.map(([name, value]) => `- ${name}: ${value}`).join('\n')}`
}

/** Before the text is made: one argument can stand in it thousands of times. */
function refuseMuch(body: string, args: Readonly<Record<string, string>>): void {
  const sizes = new Map(Object.entries(args).map(([name, value]) => [name, Buffer.byteLength(value)]))
  let size = Buffer.byteLength(body)
  for (const bytes of sizes.values()) size += bytes
  for (const [, name = ''] of body.matchAll(placeholder)) size += sizes.get(name) ?? 0
  if (size <= mostPromptMiB * 1024 * 1024) return
  throw new ApiError(
    'payload_too_large',
    `With these arguments the prompt would have more than ${mostPromptMiB} MiB; shorten them, or name them less often in the skill.`,
  )
}
