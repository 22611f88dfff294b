// Reads one list of a cluster page by page, and says what stopped it where it did not reach the end.
import { type Asking, ask, malformed, type Refusal } from '../asking.ts'
import { at, fieldsOf, textOf } from '../values.ts'
import type { KubernetesCall } from './access.ts'
import { type OwnedPod, ownedPodOf } from './collapsing.ts'
import type { KubernetesObject } from './kinds.ts'
import { apiVersionOf, pathOf, type Resource } from './resources.ts'

/** Pages beyond the first of each list, and characters, that are left for one reading. */
export type Budget = { pages: number; characters: number }

export function budget(): Budget {
  return { pages: 200, characters: 64 * 1024 * 1024 }
}

export type Listed = { objects: KubernetesObject[]; pods: OwnedPod[]; refusal?: Refusal }

const mostRestarts = 3
/** The second is for clusters whose objects are so large that a page of the first is too long. */
const pageSizes = [500, 50]
const longestToken = 8192

const namesOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

export type ListCall = KubernetesCall & { asking: Asking; left: Budget }

export async function listAll(call: ListCall, resource: Resource, namespace: string | null): Promise<Listed> {
  let restarts = 0
  let size = 0
  let from: string | undefined
  let listed: Listed = { objects: [], pods: [] }
  for (let page = 1; ; page++) {
    if (page > 1 && call.left.pages-- <= 0) return { ...listed, refusal: tooMany('the pages that are read at a time') }
    const query = `?limit=${pageSizes[size]}${from === undefined ? '' : `&continue=${encodeURIComponent(from)}`}`
    const { value, refusal } = await askFor(call, resource, pathOf(resource, namespace) + query)
    if (refusal?.status === 410 && restarts++ < mostRestarts) {
      // What was read is of a state that the cluster has forgotten; the rest would not fit to it.
      from = undefined
      listed = { objects: [], pods: [] }
      continue
    }
    if (refusal?.code === 'too_large' && size + 1 < pageSizes.length) {
      size++
      continue
    }
    if (refusal) return { ...listed, refusal }
    const next = takePage(value, resource, listed, call.left)
    if (typeof next !== 'string') return next ? { ...listed, refusal: next } : listed
    from = next
  }
}

async function askFor({ asking, server, options }: ListCall, { isNameOnly }: Resource, path: string) {
  const headers = { ...options.headers, accept: isNameOnly ? namesOnly : 'application/json' }
  return await ask(asking, server + path, { ...options, headers })
}

/** The token of the next page, or what is wrong with this one, or nothing where it is the last. */
function takePage(value: unknown, resource: Resource, into: Listed, left: Budget): string | Refusal | undefined {
  const items = at(value, 'items')
  // A server that knows no such form answers with everything; that was not asked for, and is not looked at.
  const kind = resource.isNameOnly ? 'PartialObjectMetadataList' : `${resource.kind}List`
  if (at(value, 'kind') !== kind || !(Array.isArray(items) || items === null || items === undefined)) return malformed
  for (const item of Array.isArray(items) ? items : []) {
    const object = kept(resource, item)
    const pod = resource.kind === 'Pod' ? ownedPodOf(object) : undefined
    const length = lengthOf(pod ?? object)
    if (length === null) return malformed
    left.characters -= length
    if (left.characters < 0) return tooMany('what is kept in memory at a time')
    if (pod) into.pods.push(pod)
    else into.objects.push(object)
  }
  const next = at(value, 'metadata', 'continue')
  if (next === undefined || next === '' || next === null) return undefined
  return textOf(next, longestToken) ?? malformed
}

/** Null where it is nested deeper than anybody could walk. */
function lengthOf(value: object): number | null {
  try {
    return JSON.stringify(value).length
  } catch {
    return null
  }
}

function tooMany(what: string): Refusal {
  return { code: 'too_large', status: null, why: `it holds more than ${what}` }
}

/** Without annotations, one of which repeats the whole object, and without who set which field. */
function kept(resource: Resource, item: unknown): KubernetesObject {
  const metadata = at(item, 'metadata')
  const names = ['name', 'namespace', 'uid', 'labels', 'ownerReferences']
  const own = Object.fromEntries(names.map(name => [name, at(metadata, name)]))
  const head = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: own }
  if (resource.isNameOnly) return head
  // A node lists every image that it has ever pulled.
  const status = { ...fieldsOf(at(item, 'status')), images: undefined }
  return { ...head, spec: at(item, 'spec'), status }
}
