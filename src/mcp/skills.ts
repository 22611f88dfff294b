// Skills as prompts and as `skill://` resources: listed by name and description, their text read only when asked for.
import {
  type CompleteResult,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import { requestOf } from '../client/request.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../operations.ts'
import { catalogueOf, isOffered, type View } from './catalogue.ts'
import type { Arguments, Call } from './run.ts'

type Property = { title?: unknown; description?: unknown; enum?: unknown[]; type?: unknown }
type Schema = { properties?: Record<string, Property>; required?: string[] } | null
type Summary = { id: string; slug: string; description: string; parametersSchema: Schema }

const needed = ['skills.list', 'skills.prompt', 'skills.files.read'] as const

/** Whether the credential can read skills at this address. */
export function hasSkills(view: View): boolean {
  const { byId } = catalogueOf(operations)
  if (view.standing.boundTo === null) return false
  return needed.every(id => {
    const tool = byId.get(id)
    return tool !== undefined && isOffered(view, tool)
  })
}

export const skillTemplate: ResourceTemplateType = {
  uriTemplate: 'skill://{slug}/{+path}',
  name: 'skill_file',
  title: 'A file of a skill',
  description: 'SKILL.md has the instructions; further files are named in it.',
}

const perPage = 100

export type Skills = ReturnType<typeof skillsFor>

/** As one caller sees them; every question is asked of the platform with the caller's own credential. */
export function skillsFor(view: View, call: Call) {
  const workspaceId = view.standing.boundTo ?? ''

  async function ask(
    operation: Operation,
    input: Arguments,
  ): Promise<{ status: number; result?: unknown; detail: string }> {
    const { status, text } = await call(requestOf(operation, { workspaceId, ...input }))
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { detail?: string } | null }
    return { status, result, detail: error?.detail ?? 'Try again later.' }
  }

  async function pageAt(cursor: string | undefined) {
    const page = cursor === undefined ? 1 : pageIn(cursor)
    const input = { enabled: 'true', orderBy: 'slug', order: 'asc', perPage, page }
    const { status, result, detail } = await ask(operations['skills.list'], input)
    if (status !== 200) throw new ProtocolError(ProtocolErrorCode.InternalError, detail)
    const { items, count } = result as { items: Summary[]; count: number }
    return { items, ...(page * perPage < count && { nextCursor: btoa(`page ${page + 1}`) }) }
  }

  async function named(slug: string): Promise<Summary | undefined> {
    const { status, result } = await ask(operations['skills.list'], { enabled: 'true', slug })
    const items = status === 200 ? (result as { items: Summary[] }).items : []
    // A filter could also mean something else than this very name.
    return items.find(item => item.slug === slug)
  }

  async function prompts(cursor: string | undefined): Promise<{ prompts: Prompt[]; nextCursor?: string }> {
    const { items, ...next } = await pageAt(cursor)
    return { prompts: items.map(promptOf), ...next }
  }

  async function prompt(name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult> {
    const skill = await named(name)
    if (!skill) throw wrong(`Unknown prompt: ${name.slice(0, 64)}; ask for prompts/list.`)
    const { status, result, detail } = await ask(operations['skills.prompt'], { id: skill.id, arguments: args })
    if (status !== 200) throw wrong(detail)
    const { description, text, files } = result as { description: string; text: string; files: string[] }
    const places = files.map(path => `- ${uriOf(name, path)}`).join('\n')
    const whole = files.length > 0 ? `${text}\n\nFiles of this skill, to be read as resources:\n\n${places}` : text
    return { description, messages: [{ role: 'user', content: { type: 'text', text: whole } }] }
  }

  async function resources(cursor: string | undefined): Promise<{ resources: Resource[]; nextCursor?: string }> {
    const { items, ...next } = await pageAt(cursor)
    return { resources: items.map(resourceOf), ...next }
  }

  async function read(uri: string): Promise<ReadResourceResult> {
    const place = placeIn(uri)
    const skill = place && (await named(place.slug))
    if (!skill) throw new ResourceNotFoundError(uri)
    const { status, result } = await ask(operations['skills.files.read'], { id: skill.id, path: place.path })
    if (status !== 200) throw new ResourceNotFoundError(uri)
    const { mimeType, text, base64 } = result as { mimeType: string; text: string | null; base64: string | null }
    return { contents: [text === null ? { uri, mimeType, blob: base64 ?? '' } : { uri, mimeType, text }] }
  }

  /** The values of an `enum` that begin so, and the names of skills for the template. */
  async function complete(ref: { name?: string; uri?: string }, name: string, begun: string): Promise<CompleteResult> {
    const values =
      ref.uri === undefined ? valuesOf(await named(ref.name ?? ''), name) : await slugs(ref.uri, name, begun)
    const fitting = values.filter(value => value.toLowerCase().startsWith(begun.toLowerCase()))
    const shown = fitting.slice(0, perPage)
    return { completion: { values: shown, total: fitting.length, hasMore: fitting.length > shown.length } }
  }

  async function slugs(uri: string, name: string, begun: string): Promise<string[]> {
    if (uri !== skillTemplate.uriTemplate || name !== 'slug') return []
    const input = { enabled: 'true', perPage, ...(begun !== '' && { q: begun.slice(0, 100) }) }
    const { status, result } = await ask(operations['skills.list'], input)
    return status === 200 ? (result as { items: Summary[] }).items.map(({ slug }) => slug).sort() : []
  }

  return { prompts, prompt, resources, read, complete }
}

function promptOf({ slug, description, parametersSchema }: Summary): Prompt {
  const { properties = {}, required = [] } = parametersSchema ?? {}
  const args = Object.entries(properties).map(([name, { title, description: about = title }]) => ({
    name,
    ...(typeof about === 'string' && { description: about }),
    required: required.includes(name),
  }))
  return { name: slug, description, ...(args.length > 0 && { arguments: args }) }
}

function resourceOf({ slug, description }: Summary): Resource {
  return { uri: uriOf(slug, 'SKILL.md'), name: slug, description, mimeType: 'text/markdown' }
}

function valuesOf(skill: Summary | undefined, name: string): string[] {
  const property = skill?.parametersSchema?.properties?.[name]
  if (property?.type === 'boolean') return ['true', 'false']
  return (property?.enum ?? []).map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
}

function uriOf(slug: string, path: string): string {
  return `skill://${slug}/${path.split('/').map(encodeURIComponent).join('/')}`
}

function placeIn(uri: string): { slug: string; path: string } | null {
  const [, slug = '', path = ''] = /^skill:\/\/([a-z0-9-]{1,64})\/(.{1,2000})$/.exec(uri) ?? []
  if (slug === '') return null
  try {
    return { slug, path: decodeURIComponent(path) }
  } catch {
    return null
  }
}

function pageIn(cursor: string): number {
  try {
    const [, page] = /^page ([1-9]\d{0,6})$/.exec(atob(cursor)) ?? []
    if (page) return Number(page)
  } catch {
    // Not one of ours: refused below.
  }
  throw wrong('This cursor is not known; ask for the list without one.')
}

function wrong(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
