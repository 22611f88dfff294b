// What an engine tells about its containers, networks, volumes and images, as things and how they hang together.
import type { FoundNode, NodeKey } from '../../found/contract.ts'
import type { Gathered } from '../gathered.ts'
import { categoryOfImage } from '../images.ts'
import { at, entriesOf, flagOf, known, listOf, looksSecret, numberOf, tagsOf, textOf } from '../values.ts'

export const types = {
  engine: 'docker.engine',
  container: 'docker.container',
  network: 'docker.network',
  volume: 'docker.volume',
  image: 'docker.image',
} as const

const most = 20_000

function key(type: string, externalId: string): NodeKey {
  return { type, externalId, region: '' }
}

export function engineNode(id: string, version: unknown, info: unknown): FoundNode {
  const properties = known({
    version: textOf(at(version, 'Version'), 64) ?? textOf(at(info, 'ServerVersion'), 64),
    apiVersion: textOf(at(version, 'ApiVersion'), 16),
    operatingSystem: textOf(at(info, 'OperatingSystem'), 128),
    architecture: textOf(at(version, 'Arch'), 32) ?? textOf(at(info, 'Architecture'), 32),
    kernel: textOf(at(version, 'KernelVersion'), 128) ?? textOf(at(info, 'KernelVersion'), 128),
    cpus: numberOf(at(info, 'NCPU')),
    memory: numberOf(at(info, 'MemTotal')),
    storageDriver: textOf(at(info, 'Driver'), 64),
  })
  const name = textOf(at(info, 'Name'), 253) ?? 'docker'
  return { ...key(types.engine, id), name, category: 'compute', properties, tags: {} }
}

/** A container is called by its name: under another id it is the same one, made anew with another image. */
export function addContainers(gathered: Gathered, engine: NodeKey, value: unknown): void {
  const containers = listOf(value, most).flatMap(one => {
    const name = nameOf(one)
    return name === undefined ? [] : [{ one, own: key(types.container, name), name }]
  })
  const services = new Map<string, NodeKey[]>()
  for (const { one, own, name } of containers) {
    gathered.node(containerNode(one, own, name))
    gathered.edge(engine, own, 'contains')
    const service = serviceOf(one)
    if (service) services.set(service, [...(services.get(service) ?? []), own])
  }
  for (const { one, own } of containers) addEdgesOf(gathered, one, own, services)
}

