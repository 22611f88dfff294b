// EKS: clusters, and the groups of nodes that they run on.
import { groupKey, hostName, key, keyOfArn, nodegroupName, subnetKey, vpcKey } from '../keys.ts'
import { each, type Reader, type Service } from '../reader.ts'
import { flag, needed, number, tagMap, text, texts } from '../shapes.ts'

export const eks: Service = {
  types: ['aws.eks.cluster', 'aws.eks.nodegroup'],
  scope: 'region',
  read: async reader => {
    const names: string[] = []
    await reader.part(eks.types, async () => {
      for await (const name of reader.list('eks:ListClusters')) names.push(needed(name, ''))
    })
    await each(names, async name => {
      const arn = await reader.part(eks.types, () => readCluster(reader, name))
      if (arn !== undefined) await reader.part(['aws.eks.nodegroup'], () => readNodegroups(reader, name, arn))
    })
  },
}

async function readCluster({ ask, node, edge, name: known, region }: Reader, name: string): Promise<string> {
  const answer = await ask('eks:DescribeCluster', { name })
  const arn = needed(answer, 'cluster.arn')
  const own = key('aws.eks.cluster', arn, region)
  const vpc = 'cluster.resourcesVpcConfig'
  node({
    key: own,
    name,
    category: 'compute',
    properties: {
      version: text(answer, 'cluster.version'),
      platformVersion: text(answer, 'cluster.platformVersion'),
      state: text(answer, 'cluster.status'),
      endpoint: text(answer, 'cluster.endpoint'),
      isPublic: flag(answer, `${vpc}.endpointPublicAccess`),
    },
    tags: tagMap(answer, 'cluster.tags'),
  })
  known(hostName(text(answer, 'cluster.endpoint')?.replace(/^https:\/\//, '')), own)
  edge(vpcKey(text(answer, `${vpc}.vpcId`), region), own, 'contains')
  edge(own, keyOfArn(text(answer, 'cluster.roleArn')), 'depends_on')
  for (const group of [...texts(answer, `${vpc}.securityGroupIds`), text(answer, `${vpc}.clusterSecurityGroupId`)]) {
    edge(own, groupKey(group, region), 'depends_on')
  }
  return arn
}

async function readNodegroups(reader: Reader, name: string, cluster: string): Promise<void> {
  for await (const listed of reader.list('eks:ListNodegroups', { name })) {
    await readNodegroup(reader, { name, nodegroup: needed(listed, '') }, cluster)
  }
}

async function readNodegroup(
  { ask, node, edge, name: known, region }: Reader,
  names: { name: string; nodegroup: string },
  cluster: string,
): Promise<void> {
  const answer = await ask('eks:DescribeNodegroup', names)
  const own = key('aws.eks.nodegroup', needed(answer, 'nodegroup.nodegroupArn'), region)
  node({
    key: own,
    name: names.nodegroup,
    category: 'compute',
    properties: {
      version: text(answer, 'nodegroup.version'),
      state: text(answer, 'nodegroup.status'),
      instanceTypes: texts(answer, 'nodegroup.instanceTypes'),
      capacityType: text(answer, 'nodegroup.capacityType'),
      amiType: text(answer, 'nodegroup.amiType'),
      diskGb: number(answer, 'nodegroup.diskSize'),
      minSize: number(answer, 'nodegroup.scalingConfig.minSize'),
      maxSize: number(answer, 'nodegroup.scalingConfig.maxSize'),
    },
    tags: tagMap(answer, 'nodegroup.tags'),
  })
  known(nodegroupName(region, names.name, names.nodegroup), own)
  edge(key('aws.eks.cluster', cluster, region), own, 'contains')
  edge(own, keyOfArn(text(answer, 'nodegroup.nodeRole')), 'depends_on')
  for (const subnet of texts(answer, 'nodegroup.subnets')) edge(subnetKey(subnet, region), own, 'contains')
}
