// Files of a zip or of a repository → the skills in them: every folder with a SKILL.md is one, checked before anything is written.
import { hash } from 'node:crypto'
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { readZip, type ZipEntry } from '../../../kit/zip.ts'
import { mainFile, mostFileBytes, mostFiles, mostMarkdown, mostTotalBytes } from '../fields/contract.ts'
import { refuseFiles } from '../files/bounds.ts'
import { asText, mimeTypeOf } from '../files/media.ts'
import type { FileState } from '../files/store.ts'
import { acceptedText } from '../format/accepting.ts'
import type { SkillText } from '../format/reading.ts'

export type FileContent = FileState & { bytes: Uint8Array }
/** `folder` is where it stands among the files, with a slash at the end; empty where it is all of them. */
export type FoundSkill = { folder: string; text: SkillText; markdown: string; files: FileContent[] }

export const mostSkills = 100
export const limits = { entries: 20 * mostFiles, fileBytes: mostFileBytes, totalBytes: 2 * mostTotalBytes }

/** What macOS packs beside every file; nobody means it. */
const byproduct = /^__MACOSX\//

type Folder = { path: string; main: ZipEntry; files: ZipEntry[] }

export async function skillsIn(zip: Uint8Array): Promise<FoundSkill[]> {
  const entries = readZip(zip, limits).filter(({ path }) => !byproduct.test(path))
  return await skillsOf(entries, { what: 'zip', own: '', isStrict: true })
}

/** `own` is the name of the folder that all of them are in, where it has one; `isStrict` refuses what is in no skill. */
type Around = { what: 'zip' | 'folder'; own: string; isStrict: boolean }

export async function skillsOf(entries: readonly ZipEntry[], around: Around): Promise<FoundSkill[]> {
  const folders = foldersOf(entries, around)
  for (const { path, files } of folders)
    refuseFiles(files.map(file => ({ path: below(path, file.path), size: file.size })))
  const skills: FoundSkill[] = []
  refuseMuch(folders)
  for (const folder of folders) skills.push(await skillIn(folder, around.own))
  refuseTwice(skills, around.what)
  return skills
}

/** The outermost folders with a SKILL.md; one further down belongs to the skill around it. */
function foldersOf(entries: readonly ZipEntry[], { what, isStrict }: Around): Folder[] {
  const isMain = ({ path }: ZipEntry) => path === mainFile || path.endsWith(`/${mainFile}`)
  const mains = entries.filter(isMain).sort((one, other) => one.path.length - other.path.length)
  const folders = new Map<string, Folder>()
  for (const main of mains) {
    const path = main.path.slice(0, -mainFile.length)
    if (!around(folders, path)) folders.set(path, { path, main, files: [] })
  }
  if (folders.size === 0)
    throw badRequest(`The ${what} holds no ${mainFile}; it must be, or hold, the folder of a skill.`)
  if (folders.size > mostSkills)
    throw badRequest(`The ${what} holds more than ${mostSkills} skills; import them in parts.`)
  for (const entry of entries) {
    const folder = around(folders, entry.path.slice(0, entry.path.lastIndexOf('/') + 1))
    if (!folder && isStrict) throw badRequest(`"${entry.path}" in the ${what} belongs to no skill; leave it out.`)
    if (folder && entry !== folder.main) folder.files.push(entry)
  }
  return [...folders.values()]
}

/** The folder that this path is in, or one around that. */
function around(folders: ReadonlyMap<string, Folder>, path: string): Folder | undefined {
  for (let here = path; ; here = here.slice(0, here.lastIndexOf('/', here.length - 2) + 1)) {
    const folder = folders.get(here)
    if (folder || here === '') return folder
  }
}

function below(folder: string, path: string): string {
  return path.slice(folder.length)
}

async function skillIn({ path, main, files }: Folder, own: string): Promise<FoundSkill> {
  if (main.size > mostMarkdown) {
    throw new ApiError('payload_too_large', `"${main.path}" has more than ${mostMarkdown} bytes; move parts to files.`)
  }
  const markdown = asText(await main.read())
  if (markdown === null) throw badRequest(`"${main.path}" is not valid UTF-8, or holds a NUL character.`)
  const text = await acceptedText(markdown, main.path)
  const name = path.split('/').at(-2) ?? own
  if (name !== '' && name !== text.name) {
    throw badRequest(`"${main.path}": its name is "${text.name}", and its folder is "${name}"; make both the same.`)
  }
  const contents: FileContent[] = []
  for (const file of files) {
    const bytes = await file.read()
    const own = below(path, file.path)
    const about = { path: own, size: bytes.length, sha256: hash('sha256', bytes), mimeType: mimeTypeOf(own, bytes) }
    contents.push({ ...about, bytes })
  }
  return { folder: path, text, markdown, files: contents }
}

/** Of a zip this is known already. */
function refuseMuch(folders: readonly Folder[]): void {
  const files = folders.flatMap(folder => [folder.main, ...folder.files])
  const large = files.find(({ size }) => size > limits.fileBytes)
  if (large) {
    throw new ApiError('payload_too_large', `"${large.path}" has more than ${limits.fileBytes} bytes; take it out.`)
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > limits.totalBytes) {
    const most = `${limits.totalBytes / 1024 / 1024} MiB`
    throw new ApiError('payload_too_large', `The skills have more than ${most} together; import them in parts.`)
  }
}

function refuseTwice(skills: readonly FoundSkill[], what: string): void {
  const names = skills.map(({ text }) => text.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw badRequest(`The ${what} holds two skills named "${twice}"; rename one of them.`)
}
