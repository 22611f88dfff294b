// What is kept of a resource: facts that are chosen by their names, since a state holds every secret there is.
import { at, entriesOf, type Fields, listOf, looksSecret, tagsOf, textOf } from '../values.ts'
import type { Resource } from './resources.ts'

/** Harmless wherever it occurs; a name that may hold a text of somebody's own is not among them. */
const harmless: ReadonlySet<string> = new Set(
  `id arn name self_link account_id owner_id project project_id resource_group_name namespace_id unique_id
  region location zone zone_id availability_zone multi_az
  vpc_id subnet_id subnetwork network network_id virtual_network_name vpc_uuid security_group_id cluster_id cluster_name
  cluster_identifier instance_id image_id ami instance_type instance_class machine_type vm_size size sku sku_name sku_tier
  tier node_type node_count num_nodes number_of_nodes droplet_id server_type plan capacity read_capacity write_capacity
  billing_mode min_size max_size desired_capacity desired_count desired_size min_count max_count replicas
  replica_count number_cache_clusters num_cache_nodes num_cache_clusters shard_count partitions
  allocated_storage max_allocated_storage storage_type storage_encrypted iops throughput disk_size disk_size_gb disk_type
  volume_size volume_type volume_id ephemeral_storage memory_size memory cpu cpus cores timeout memory_mb
  engine engine_version engine_mode engine_lifecycle_support database_version db_name db_instance_class db_subnet_group_name
  parameter_group_name runtime version kubernetes_version platform_version latest_version master_version platform os_type
  family architecture cpu_type launch_type package_type kind type scheme protocol load_balancer_type
  ip_address_type target_type port from_port to_port ip_protocol cidr cidr_block ipv6_cidr_block ip_cidr_range cidr_ipv4
  destination_cidr_block private_ip public_ip ip_address ipv4_address ipv6_address private_ip_address public_ip_address
  bucket function_name identifier db_instance_identifier repository_name key_name domain domain_name fqdn dns_name hostname
  hosted_zone_id zone_name record_type ttl display_name role_name queue_name topic_name container_name
  encrypted publicly_accessible deletion_protection versioning_enabled force_destroy backup_retention_period
  enable_dns_hostnames enable_dns_support map_public_ip_on_launch internal enabled is_enabled is_public private_cluster
  fifo_queue visibility_timeout_seconds message_retention_seconds delay_seconds retention_in_days max_message_size
  key_usage enable_key_rotation rotation_enabled multi_region is_multi_region_trail skip_destroy visibility archived
  http2_enabled https_only performance_mode throughput_mode access_tier account_tier account_kind account_replication_type
  auto_minor_version_upgrade monitoring ebs_optimized single_nat_gateway enable_deletion_protection chart
  schedule_expression instance_name proxied priority weight`.split(/\s+/),
)

/** Where machines are reached. Addresses with a scheme are left out: those of webhooks are secrets. */
const hostLike: ReadonlySet<string> = new Set(
  'endpoint reader_endpoint address host configuration_endpoint_address primary_endpoint_address bucket_domain_name'.split(
    ' ',
  ),
)
const host = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/

/** Of these even the id may be the secret itself: `random_string`, `vault_token`. Nothing of them is kept. */
const closedTypes =
  /^(?:random|tls|local|null|vault|bcrypt|htpasswd|pkcs12|external|http|template|sops|onepassword|doppler)_|(?:password|passphrase|token|credentials?|access_key|api_key|account_key|private_key|application_key|auth_key|tailnet_key|spaces_key|secret_id|random\w*)$/

const names = 'name identifier display_name family node_group_name queue_name topic_name role_name instance_name'.split(
  ' ',
)

/** In other types these name what the resource belongs to. */
const namesOfTheirOwn: readonly [form: RegExp, attributes: string][] = [
  [/_bucket$/, 'bucket'],
  [/_function$/, 'function_name'],
  [/_cluster$/, 'cluster_name cluster_identifier cluster_id'],
  [/_repository$/, 'repository repository_name'],
  [/_zone$/, 'zone'],
  [/_domain(?:_name)?$/, 'domain domain_name'],
  [/_certificate$/, 'domain_name'],
  [/_key_pair$/, 'key_name'],
  [/_secret$/, 'secret_name'],
]

function namesFor(type: string): string[] {
  const own = namesOfTheirOwn.filter(([form]) => form.test(type)).flatMap(([, attributes]) => attributes.split(' '))
  return [...names, ...own]
}

const mostProperties = 60
const longest = 256

export type Facts = {
  properties: Record<string, unknown>
  tags: Record<string, string>
  name: string | undefined
  region: string
}

/** `secrets` are values that are secret somewhere in the state. */
export function factsOf(resource: Resource, secrets: ReadonlySet<string>): Facts {
  if (closedTypes.test(resource.type)) return { properties: {}, tags: {}, name: undefined, region: '' }
  const own = ownSecrets(resource)
  const isSecret = (text: string) =>
    secrets.has(text) ||
    looksSecret(text) ||
    own.some(secret => (secret.length < 6 ? text === secret : text.includes(secret)))
  const attributes = openAttributes(resource)
  const tags = Object.fromEntries(Object.entries(tagsAt(resource, attributes)).filter(([, value]) => !isSecret(value)))
  const plain = (value: unknown) => {
    const text = textOf(value, longest)
    return text === undefined || isSecret(text) ? undefined : text
  }
  const metadata = at(attributes, 'metadata', 0)
  const candidates = [tags.Name, at(metadata, 'name'), ...namesFor(resource.type).map(name => at(attributes, name))]
  return {
    properties: propertiesOf(attributes, plain),
    tags,
    name: candidates.map(plain).find(name => name !== undefined),
    region: regionOf(resource.type, attributes, plain),
  }
}

