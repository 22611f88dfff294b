// RDS: database instances and the clusters that some of them belong to.
import type { NodeKey } from '../../../found/contract.ts'
import { groupKey, hostName, key, keyOfArn, subnetKey, vpcKey } from '../keys.ts'
import type { Reader, Service } from '../reader.ts'
import { flag, list, needed, number, tagPairs, text, texts } from '../shapes.ts'

export const rds: Service = {
  types: ['aws.rds.cluster', 'aws.rds.instance'],
  scope: 'region',
  read: async reader => {
    await reader.part(['aws.rds.cluster'], async () => {
      for await (const cluster of reader.list('rds:DescribeDBClusters')) readCluster(reader, cluster)
    })
    await reader.part(['aws.rds.instance'], async () => {
      for await (const instance of reader.list('rds:DescribeDBInstances')) readInstance(reader, instance)
    })
  },
}

function readCluster(reader: Reader, cluster: unknown): void {
  const own = key('aws.rds.cluster', needed(cluster, 'DBClusterArn'), reader.region)
  reader.node({
    key: own,
    name: needed(cluster, 'DBClusterIdentifier'),
    category: 'database',
    properties: {
      ...common(cluster),
      state: text(cluster, 'Status'),
      endpoint: text(cluster, 'Endpoint'),
      readerEndpoint: text(cluster, 'ReaderEndpoint'),
      port: number(cluster, 'Port'),
    },
    tags: tagPairs(cluster, 'TagList.Tag'),
  })
  reader.name(hostName(text(cluster, 'Endpoint')), own)
  reader.name(hostName(text(cluster, 'ReaderEndpoint')), own)
  guarded(reader, cluster, own)
  for (const role of texts(cluster, 'AssociatedRoles.DBClusterRole', 'RoleArn')) {
    reader.edge(own, keyOfArn(role), 'depends_on')
  }
}

function readInstance(reader: Reader, instance: unknown): void {
  const { region, edge } = reader
  const arn = needed(instance, 'DBInstanceArn')
  const own = key('aws.rds.instance', arn, region)
  reader.node({
    key: own,
    name: needed(instance, 'DBInstanceIdentifier'),
    category: 'database',
    properties: {
      ...common(instance),
      instanceType: text(instance, 'DBInstanceClass'),
      state: text(instance, 'DBInstanceStatus'),
      availabilityZone: text(instance, 'AvailabilityZone'),
      storageType: text(instance, 'StorageType'),
      isPublic: flag(instance, 'PubliclyAccessible'),
      endpoint: text(instance, 'Endpoint.Address'),
      port: number(instance, 'Endpoint.Port'),
    },
    tags: tagPairs(instance, 'TagList.Tag'),
  })
  reader.name(hostName(text(instance, 'Endpoint.Address')), own)
  guarded(reader, instance, own)
  const cluster = text(instance, 'DBClusterIdentifier')
  if (cluster) edge(key('aws.rds.cluster', arn.replace(/:db:.*$/, `:cluster:${cluster}`), region), own, 'contains')
  edge(vpcKey(text(instance, 'DBSubnetGroup.VpcId'), region), own, 'contains')
  const subnets = subnetsOf(instance)
  for (const subnet of subnets) edge(subnetKey(subnet, region), own, 'contains', subnets.length === 1 ? 1 : 0.5)
}

/** A subnet group names all subnets that it could be in; it is in one that lies in its zone. */
function subnetsOf(instance: unknown): string[] {
  const zone = text(instance, 'AvailabilityZone')
  const all = list(instance, 'DBSubnetGroup.Subnets.Subnet', 50)
  const near = all.filter(subnet => zone !== undefined && text(subnet, 'SubnetAvailabilityZone.Name') === zone)
  return near.flatMap(subnet => text(subnet, 'SubnetIdentifier') ?? [])
}

function common(database: unknown): Record<string, unknown> {
  return {
    engine: text(database, 'Engine'),
    version: text(database, 'EngineVersion'),
    storageGb: number(database, 'AllocatedStorage'),
    isMultiZone: flag(database, 'MultiAZ'),
    isEncrypted: flag(database, 'StorageEncrypted'),
    isProtected: flag(database, 'DeletionProtection'),
    backupDays: number(database, 'BackupRetentionPeriod'),
  }
}

function guarded({ edge, region }: Reader, database: unknown, own: NodeKey): void {
  for (const group of texts(database, 'VpcSecurityGroups.VpcSecurityGroupMembership', 'VpcSecurityGroupId')) {
    edge(own, groupKey(group, region), 'depends_on')
  }
}
