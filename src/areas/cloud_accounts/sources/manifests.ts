// Reads Kubernetes manifests out of files, as far as they are no templates.

import { documentsOf, type Fault, readYaml } from '../../../kit/yaml_text.ts'
import type { Found, Unseen } from '../found/contract.ts'
import { kindOf, kinds } from './kubernetes/kinds.ts'
import { type KubernetesObject, nodesAndEdges } from './kubernetes/objects.ts'
import { UnreadableSource } from './unreadable.ts'
import { at, fieldsOf } from './values.ts'

const mostMiB = 8
/** YAML is slow to read; documents of kinds that become nothing are passed over, and do not count. */
const mostReadKiB = 192

export type ManifestFile = { path: string; text: string }
type Objects = { objects: KubernetesObject[]; unseen: Unseen[] }

export async function readManifests(text: string, { path }: { path: string }): Promise<Found> {
  const { objects, unseen } = await objectsOf({ text, path })
  if (objects.length === 0 && unseen.length === 0) {
    const hint = 'Give a file whose documents have "apiVersion:" and "kind:".'
    throw new UnreadableSource('malformed', `${path} holds no Kubernetes objects of a kind that is read. ${hint}`)
  }
  const graph = nodesAndEdges(objects, `The manifest ${path}`)
  return { externalId: null, ...graph, unseen: [...unseen, ...graph.unseen] }
}

/** Files that belong together, so that a selector in one finds what is in another. Those without objects are passed over. */
export async function readManifestFiles(files: readonly ManifestFile[]): Promise<Found> {
  const read: Objects[] = []
  for (const file of files) read.push(await objectsOrUnseen(file))
  const graph = nodesAndEdges(
    read.flatMap(({ objects }) => objects),
    'The folder of manifests',
  )
  return { externalId: null, ...graph, unseen: [...read.flatMap(({ unseen }) => unseen), ...graph.unseen] }
}

/** The objects of one file, and why it has none where it cannot be read. */
export async function objectsOrUnseen(file: ManifestFile): Promise<Objects> {
  try {
    return await objectsOf(file)
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error
    return { objects: [], unseen: [unseenBecause(error.code, error.message)] }
  }
}

function unseenBecause(code: Unseen['code'], text: string): Unseen {
  return { region: null, types: null, code, text }
}

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** YAML is slow to read: others have their turn between its documents. */
async function objectsOf({ path, text }: ManifestFile): Promise<Objects> {
  if (text.length > mostMiB * 1024 * 1024) {
    throw new UnreadableSource('too_large', `${path} has more than ${mostMiB} MiB; split it into several files.`)
  }
  const json = ofJson(text)
  if (json) return { objects: json, unseen: [] }
  const { documents, isCut } = documentsOf(text)
  const outcome: Outcome = { objects: [], templates: [], faults: [], isCut }
  let left = mostReadKiB * 1024
  for (const [index, document] of documents.entries()) {
    if (!mayBeKnown(document)) continue
    left -= document.length
    if (left < 0) {
      outcome.isCut = true
      continue
    }
    await nextTurn()
    readDocument(document, index + 1, outcome)
  }
  return { objects: outcome.objects, unseen: unseenOf(path, outcome) }
}

type Outcome = { objects: KubernetesObject[]; templates: number[]; faults: Fault[]; isCut: boolean }

function readDocument(document: string, number: number, outcome: Outcome): void {
  const { values, fault } = readYaml(document)
  const objects = values.flatMap(value => flat(value))
  // Also what has a kind that only the template knows.
  const mayBeTemplate = (value: unknown) => fieldsOf(at(value, 'kind')) !== undefined || objects.some(isTemplate)
  if (document.includes('{{') && (fault || values.some(mayBeTemplate))) outcome.templates.push(number)
  else if (fault) outcome.faults.push({ ...fault, text: `Document ${number}: ${fault.text}` })
  else outcome.objects.push(...objects)
}

const mostSaid = 5

function unseenOf(path: string, { templates, faults, isCut }: Outcome): Unseen[] {
  const unseen = faults
    .slice(0, mostSaid)
    .map(({ code, text }) => unseenBecause(code, `${path} is not read whole. ${text}`))
  if (faults.length > mostSaid) {
    unseen.push(
      unseenBecause('malformed', `${path} has ${faults.length - mostSaid} more documents that cannot be read.`),
    )
  }
  if (templates.length > 0) {
    const which = `document${templates.length > 1 ? 's' : ''} ${templates.slice(0, 20).join(', ')}`
    const hint = 'Render it ("helm template") and add what comes out, or connect the cluster itself.'
    unseen.push(unseenBecause('malformed', `${path} is a Helm template (${which}), which is not read. ${hint}`))
  }
  if (isCut) {
    const text = `${path} has more than 2,000 documents, or ${mostReadKiB} KiB to read; the rest is left out. Split it.`
    unseen.push(unseenBecause('too_large', text))
  }
  return unseen
}

/** Undefined where it is no JSON; YAML may begin with a brace too. */
function ofJson(text: string): KubernetesObject[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return flat(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** More than become things, so that there being too many is noticed. */
const mostObjects = 10_000

/** Objects of kinds that are read. A `List` is its items, one of one kind too: `DeploymentList`. */
function flat(value: unknown): KubernetesObject[] {
  const objects: KubernetesObject[] = []
  const keep = (one: unknown) => {
    const object = fieldsOf(one)
    if (object && kindOf(object) && objects.length < mostObjects) objects.push(object)
  }
  for (const one of Array.isArray(value) ? value : [value]) {
    const kind = at(one, 'kind')
    const items = at(one, 'items')
    if (objects.length >= mostObjects) break
    if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) keep(one)
    else for (const item of items) keep(withKind(item, kind))
  }
  return objects
}

function withKind(item: unknown, listKind: string): unknown {
  const kind = listKind.slice(0, -'List'.length)
  return kind === '' || at(item, 'kind') !== undefined ? item : { ...fieldsOf(item), kind }
}

/** Looked for in the text, since most of a large file is often definitions of kinds, which take long to read. */
function mayBeKnown(document: string): boolean {
  if (/^\s*[{[]/.test(document)) return true
  const named = [...document.matchAll(/^[ \t-]*["']?kind["']?[ \t]*:[ \t]*["']?([A-Za-z]*)/gm)].map(
    ([, kind]) => kind ?? '',
  )
  if (document.includes('{{') && !named.some(kind => kind !== '')) return true
  return named.some(kind => kinds.has(kind) || kind.endsWith('List'))
}

/** Where braces are what the object is about: texts of its own, which may be templates of something else. */
const ownTexts = new Set(['data', 'stringData', 'binaryData', 'annotations', 'args', 'command', 'env'])
const mostWalked = 50_000

/** A bare `{{ .Values.name }}` is a map in YAML, whose only name is a map. */
function isTemplate(object: KubernetesObject): boolean {
  const open: unknown[] = [object]
  const walked = new Set<unknown>()
  while (open.length > 0 && walked.size < mostWalked) {
    const next = open.pop()
    if (typeof next === 'string' && next.includes('{{')) return true
    if (typeof next !== 'object' || next === null || walked.has(next)) continue
    walked.add(next)
    for (const [name, part] of Object.entries(next)) {
      if (name.startsWith('{')) return true
      if (!ownTexts.has(name)) open.push(part)
    }
  }
  return false
}
