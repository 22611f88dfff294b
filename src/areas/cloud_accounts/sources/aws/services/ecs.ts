// ECS: clusters, their services, and the task definitions that these run.
import type { NodeKey } from '../../../found/contract.ts'
import { groupKey, key, keyOfArn, subnetKey } from '../keys.ts'
import { each, inBatches, type Reader, type Service } from '../reader.ts'
import { list, needed, number, tagPairs, text, texts } from '../shapes.ts'

/** As many as may be asked about in one request. */
const clustersAtOnce = 100
const servicesAtOnce = 10

export const ecs: Service = {
  types: ['aws.ecs.cluster', 'aws.ecs.service', 'aws.ecs.task_definition'],
  scope: 'region',
  read: async reader => {
    const clusters: string[] = []
    await reader.part(ecs.types, async () => {
      const arns = await arnsOf(reader.list('ecs:ListClusters'))
      for (const batch of inBatches(arns, clustersAtOnce)) clusters.push(...(await readClusters(reader, batch)))
    })
    const definitions = new Set<string>()
    for (const cluster of clusters) {
      await reader.part(['aws.ecs.service', 'aws.ecs.task_definition'], async () => {
        const arns = await arnsOf(reader.list('ecs:ListServices', { cluster }))
        await each(inBatches(arns, servicesAtOnce), batch => readServices(reader, cluster, batch, definitions))
      })
    }
    await reader.part(['aws.ecs.task_definition'], () => each(definitions, arn => readDefinition(reader, arn)))
  },
}

async function arnsOf(listed: AsyncIterable<unknown>): Promise<string[]> {
  const arns: string[] = []
  for await (const arn of listed) arns.push(needed(arn, ''))
  return arns
}

const ecsTags = (thing: unknown) => tagPairs(thing, 'tags', ['key', 'value'])

async function readClusters({ ask, node, region }: Reader, clusters: string[]): Promise<string[]> {
  const answer = await ask('ecs:DescribeClusters', { clusters, include: ['TAGS'] })
  return list(answer, 'clusters').map(cluster => {
    const arn = needed(cluster, 'clusterArn')
    node({
      key: key('aws.ecs.cluster', arn, region),
      name: text(cluster, 'clusterName') ?? arn,
      category: 'compute',
      properties: { state: text(cluster, 'status'), capacityProviders: texts(cluster, 'capacityProviders') },
      tags: ecsTags(cluster),
    })
    return arn
  })
}

/** How many tasks run at the moment is left out: it changes by itself, and would be a change each time. */
async function readServices(
  reader: Reader,
  cluster: string,
  services: string[],
  definitions: Set<string>,
): Promise<void> {
  const answer = await reader.ask('ecs:DescribeServices', { cluster, services, include: ['TAGS'] })
  for (const service of list(answer, 'services')) {
    const own = key('aws.ecs.service', needed(service, 'serviceArn'), reader.region)
    const definition = text(service, 'taskDefinition')
    if (definition) definitions.add(definition)
    reader.node({
      key: own,
      name: text(service, 'serviceName') ?? own.externalId,
      category: 'compute',
      properties: {
        state: text(service, 'status'),
        launchType: text(service, 'launchType'),
        desiredCount: number(service, 'desiredCount'),
        schedulingStrategy: text(service, 'schedulingStrategy'),
        platformVersion: text(service, 'platformVersion'),
        isPublic: text(service, `${network}.assignPublicIp`) === 'ENABLED',
      },
      tags: ecsTags(service),
    })
    linkService(reader, service, own, cluster)
  }
}

const network = 'networkConfiguration.awsvpcConfiguration'

function linkService({ edge, region }: Reader, service: unknown, own: NodeKey, cluster: string): void {
  edge(keyOfArn(cluster), own, 'contains')
  edge(own, keyOfArn(text(service, 'taskDefinition')), 'depends_on')
  edge(own, keyOfArn(text(service, 'roleArn')), 'depends_on')
  for (const group of texts(service, 'loadBalancers', 'targetGroupArn')) edge(keyOfArn(group), own, 'connects_to')
  for (const subnet of texts(service, `${network}.subnets`)) edge(subnetKey(subnet, region), own, 'contains')
  for (const group of texts(service, `${network}.securityGroups`)) edge(own, groupKey(group, region), 'depends_on')
}

/** Containers have environments and commands, which stay where they are. */
async function readDefinition({ ask, node, edge, region }: Reader, arn: string): Promise<void> {
  const answer = await ask('ecs:DescribeTaskDefinition', { taskDefinition: arn, include: ['TAGS'] })
  const own = key('aws.ecs.task_definition', needed(answer, 'taskDefinition.taskDefinitionArn'), region)
  const family = text(answer, 'taskDefinition.family')
  const revision = number(answer, 'taskDefinition.revision')
  node({
    key: own,
    name: family && revision ? `${family}:${revision}` : arn,
    category: 'config',
    properties: {
      family,
      revision,
      cpu: text(answer, 'taskDefinition.cpu'),
      memoryMb: text(answer, 'taskDefinition.memory'),
      networkMode: text(answer, 'taskDefinition.networkMode'),
      images: texts(answer, 'taskDefinition.containerDefinitions', 'image', 20),
    },
    tags: ecsTags(answer),
  })
  edge(own, keyOfArn(text(answer, 'taskDefinition.taskRoleArn')), 'depends_on')
  edge(own, keyOfArn(text(answer, 'taskDefinition.executionRoleArn')), 'depends_on')
}
