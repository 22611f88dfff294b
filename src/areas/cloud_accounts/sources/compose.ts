// Reads a compose file: its services, what they store in, talk over and need. No value of an environment is kept.

import { readYaml } from '../../../kit/yaml_text.ts'
import type { Found, NodeKey } from '../found/contract.ts'
import { type Gathered, gather } from './gathered.ts'
import { categoryOfImage } from './images.ts'
import { UnreadableSource } from './unreadable.ts'
import { at, entriesOf, fieldsOf, flagOf, known, listOf, looksSecret, numberOf, tagsOf, textOf } from './values.ts'

const mostKiB = 128

type Part = 'service' | 'network' | 'volume' | 'config' | 'secret'
type Keys = (part: Part, name: unknown) => NodeKey | undefined

/** Parts are called by project and name; a project without a name is called by its folder, whichever file describes it. */
export function readCompose(text: string, { path }: { path: string }): Found {
  const file = parsed(text, path)
  const project = textOf(at(file, 'name'), 128) ?? folderOf(path)
  const keys: Keys = (part, name) => {
    const plain = textOf(name, 128)
    if (plain === undefined || looksSecret(plain)) return undefined
    return { type: `compose.${part}`, externalId: project === '' ? plain : `${project}/${plain}`, region: '' }
  }
  const gathered = gather(`The compose file ${path}`)
  for (const [name, service] of entriesOf(at(file, 'services'))) addService(gathered, keys, name, service)
  addOthers(gathered, keys, file)
  if (at(file, 'include') !== undefined) {
    const include = `${path} includes other compose files, which are not read with it; add them as sources of their own.`
    gathered.unseen({ region: null, types: null, code: 'failed', text: include })
  }
  for (const [name, service] of entriesOf(at(file, 'services'))) addEdges(gathered, keys, name, service)
  return gathered.found(project === '' ? null : project)
}

function parsed(text: string, path: string): unknown {
  if (text.length > mostKiB * 1024) {
    throw new UnreadableSource('too_large', `${path} has more than ${mostKiB} KiB; split the compose file.`)
  }
  const { values, fault } = readYaml(text)
  if (fault) throw new UnreadableSource(fault.code, `${path} cannot be read. ${fault.text}`)
  const [file] = values
  if (values.length !== 1 || !fieldsOf(at(file, 'services'))) {
    const hint =
      'Give a file with one document and "services:" at its top level; the form before version 2 is not read.'
    throw new UnreadableSource('malformed', `${path} is no compose file. ${hint}`)
  }
  return file
}

function folderOf(path: string): string {
  const folder = path.split('/').slice(0, -1).join('/')
  return textOf(folder.replace(/^[./]+/, ''), 512) ?? ''
}

function addService(gathered: Gathered, keys: Keys, name: string, service: unknown): void {
  const key = keys('service', name)
  if (!key) return
  const image = imageOf(service)
  const properties = known({
    image,
    isBuilt: at(service, 'build') === undefined ? undefined : true,
    containerName: textOf(at(service, 'container_name'), 128),
    replicas: numberOf(at(service, 'deploy', 'replicas')) ?? numberOf(at(service, 'scale')),
    restart: textOf(at(service, 'restart'), 32),
    platform: textOf(at(service, 'platform'), 64),
    profiles: listOf(at(service, 'profiles'), 20).flatMap(one => textOf(one, 64) ?? []),
    ports: listOf(at(service, 'ports'), 50).flatMap(port => portOf(port) ?? []),
    variables: namesOf(at(service, 'environment')),
  })
  const tags = tagsOf(mapOf(at(service, 'labels')))
  gathered.node({ ...key, name, category: categoryOfImage(image ?? name), properties, tags })
}

function imageOf(service: unknown): string | undefined {
  const image = textOf(at(service, 'image'))
  return image && /^[\w./:@${}?+-]+$/.test(image) && !looksSecret(image) ? image : undefined
}

/** `8080:80`, `127.0.0.1:53:53/udp`, `9000-9001`, or the long form of the same. */
function portOf(port: unknown): string | undefined {
  if (typeof port === 'number') return String(port)
  if (typeof port === 'string') return /^[\w.:[\]/${}-]{1,64}$/.test(port) ? port : undefined
  const [published, target] = [portOf(at(port, 'published')), portOf(at(port, 'target'))]
  return target && published ? `${published}:${target}` : target
}