function nameOf(container: unknown): string | undefined {
  return textOf(at(container, 'Names', 0), 256)?.replace(/^\//, '') ?? textOf(at(container, 'Id'), 64)
}

/** Neither the command nor the environment is kept: that is where passwords are. */
function containerNode(one: unknown, own: NodeKey, name: string): FoundNode {
  const image = textOf(at(one, 'Image'), 512)
  const ports = listOf(at(one, 'Ports'), 100).map(port =>
    known({
      port: numberOf(at(port, 'PrivatePort')),
      publicPort: numberOf(at(port, 'PublicPort')),
      publicAddress: textOf(at(port, 'IP'), 64),
      protocol: textOf(at(port, 'Type'), 16),
    }),
  )
  const binds = listOf(at(one, 'Mounts'), 100).filter(mount => at(mount, 'Type') === 'bind')
  const paths = binds.flatMap(mount => textOf(at(mount, 'Source')) ?? [])
  const properties = known({
    containerId: textOf(at(one, 'Id'), 64),
    image: image !== undefined && looksSecret(image) ? undefined : image,
    state: textOf(at(one, 'State'), 32),
    networkMode: textOf(at(one, 'HostConfig', 'NetworkMode'), 128),
    ports: ports.filter(port => port.port !== undefined).slice(0, 50),
    hostPaths: [...new Set(paths)].filter(path => !looksSecret(path)).slice(0, 20),
    // Whoever has the socket of the engine is root on its machine.
    hasEngineSocket: paths.some(path => path.endsWith('/docker.sock')) || undefined,
    project: textOf(at(one, 'Labels', composeProject), 128),
    service: textOf(at(one, 'Labels', composeService), 128),
  })
  return { ...own, name, category: categoryOfImage(image ?? ''), properties, tags: tagsOf(at(one, 'Labels')) }
}

const composeProject = 'com.docker.compose.project'
const composeService = 'com.docker.compose.service'

function serviceOf(container: unknown): string | undefined {
  const project = textOf(at(container, 'Labels', composeProject), 128)
  const service = textOf(at(container, 'Labels', composeService), 128)
  return project && service ? `${project}\n${service}` : undefined
}

function addEdgesOf(
  gathered: Gathered,
  one: unknown,
  own: NodeKey,
  services: ReadonlyMap<string, readonly NodeKey[]>,
): void {
  for (const [, network] of entriesOf(at(one, 'NetworkSettings', 'Networks'), 100)) {
    const id = textOf(at(network, 'NetworkID'), 128)
    if (id) gathered.edge(own, key(types.network, id), 'connects_to')
  }
  for (const mount of listOf(at(one, 'Mounts'), 100)) {
    const name = at(mount, 'Type') === 'volume' ? textOf(at(mount, 'Name'), 256) : undefined
    if (name) gathered.edge(own, key(types.volume, name), at(mount, 'RW') === false ? 'reads' : 'writes')
  }
  const image = textOf(at(one, 'ImageID'), 128)
  if (image) gathered.edge(own, key(types.image, image), 'depends_on')
  for (const needed of neededBy(one)) {
    for (const to of services.get(needed) ?? []) gathered.edge(own, to, 'depends_on')
  }
}

/** Compose writes what a service waits for as `db:service_healthy:false,cache:service_started:true`. */
function neededBy(container: unknown): string[] {
  const project = textOf(at(container, 'Labels', composeProject), 128)
  const said = textOf(at(container, 'Labels', 'com.docker.compose.depends_on'), 4096)
  if (!project || !said) return []
  return said.split(',', 50).map(part => `${project}\n${part.split(':', 1)[0]}`)
}

export function addNetworks(gathered: Gathered, engine: NodeKey, value: unknown): void {
  for (const one of listOf(value, most)) {
    const id = textOf(at(one, 'Id'), 128)
    if (!id) continue
    const subnets = listOf(at(one, 'IPAM', 'Config'), 10).flatMap(config => textOf(at(config, 'Subnet'), 64) ?? [])
    const properties = known({
      driver: textOf(at(one, 'Driver'), 64),
      scope: textOf(at(one, 'Scope'), 32),
      isInternal: flagOf(at(one, 'Internal')),
      subnets,
    })
    const own = key(types.network, id)
    const tags = tagsOf(at(one, 'Labels'))
    gathered.node({ ...own, name: textOf(at(one, 'Name'), 256) ?? id, category: 'network', properties, tags })
    gathered.edge(engine, own, 'contains')
  }
}

/** The options of a driver are left out: they hold the passwords of network drives. */
export function addVolumes(gathered: Gathered, engine: NodeKey, value: unknown): void {
  for (const one of listOf(at(value, 'Volumes'), most)) {
    const name = textOf(at(one, 'Name'), 256)
    if (!name) continue
    const properties = known({ driver: textOf(at(one, 'Driver'), 128), scope: textOf(at(one, 'Scope'), 32) })
    const own = key(types.volume, name)
    gathered.node({ ...own, name, category: 'storage', properties, tags: tagsOf(at(one, 'Labels')) })
    gathered.edge(engine, own, 'contains')
  }
}

export function addImages(gathered: Gathered, engine: NodeKey, value: unknown): void {
  for (const one of listOf(value, most)) {
    const id = textOf(at(one, 'Id'), 128)
    if (!id) continue
    const named = (list: string) =>
      listOf(at(one, list), 20).flatMap(given => {
        const text = textOf(given)
        return text === undefined || text.startsWith('<none>') || looksSecret(text) ? [] : [text]
      })
    const [tags, digests] = [named('RepoTags'), named('RepoDigests')]
    const properties = known({ repoTags: tags, repoDigests: digests, size: numberOf(at(one, 'Size')) })
    const own = key(types.image, id)
    const name = tags[0] ?? digests[0] ?? id
    gathered.node({ ...own, name: name.slice(0, 256), category: 'code', properties, tags: tagsOf(at(one, 'Labels')) })
    gathered.edge(engine, own, 'contains')
  }
}
