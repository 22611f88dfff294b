// Puts the skills that were found into a workspace: new ones, new versions, or nothing where nothing differs.
import type { Static } from 'typebox'
import type { Caller, Context } from '../../../kit/context.ts'
import { unique } from '../../../kit/outcomes.ts'
import { newId } from '../../../kit/random.ts'
import { type ImportedSkill, SkillId } from '../fields/contract.ts'
import { putContents } from '../files/contents.ts'
import type { FileState } from '../files/store.ts'
import * as store from '../store.ts'
import type { FileContent, FoundSkill } from './folders.ts'
import type { Origin } from './repository.ts'
import * as following from './store.ts'

export type Imported = Static<typeof ImportedSkill>

/** With an origin where it comes from a repository, which it follows from then on. */
export type Importing = FoundSkill & { origin?: Origin }

export async function importAll(
  { db, caller, now }: Pick<Context, 'db' | 'now'> & { caller: Caller },
  workspaceId: string,
  found: readonly Importing[],
): Promise<Imported[]> {
  const slugs = found.map(({ text }) => text.name)
  const bySlug = new Map((await store.lockBySlug(db, workspaceId, slugs)).map(row => [row.slug, row]))
  const decided = found.map(skill => decide(skill, bySlug.get(skill.text.name), caller.ownerId))
  const states = decided.flatMap(({ state }) => (state ? [state] : []))
  if (states.length > 0) {
    const contents = decided.flatMap(({ state }) => state?.files ?? [])
    await putContents(db, workspaceId, contents)
    const taken = 'A skill of one of these names was made at the same moment; import again.'
    await unique(store.write(db, workspaceId, states, caller, now()), 'skills__slug', taken)
  }
  const origins = found.flatMap(({ origin }, index) => {
    const id = decided[index]?.imported.id
    return origin && id ? [{ ...origin, id }] : []
  })
  if (origins.length > 0) await following.start(db, origins)
  return decided.map(({ imported }) => imported)
}

type Decided = { imported: Imported; state: (Omit<store.State, 'files'> & { files: readonly FileContent[] }) | null }

function decide({ text, markdown, files }: FoundSkill, before: store.SkillRow | undefined, ownerId: string): Decided {
  const slug = text.name
  if (!before) {
    const id = newId(SkillId)
    const first = { id, ownerId, source: 'imported' as const, enabled: true, version: 1, parametersSchema: null }
    return { imported: { slug, id, action: 'created' }, state: { ...first, markdown, text, files } }
  }
  const { id } = before
  if (isSame(before, { markdown, files })) {
    return { imported: { slug, id, action: 'unchanged' }, state: null }
  }
  const state = { ...before, version: before.version + 1, markdown, text, files }
  return { imported: { slug, id, action: 'updated' }, state }
}

type Content = { markdown: string; files: readonly FileState[] }

/** Whether both have the same text and the same files. */
export function isSame(one: Content, other: Content): boolean {
  const keys = ({ files }: Content) => JSON.stringify(files.map(({ path, sha256 }) => `${path}\n${sha256}`).sort())
  return one.markdown === other.markdown && keys(one) === keys(other)
}