const mostVariables = 100

/** Of `NAME=value` the name; what has not the form of a name may be a value that lost its own. */
function namesOf(environment: unknown): string[] {
  const names = Object.keys(mapOf(environment))
  return names.filter(name => /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(name)).slice(0, mostVariables)
}

/** A map, or a list of `name=value`. */
function mapOf(value: unknown): Record<string, unknown> {
  const pairs = listOf(value, 1000).flatMap(one => {
    if (typeof one !== 'string') return []
    const [name = '', ...rest] = one.split('=')
    return name === '__proto__' ? [] : [[name, rest.join('=')] as const]
  })
  return Object.fromEntries(Array.isArray(value) ? pairs : entriesOf(value, 1000))
}

const others = [
  { part: 'network', list: 'networks', category: 'network' },
  { part: 'volume', list: 'volumes', category: 'storage' },
  { part: 'config', list: 'configs', category: 'config' },
  { part: 'secret', list: 'secrets', category: 'security' },
] as const

/** Of configs and secrets only the name: the file they come from, or they themselves, may be in the rest. */
function addOthers(gathered: Gathered, keys: Keys, file: unknown): void {
  for (const { part, list, category } of others) {
    for (const [name, one] of entriesOf(at(file, list))) {
      const key = keys(part, name)
      const isNameOnly = part === 'config' || part === 'secret'
      const external = at(one, 'external')
      const properties = isNameOnly
        ? {}
        : known({
            driver: textOf(at(one, 'driver'), 64),
            isExternal: flagOf(external) ?? (external ? true : undefined),
          })
      if (key)
        gathered.node({ ...key, name, category, properties, tags: isNameOnly ? {} : tagsOf(mapOf(at(one, 'labels'))) })
    }
  }
}

function addEdges(gathered: Gathered, keys: Keys, name: string, service: unknown): void {
  const from = keys('service', name)
  if (!from) return
  const add = (part: Part, other: unknown, relation: 'depends_on' | 'connects_to' | 'reads' | 'writes') => {
    const to = keys(part, other)
    if (to) gathered.edge(from, to, relation)
  }
  for (const other of keysOrItems(at(service, 'depends_on'))) add('service', other, 'depends_on')
  for (const link of keysOrItems(at(service, 'links'))) add('service', beforeColon(link), 'connects_to')
  for (const network of keysOrItems(at(service, 'networks'))) add('network', network, 'connects_to')
  const mode = textOf(at(service, 'network_mode'))
  if (mode?.startsWith('service:')) add('service', mode.slice('service:'.length), 'connects_to')
  for (const volume of listOf(at(service, 'volumes'), 500)) {
    const mount = mountOf(volume)
    if (mount) add('volume', mount.source, mount.isReadOnly ? 'reads' : 'writes')
  }
  for (const other of listOf(at(service, 'volumes_from'), 500)) add('service', beforeColon(other), 'depends_on')
  for (const one of listOf(at(service, 'configs'), 500)) add('config', at(one, 'source') ?? one, 'reads')
  for (const one of listOf(at(service, 'secrets'), 500)) add('secret', at(one, 'source') ?? one, 'reads')
}

function keysOrItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? listOf(value, 1000) : entriesOf(value, 1000).map(([name]) => name)
}

function beforeColon(value: unknown): unknown {
  return typeof value === 'string' ? value.split(':')[0] : undefined
}

/** Folders of the machine and volumes without a name are parts of nothing. */
function mountOf(volume: unknown): { source: string; isReadOnly: boolean } | undefined {
  const isLong = fieldsOf(volume) !== undefined
  const isVolume = !isLong || (at(volume, 'type') ?? 'volume') === 'volume'
  const [short = '', target, mode = ''] = typeof volume === 'string' ? volume.split(':') : []
  const source = isLong ? textOf(at(volume, 'source'), 128) : target === undefined ? undefined : textOf(short, 128)
  if (!isVolume || source === undefined || !/^[A-Za-z0-9][\w.-]+$/.test(source)) return undefined
  return { source, isReadOnly: isLong ? at(volume, 'read_only') === true : mode.split(',').includes('ro') }
}
