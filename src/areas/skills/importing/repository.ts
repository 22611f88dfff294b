// Folders of a repository as the skills in them, read by ids of objects: no path of a stranger reaches git.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import type { BeforeContext } from '../../../kit/context.ts'
import type { Mirror } from '../../../kit/git.ts'
import { shownPath } from '../../../kit/git_paths.ts'
import type { ZipEntry } from '../../../kit/zip.ts'
import { commitAt, type ReadingContext } from '../../repositories/reading/mirrors.ts'
import { objectAt } from '../../repositories/reading/objects.ts'
import { entriesOf, foundAt, typeOf } from '../../repositories/reading/trees.ts'
import { type FoundSkill, limits, skillsOf } from './folders.ts'

export type Place = { repositoryId: string; path?: string | undefined; ref?: string | undefined }

/** Where a skill comes from; `tree` is the id of its folder. */
export type Origin = { repositoryId: string; path: string; ref: string | null; tree: string }

export type FromRepository = FoundSkill & { origin: Origin }

/** Whoever imports must be able to read the repository: the call is refused where they may not. */
export async function skillsFrom(
  ctx: ReadingContext & Pick<BeforeContext, 'call'>,
  workspaceId: string,
  place: Place,
): Promise<FromRepository[]> {
  await ctx.call('repositories.get', { workspaceId, id: place.repositoryId })
  return await skillsAt(ctx, workspaceId, place)
}

export async function skillsAt(ctx: ReadingContext, workspaceId: string, place: Place): Promise<FromRepository[]> {
  const { repositoryId, ref } = place
  const path = place.path?.replace(/^\/+|\/+$/g, '') ?? ''
  const { mirror, sha } = await commitAt(ctx, { workspaceId, id: repositoryId, ref })
  const folder = await foundAt(mirror, repositoryId, sha, { path })
  if (folder.type !== 'folder') throw badRequest(`"${path}" is no folder; name the one that holds SKILL.md.`)
  const trees = new Map<string, string>()
  const files = await walked(mirror, repositoryId, folder.sha, trees)
  const skills = await skillsOf(files, { what: 'folder', own: path.split('/').at(-1) ?? '', isStrict: false })
  return skills.map(skill => ({
    ...skill,
    origin: {
      repositoryId,
      path: [path, skill.folder].filter(Boolean).join('/').replace(/\/$/, ''),
      ref: ref ?? null,
      tree: trees.get(skill.folder) ?? folder.sha,
    },
  }))
}

/** The id of a folder at the ref, without reading what is in it; null where there is none any more. */
export async function treeAt(ctx: ReadingContext, workspaceId: string, place: Place): Promise<string | null> {
  const found = await objectAt(ctx, workspaceId, { path: '', ...place })
  return found?.type === 'folder' ? found.sha : null
}

/** Without an id where it is nothing that can be read. */
type Walked = ZipEntry & { sha: string | null }

/** All files below a folder. What is neither file nor folder is left out where no skill is, and refused where one is. */
async function walked(mirror: Mirror, repositoryId: string, root: string, trees: Map<string, string>) {
  const files: Walked[] = []
  const waiting = [{ tree: root, prefix: '' }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { tree, prefix } = next
    trees.set(prefix, tree)
    for (const { mode, name, sha } of await entriesOf(mirror, repositoryId, tree)) {
      const { path: shown, pathBytes } = shownPath(name)
      const path = prefix + shown
      const type = typeOf(mode)
      if (type === 'folder' && pathBytes === null) waiting.push({ tree: sha, prefix: `${path}/` })
      else if (type === 'file' && pathBytes === null) files.push(fileOf(mirror, sha, path))
      else files.push({ sha: null, path, size: 0, read: () => Promise.reject(unusable(path, type)) })
      if (files.length + waiting.length > limits.entries) {
        throw badRequest(`The folder holds more than ${limits.entries} files; name one with fewer.`)
      }
    }
  }
  const heads = await mirror.heads(files.flatMap(({ sha }) => (sha === null ? [] : [sha])))
  const sizes = new Map(heads.flatMap(head => (head ? [[head.sha, head.size] as const] : [])))
  return files.map(file => ({ ...file, size: sizes.get(file.sha ?? '') ?? 0 }))
}

function fileOf(mirror: Mirror, sha: string, path: string): Walked {
  const read = async () => {
    const object = await mirror.read(sha, limits.fileBytes)
    if (!object) throw new ApiError('unavailable', 'The repository changed while it was read; try again.')
    return object.bytes
  }
  return { sha, path, size: 0, read }
}

function unusable(path: string, type: string) {
  const what = type === 'symlink' ? 'a link' : type === 'submodule' ? 'a submodule' : 'a name that is not valid UTF-8'
  return badRequest(`"${path}" is ${what}; a skill holds plain files only.`)
}
