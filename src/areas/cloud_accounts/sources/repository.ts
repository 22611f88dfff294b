// Files of a repository that describe infrastructure, read by ids of objects: no path of a stranger reaches git.
import type { Mirror } from '../../../kit/git.ts'
import { isText, shownPath } from '../../../kit/git_paths.ts'
import { commitAt, type ReadingContext } from '../../repositories/reading/mirrors.ts'
import { entriesOf, foundAt, typeOf } from '../../repositories/reading/trees.ts'
import type { Found, Unseen } from '../found/contract.ts'
import { readCompose } from './compose.ts'
import { gather, keyText } from './gathered.ts'
import { type KubernetesObject, nodesAndEdges } from './kubernetes/objects.ts'
import { objectsOrUnseen } from './manifests.ts'
import { UnreadableSource } from './unreadable.ts'

export type Place = { workspaceId: string; repositoryId: string; path?: string; ref?: string }

const mostFiles = 500
const mostFileBytes = 1024 * 1024
const mostBytes = 4 * 1024 * 1024
const mostFolders = 5_000

/** One file as text, of at most so many bytes. */
export async function fileIn(
  ctx: ReadingContext,
  { workspaceId, ...place }: Place,
  mostBytes: number,
): Promise<Buffer> {
  const { repositoryId, path = '', ref } = place
  const { mirror, sha } = await commitAt(ctx, { workspaceId, id: repositoryId, ref })
  const found = await foundAt(mirror, repositoryId, sha, { path })
  if (found.type !== 'file') throw new UnreadableSource('malformed', `"${path}" is no file; name the state file.`)
  return await bytesOf(mirror, found.sha, path, mostBytes)
}

async function bytesOf(mirror: Mirror, sha: string, path: string, most: number): Promise<Buffer> {
  const head = await mirror.head(sha)
  if (head && head.size > most) {
    throw new UnreadableSource('too_large', `"${path}" has more than ${most / 1024 / 1024} MiB, which is not read.`)
  }
  const object = await mirror.read(sha, most)
  if (!object) throw new UnreadableSource('failed', 'The repository changed while it was read; sync again.')
  return object.bytes
}

const isCompose = (name: string) => /^(docker-)?compose[^/]*\.ya?ml$/i.test(name)
const isManifest = (name: string) => /\.ya?ml$/i.test(name)
/** Of tools whose files are YAML too, and of code that is not one's own. */
const isPassedOver = (name: string) => /^(\..*|node_modules|vendor|third_party|testdata)$/.test(name)

type File = { path: string; sha: string }

export async function readRepository(ctx: ReadingContext, { workspaceId, ...place }: Place): Promise<Found> {
  const { repositoryId, path = '', ref } = place
  const { mirror, sha } = await commitAt(ctx, { workspaceId, id: repositoryId, ref })
  const root = await foundAt(mirror, repositoryId, sha, { path })
  const prefix = shownPath(root.path).path
  const unseen: Unseen[] = []
  const files =
    root.type === 'file'
      ? [{ path: prefix, sha: root.sha }]
      : await walked(mirror, repositoryId, root.sha, prefix, unseen)
  const texts = await textsOf(mirror, files, unseen)
  return await merged(texts, repositoryId, unseen)
}

async function walked(mirror: Mirror, repositoryId: string, root: string, prefix: string, unseen: Unseen[]) {
  const files: File[] = []
  const waiting = [{ tree: root, path: prefix }]
  for (let folders = 0; waiting.length > 0; folders++) {
    const next = waiting.shift()
    if (!next || folders > mostFolders || files.length > mostFiles) break
    for (const { mode, name, sha } of await entriesOf(mirror, repositoryId, next.tree)) {
      const { path: shown, pathBytes } = shownPath(name)
      const path = next.path === '' ? shown : `${next.path}/${shown}`
      const type = typeOf(mode)
      if (pathBytes !== null || isPassedOver(shown)) continue
      if (type === 'folder') waiting.push({ tree: sha, path })
      else if (type === 'file' && isManifest(shown)) files.push({ path, sha })
    }
  }
  if (files.length > mostFiles || waiting.length > 0) unseen.push(tooMany(`more than ${mostFiles} files`))
  return files.slice(0, mostFiles)
}

function tooMany(what: string): Unseen {
  const text = `The folder has ${what}; the rest is left out. Name one with fewer in "config.path".`
  return { region: null, types: null, code: 'too_large', text }
}

type Text = { path: string; text: string }

async function textsOf(mirror: Mirror, files: readonly File[], unseen: Unseen[]): Promise<Text[]> {
  const texts: Text[] = []
  let left = mostBytes
  for (const { path, sha } of files) {
    try {
      const bytes = await bytesOf(mirror, sha, path, mostFileBytes)
      left -= bytes.length
      if (left < 0) {
        unseen.push(tooMany(`more than ${mostBytes / 1024 / 1024} MiB of files`))
        break
      }
      if (isText(bytes)) texts.push({ path, text: bytes.toString('utf8') })
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error
      unseen.push({ region: null, types: null, code: error.code, text: error.message })
    }
  }
  return texts
}

/** Files of a folder belong together: a selector in one finds what is in another. Each thing knows its file. */
async function merged(texts: readonly Text[], repositoryId: string, unseen: readonly Unseen[]): Promise<Found> {
  const gathered = gather('The folder')
  for (const one of unseen) gathered.unseen(one)
  const objects: KubernetesObject[] = []
  const places = new Map<string, string>()
  const add = ({ nodes, edges, unseen: more }: Omit<Found, 'externalId'>, ofFile?: string) => {
    for (const node of nodes) {
      const path = ofFile ?? places.get(keyText(node))
      gathered.node({ ...node, properties: { ...node.properties, repositoryId, path } })
    }
    for (const { from, to, relation, confidence } of edges) gathered.edge(from, to, relation, confidence)
    for (const one of more) gathered.unseen(one)
  }
  for (const { path, text } of texts) {
    if (isCompose(nameOf(path))) add(await composed(path, text), path)
    else {
      const read = await objectsOrUnseen({ path, text })
      for (const node of nodesAndEdges(read.objects).nodes) {
        if (!places.has(keyText(node))) places.set(keyText(node), path)
      }
      objects.push(...read.objects)
      for (const one of read.unseen) gathered.unseen(one)
    }
  }
  add(nodesAndEdges(objects, 'The folder'))
  return gathered.found(null)
}

async function composed(path: string, text: string): Promise<Found> {
  // YAML is slow to read: others have their turn in between.
  await new Promise(resolve => setImmediate(resolve))
  try {
    return readCompose(text, { path })
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error
    const { code, message } = error
    return { externalId: null, nodes: [], edges: [], unseen: [{ region: null, types: null, code, text: message }] }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
