// Networks of EC2: VPCs, subnets, security groups and NAT gateways.
import { groupKey, key, publicAddress, subnetKey, vpcKey } from '../keys.ts'
import type { Reader } from '../reader.ts'
import { flag, list, needed, number, tagPairs, text, texts } from '../shapes.ts'

export const networkTypes = ['aws.ec2.vpc', 'aws.ec2.subnet', 'aws.ec2.security_group', 'aws.ec2.nat_gateway'] as const

export async function readNetworks(reader: Reader): Promise<void> {
  await reader.part(['aws.ec2.vpc'], async () => {
    for await (const vpc of reader.list('ec2:DescribeVpcs')) readVpc(reader, vpc)
  })
  await reader.part(['aws.ec2.subnet'], async () => {
    for await (const subnet of reader.list('ec2:DescribeSubnets')) readSubnet(reader, subnet)
  })
  await reader.part(['aws.ec2.security_group'], async () => {
    for await (const group of reader.list('ec2:DescribeSecurityGroups')) readGroup(reader, group)
  })
  await reader.part(['aws.ec2.nat_gateway'], async () => {
    for await (const gateway of reader.list('ec2:DescribeNatGateways')) readGateway(reader, gateway)
  })
}

export const ec2Tags = (thing: unknown) => tagPairs(thing, 'tagSet.item', ['key', 'value'])

function readVpc({ node, region }: Reader, vpc: unknown): void {
  const id = needed(vpc, 'vpcId')
  const tags = ec2Tags(vpc)
  node({
    key: key('aws.ec2.vpc', id, region),
    name: tags.Name ?? id,
    category: 'network',
    properties: {
      cidr: text(vpc, 'cidrBlock'),
      cidrs: texts(vpc, 'cidrBlockAssociationSet.item', 'cidrBlock'),
      isDefault: flag(vpc, 'isDefault'),
      state: text(vpc, 'state'),
    },
    tags,
  })
}

function readSubnet({ node, edge, region }: Reader, subnet: unknown): void {
  const id = needed(subnet, 'subnetId')
  const own = key('aws.ec2.subnet', id, region)
  const tags = ec2Tags(subnet)
  node({
    key: own,
    name: tags.Name ?? id,
    category: 'network',
    properties: {
      cidr: text(subnet, 'cidrBlock'),
      availabilityZone: text(subnet, 'availabilityZone'),
      givesPublicAddresses: flag(subnet, 'mapPublicIpOnLaunch'),
      state: text(subnet, 'state'),
    },
    tags,
  })
  edge(vpcKey(text(subnet, 'vpcId'), region), own, 'contains')
}

/** From the group whose members are let in to the group that lets them in. */
function readGroup({ node, edge, region }: Reader, group: unknown): void {
  const id = needed(group, 'groupId')
  const own = key('aws.ec2.security_group', id, region)
  const entries = list(group, 'ipPermissions.item', 200)
  const open = entries.filter(isOpen)
  node({
    key: own,
    name: text(group, 'groupName') ?? id,
    category: 'security',
    properties: {
      isOpenToAll: open.length > 0,
      portsOpenToAll: open.map(portsOf).slice(0, 20),
      entries: entries.length,
      exits: list(group, 'ipPermissionsEgress.item', 200).length,
    },
    tags: ec2Tags(group),
  })
  edge(vpcKey(text(group, 'vpcId'), region), own, 'contains')
  for (const entry of entries) {
    for (const from of texts(entry, 'groups.item', 'groupId')) edge(groupKey(from, region), own, 'connects_to')
  }
}

function isOpen(entry: unknown): boolean {
  return (
    texts(entry, 'ipRanges.item', 'cidrIp').includes('0.0.0.0/0') ||
    texts(entry, 'ipv6Ranges.item', 'cidrIpv6').includes('::/0')
  )
}

function portsOf(entry: unknown): string {
  const protocol = text(entry, 'ipProtocol')
  const [from, to] = [number(entry, 'fromPort'), number(entry, 'toPort')]
  if (protocol === undefined || protocol === '-1' || from === undefined) return 'all'
  return `${protocol} ${from}${to === undefined || to === from ? '' : `-${to}`}`
}

function readGateway({ node, edge, name, region }: Reader, gateway: unknown): void {
  const state = text(gateway, 'state')
  // It is still told of for an hour.
  if (state === 'deleted') return
  const id = needed(gateway, 'natGatewayId')
  const own = key('aws.ec2.nat_gateway', id, region)
  const tags = ec2Tags(gateway)
  const addresses = texts(gateway, 'natGatewayAddressSet.item', 'publicIp')
  node({
    key: own,
    name: tags.Name ?? id,
    category: 'network',
    properties: { state, publicIps: addresses, isPublic: text(gateway, 'connectivityType') !== 'private' },
    tags,
  })
  for (const address of addresses) name(publicAddress(address), own)
  const subnet = subnetKey(text(gateway, 'subnetId'), region)
  edge(subnet ?? vpcKey(text(gateway, 'vpcId'), region), own, 'contains')
}
