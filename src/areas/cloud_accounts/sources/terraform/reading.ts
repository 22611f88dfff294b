// Reads a state of Terraform or OpenTofu: resources and modules, and what depends on what. Its secrets stay in it.
import type { Found, FoundNode, NodeKey } from '../../found/contract.ts'
import { type Gathered, gather } from '../gathered.ts'
import { UnreadableSource } from '../unreadable.ts'
import { at, fieldsOf, textOf } from '../values.ts'
import { categoryOf } from './categories.ts'
import { factsOf, secretsOf } from './facts.ts'
import { addLinks, type Placed } from './links.ts'
import { addressOf, configuredAddress, type ModuleStep, type Resource, type StateResources } from './resources.ts'
import { version3 } from './version3.ts'
import { version4 } from './version4.ts'

const mostMiB = 32
const pull = 'Give what "terraform state pull" or "tofu state pull" prints.'

/** Bytes or text as the file has them, or what was parsed of it. */
export function readTerraformState(given: unknown): Found {
  const state = parsed(given)
  const { resources, strange } = resourcesOf(state)
  const gathered = gather('The state')
  if (strange > 0) {
    const text = `${strange} parts of the state are not of the form that Terraform writes, and are left out. ${pull}`
    gathered.unseen({ region: null, types: null, code: 'malformed', text })
  }
  addModules(gathered, resources)
  const secrets = secretsOf(resources)
  const placed = resources.flatMap(resource => {
    const node = nodeOf(resource, secrets)
    if (node) gathered.node(node)
    return node && gathered.has(node) ? [{ resource, key: node }] : []
  })
  addContainment(gathered, placed)
  addLinks(gathered, placed)
  addDependencies(gathered, placed)
  return gathered.found(textOf(at(state, 'lineage'), 256) ?? null)
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string' && !(given instanceof Uint8Array)) return given
  if (given.length > mostMiB * 1024 * 1024) {
    throw new UnreadableSource('too_large', `The state has more than ${mostMiB} MiB; split it into several states.`)
  }
  const text = typeof given === 'string' ? given : new TextDecoder().decode(given)
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw new UnreadableSource('malformed', `This is no state: it is not JSON. ${pull}`)
  }
}

function resourcesOf(state: unknown): StateResources {
  const version = at(state, 'version')
  if (at(state, 'encrypted_data') !== undefined) refuse('It is encrypted by OpenTofu, and is only read decrypted.')
  if (at(state, 'format_version') !== undefined)
    refuse('It is the output of "show -json", which is not the state itself.')
  if (version === undefined || !fieldsOf(state)) refuse('It is no state: it has no version.')
  if (version === 4 && Array.isArray(at(state, 'resources'))) return version4(state)
  if (version === 3 && Array.isArray(at(state, 'modules'))) {
    if (at(state, 'backend') !== undefined) refuse('It only says where the state is kept, as files in ".terraform" do.')
    return version3(state)
  }
  if (version === 3 || version === 4) refuse(`It is no state: version ${version} would have a list of resources.`)
  if (version === 1 || version === 2) refuse(`Its version, ${version}, is older than Terraform 0.9 and is not read.`)
  refuse('Its version is not known; 3 and 4 are read.')
}

function refuse(why: string): never {
  throw new UnreadableSource('malformed', `The state cannot be read. ${why} ${pull}`)
}

function moduleKey(modules: readonly ModuleStep[]): NodeKey | undefined {
  const address = textOf(modules.map(({ instance }) => instance).join('.'), longestAddress)
  return address === undefined ? undefined : { type: 'terraform_module', externalId: address, region: '' }
}

const longestAddress = 1024

/** Each module once, from the outermost to the innermost, with the one that contains it. */
function addModules(gathered: Gathered, resources: readonly Resource[]): void {
  for (const { modules } of resources) {
    const innermost = moduleKey(modules)
    if (!innermost || gathered.has(innermost)) continue
    for (let depth = 1; depth <= modules.length; depth++) {
      const [outer, key] = [moduleKey(modules.slice(0, depth - 1)), moduleKey(modules.slice(0, depth))]
      const name = modules[depth - 1]?.instance ?? ''
      if (key) gathered.node({ ...key, name: name.slice(0, 256), category: 'code', properties: {}, tags: {} })
      if (key && outer) gathered.edge(outer, key, 'contains')
    }
  }
}

/** Undefined where the address is too long to be one. */
function nodeOf(resource: Resource, secrets: ReadonlySet<string>): FoundNode | undefined {
  const address = textOf(addressOf(resource), longestAddress)
  if (address === undefined) return undefined
  const { properties, tags, name, region } = factsOf(resource, secrets)
  const { provider, isTainted, type } = resource
  return {
    type,
    externalId: address,
    region,
    name: name ?? address.slice(0, 256),
    category: categoryOf(type),
    properties: { ...properties, ...(provider && { provider }), ...(isTainted && { isTainted }) },
    tags,
  }
}

function addContainment(gathered: Gathered, placed: readonly Placed[]): void {
  for (const { resource, key } of placed) {
    const home = moduleKey(resource.modules)
    if (home) gathered.edge(home, key, 'contains')
  }
}

/** Of one dependency: a thousand instances that need a thousand others would be a million edges that say one thing. */
const mostInstances = 100
/** The state says that one of several instances is needed, or all, and not which. */
const confidenceOfSeveral = 0.7

function addDependencies(gathered: Gathered, placed: readonly Placed[]): void {
  const byAddress = Map.groupBy(placed, ({ resource }) => configuredAddress(resource.modules, resource.configured))
  const byModule = modulesByAddress(placed)
  let isCut = false
  for (const { resource, key } of placed) {
    if (gathered.isFull()) break
    for (const need of new Set(resource.needs)) {
      const isOwn = need === configuredAddress(resource.modules, resource.configured)
      const candidates = isOwn ? [] : (byAddress.get(need) ?? []).filter(one => isWithinReach(resource, one.resource))
      const keys = [...candidates.map(one => one.key), ...(byModule.get(need) ?? [])]
      isCut ||= keys.length > mostInstances
      const confidence = keys.length > 1 ? confidenceOfSeveral : 1
      for (const other of keys.slice(0, mostInstances)) gathered.edge(key, other, 'depends_on', confidence)
    }
  }
  if (isCut) {
    const text = `Resources depend on others of which there are more than ${mostInstances}; edges to the rest are left out.`
    gathered.unseen({ region: null, types: null, code: 'too_large', text })
  }
}

function modulesByAddress(placed: readonly Placed[]): ReadonlyMap<string, NodeKey[]> {
  const found = new Map<string, Map<string, NodeKey>>()
  for (const { resource } of placed) {
    for (let depth = 1; depth <= resource.modules.length; depth++) {
      const modules = resource.modules.slice(0, depth)
      const address = modules.map(({ configured }) => configured).join('.')
      const key = moduleKey(modules)
      if (key) found.set(address, (found.get(address) ?? new Map()).set(key.externalId, key))
    }
  }
  return new Map([...found].map(([address, keys]) => [address, [...keys.values()]]))
}

/** What is within an instance of a module cannot name what is within another instance of it. */
function isWithinReach(one: Resource, other: Resource): boolean {
  for (const [depth, step] of one.modules.entries()) {
    const there = other.modules[depth]
    if (there?.configured !== step.configured) return true
    if (there.instance !== step.instance) return false
  }
  return true
}
