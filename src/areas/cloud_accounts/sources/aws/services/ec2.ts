// EC2: its networks, instances, and the volumes that instances write to.
import {
  groupKey,
  hostName,
  instanceKey,
  instanceProfile,
  key,
  nodegroupName,
  privateAddress,
  publicAddress,
  subnetKey,
  vpcKey,
} from '../keys.ts'
import type { Reader, Service } from '../reader.ts'
import { flag, list, needed, number, text, texts } from '../shapes.ts'
import { ec2Tags, networkTypes, readNetworks } from './ec2_network.ts'

export const ec2: Service = {
  types: [...networkTypes, 'aws.ec2.instance', 'aws.ec2.volume'],
  scope: 'region',
  read: async reader => {
    await readNetworks(reader)
    await reader.part(['aws.ec2.instance'], async () => {
      for await (const reservation of reader.list('ec2:DescribeInstances')) {
        for (const instance of list(reservation, 'instancesSet.item')) readInstance(reader, instance)
      }
    })
    await reader.part(['aws.ec2.volume'], async () => {
      for await (const volume of reader.list('ec2:DescribeVolumes')) readVolume(reader, volume)
    })
  },
}

function readInstance(reader: Reader, instance: unknown): void {
  const state = text(instance, 'instanceState.name')
  // It is still told of for an hour.
  if (state === 'terminated') return
  const id = needed(instance, 'instanceId')
  const tags = ec2Tags(instance)
  const [publicIp, privateIp] = [text(instance, 'ipAddress'), text(instance, 'privateIpAddress')]
  reader.node({
    key: key('aws.ec2.instance', id, reader.region),
    name: tags.Name ?? id,
    category: 'compute',
    properties: {
      instanceType: text(instance, 'instanceType'),
      state,
      availabilityZone: text(instance, 'placement.availabilityZone'),
      architecture: text(instance, 'architecture'),
      platform: text(instance, 'platformDetails'),
      imageId: text(instance, 'imageId'),
      launched: text(instance, 'launchTime'),
      privateIp,
      publicIp,
      isPublic: publicIp !== undefined,
      dnsName: text(instance, 'dnsName'),
    },
    tags,
  })
  linkInstance(reader, instance, { id, publicIp, privateIp, tags })
}

type Facts = {
  id: string
  publicIp: string | undefined
  privateIp: string | undefined
  tags: Record<string, string>
}

function linkInstance({ edge, name, region }: Reader, instance: unknown, facts: Facts): void {
  const own = key('aws.ec2.instance', facts.id, region)
  const vpc = text(instance, 'vpcId')
  edge(subnetKey(text(instance, 'subnetId'), region) ?? vpcKey(vpc, region), own, 'contains')
  for (const group of texts(instance, 'groupSet.item', 'groupId')) edge(own, groupKey(group, region), 'depends_on')
  edge(own, instanceProfile(text(instance, 'iamInstanceProfile.arn')), 'depends_on')
  const { 'eks:cluster-name': cluster, 'eks:nodegroup-name': nodegroup } = facts.tags
  edge(nodegroupName(region, cluster, nodegroup), own, 'contains')
  name(publicAddress(facts.publicIp), own)
  name(privateAddress(vpc, facts.privateIp), own)
  name(hostName(text(instance, 'dnsName')), own)
}

function readVolume({ node, edge, region }: Reader, volume: unknown): void {
  const id = needed(volume, 'volumeId')
  const own = key('aws.ec2.volume', id, region)
  const tags = ec2Tags(volume)
  node({
    key: own,
    name: tags.Name ?? id,
    category: 'storage',
    properties: {
      sizeGb: number(volume, 'size'),
      volumeType: text(volume, 'volumeType'),
      state: text(volume, 'status'),
      isEncrypted: flag(volume, 'encrypted'),
      iops: number(volume, 'iops'),
      availabilityZone: text(volume, 'availabilityZone'),
    },
    tags,
  })
  for (const attachment of list(volume, 'attachmentSet.item', 50)) {
    edge(instanceKey(text(attachment, 'instanceId'), region), own, 'writes')
  }
}