type Plain = (value: unknown) => string | undefined

function propertiesOf(attributes: Fields, plain: Plain): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  let left = mostProperties
  for (const [name, value] of entriesOf(attributes)) {
    if (left === 0) break
    const isHost = hostLike.has(name)
    if (!isHost && !harmless.has(name)) continue
    const text = plain(value)
    const isPlain = typeof value === 'boolean' || Number.isFinite(value)
    if (!(isPlain && !isHost) && (text === undefined || (isHost && !host.test(text)))) continue
    kept[name] = text ?? value
    left--
  }
  const namespace = plain(at(attributes, 'metadata', 0, 'namespace'))
  return { ...kept, ...(namespace !== undefined && { namespace }) }
}

/** Without what is marked, and of what is marked in part only tags, whose parts are told from each other. */
export function openAttributes({ attributes, sensitive }: Resource): Fields {
  if (sensitive.isAll) return {}
  const isOpen = (name: string) => !sensitive.whole.has(name) && (!sensitive.parts.has(name) || tagLists.includes(name))
  return Object.fromEntries(entriesOf(attributes).filter(([name]) => isOpen(name)))
}

const tagLists = ['tags', 'tags_all', 'labels', 'effective_labels', 'terraform_labels']

/** What is marked in one of the lists is in the others too, where nobody has marked it. */
function tagsAt({ sensitive }: Resource, attributes: Fields): Record<string, string> {
  if (tagLists.some(list => sensitive.whole.has(list))) return {}
  const marked = new Set(tagLists.flatMap(list => [...(sensitive.parts.get(list) ?? [])]))
  const lists = [...tagLists.map(list => at(attributes, list)), at(attributes, 'metadata', 0, 'labels')]
  const entries = lists.flatMap(list => (Array.isArray(list) ? fromWords(list) : entriesOf(list, 1000)))
  const blocks = listOf(at(attributes, 'tag'), 100).map((tag): [string, unknown] => [
    String(at(tag, 'key')),
    at(tag, 'value'),
  ])
  return tagsOf(
    Object.fromEntries([...entries, ...blocks].filter(([name]) => name !== '__proto__' && !marked.has(name))),
  )
}

/** `env:prod`, as Datadog has it, or a word alone, as DigitalOcean does. */
function fromWords(list: unknown): [string, unknown][] {
  return listOf(list, 100).flatMap((word): [string, unknown][] => {
    const text = textOf(word, 256)
    const [name = '', ...rest] = text?.split(':') ?? []
    return text === undefined ? [] : [[name, rest.join(':')]]
  })
}

const amazon = /^([a-z]{2}(?:-gov|-iso[a-z]?)?-[a-z]+-\d{1,2})/
const regionForm = /^[a-z][a-z0-9-]{1,62}$/

function regionOf(type: string, attributes: Fields, plain: Plain): string {
  const isAmazon = type.startsWith('aws_')
  const read = (name: string) => plain(at(attributes, name))?.split('/').at(-1)?.toLowerCase().replaceAll(' ', '')
  const zone = read('availability_zone') ?? (isAmazon || type.startsWith('cloudflare_') ? undefined : read('zone'))
  const ofZone = zone && (amazon.exec(zone)?.[1] ?? zone.replace(/-[a-z]$/, ''))
  const arns = ['arn', 'id'].flatMap(name => plain(at(attributes, name)) ?? []).filter(text => text.startsWith('arn:'))
  const ofArn = arns[0]?.split(':')[3]
  const candidates = [read('region'), ofZone, ofArn, isAmazon ? undefined : read('location')]
  return candidates.find(one => one !== undefined && regionForm.test(one)) ?? ''
}

/** `password`, and not `password_length`: what has such a name is a secret, and is one wherever else it stands. */
const secretAttribute =
  /(?:^|_)(?:password|passphrase|token|private_key|private_key_pem|secret_key|secret_string|secret_access_key|client_secret|connection_string|api_key|result|secret)$/

const shortestShared = 8
const mostSecrets = 10_000

/** Values that are secret in one resource, so that they are not kept as a property of another. */
export function secretsOf(resources: readonly Resource[]): ReadonlySet<string> {
  const secrets = new Set<string>()
  for (const resource of resources) {
    const named = entriesOf(resource.attributes).filter(([name]) => secretAttribute.test(name))
    for (const text of [...textsWithin(named.map(([, value]) => value)), ...ownSecrets(resource)]) {
      if (text.length >= shortestShared && secrets.size < mostSecrets && !text.startsWith('arn:')) secrets.add(text)
    }
  }
  return secrets
}

/** What is marked sensitive in this resource. */
function ownSecrets({ attributes, sensitive }: Resource): string[] {
  const wholes = [...sensitive.whole].map(name => at(attributes, name))
  const parts = [...sensitive.parts].flatMap(([name, below]) => {
    const value = at(attributes, name)
    return tagLists.includes(name) ? [...below].map(part => at(value, part)) : [value]
  })
  return textsWithin([...wholes, ...parts])
}

const mostWalked = 1_000

function textsWithin(values: readonly unknown[]): string[] {
  const open = [...values]
  const texts: string[] = []
  for (let walked = 0; open.length > 0 && walked < mostWalked; walked++) {
    const next = open.pop()
    if (typeof next === 'string' && next !== '') texts.push(next)
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next).slice(0, mostWalked))
  }
  return texts
}
