// Every request that the reader makes, by the right that it needs: nothing else can be asked.
import type { ServiceName } from './hosts.ts'

/** How a list goes on: each parameter of the next request, and where the answer before tells it. */
export type Listing = {
  items: string
  next: Readonly<Record<string, string>>
  /** Name of the parameter, and how many a page has at most and at least. */
  size?: readonly [name: string, most: number, least: number]
  /** Left out of answers where there are none. */
  isOptional?: true
}

export type Call = {
  /** As the API calls it, where that is not what the right is called. */
  name?: string
  /** Of REST, with its parameters in braces. */
  path?: string
  /** Name of the element that the answer is, where it does not follow from the name. */
  root?: string
  list?: Listing
  /** Parameters of a try, of something that is not there: allowed is then "not found". */
  trial?: Readonly<Record<string, unknown>>
  /** A try tells nothing: it is answered alike whether it is allowed or not. */
  isVague?: true
  /** Nobody has to be given it, or it is the business of another account. */
  isFree?: true
}

type Size = NonNullable<Listing['size']>

function paged(items: string, sent: string, told: string, size?: Size): Listing {
  return { items, next: { [sent]: told }, ...(size && { size }) }
}

const ec2 = (items: string, most = 1000): Call => ({
  list: paged(`${items}.item`, 'NextToken', 'nextToken', ['MaxResults', most, 5]),
})
const rds = (items: string): Call => ({ list: paged(items, 'Marker', 'Marker', ['MaxRecords', 100, 20]) })
const elb = (items: string): Call => ({ list: paged(`${items}.member`, 'Marker', 'NextMarker', ['PageSize', 400, 1]) })
const iam = (items: string): Call => ({ list: paged(`${items}.member`, 'Marker', 'Marker', ['MaxItems', 1000, 1]) })
const sns = (items: string): Call => ({ list: paged(`${items}.member`, 'NextToken', 'NextToken') })
const lambda = (path: string, items: string): Call => ({
  path,
  list: paged(items, 'Marker', 'NextMarker', ['MaxItems', 100, 1]),
})
const ecs = (items: string): Call => ({ list: paged(items, 'nextToken', 'nextToken', ['maxResults', 100, 1]) })
const eks = (path: string, items: string): Call => ({
  path,
  list: paged(items, 'nextToken', 'nextToken', ['maxResults', 100, 1]),
})

const nowhere = 'atrium-asks-for-nothing'
const noTargets = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:targetgroup/atrium/0000000000000000'

const table = {
  'ec2:DescribeInstances': ec2('reservationSet'),
  'ec2:DescribeNatGateways': ec2('natGatewaySet'),
  'ec2:DescribeSecurityGroups': ec2('securityGroupInfo'),
  'ec2:DescribeSubnets': ec2('subnetSet'),
  'ec2:DescribeVolumes': ec2('volumeSet', 500),
  'ec2:DescribeVpcs': ec2('vpcSet'),
  'ecs:DescribeClusters': { trial: { clusters: [nowhere] } },
  'ecs:DescribeServices': { trial: { cluster: nowhere, services: [nowhere] } },
  'ecs:DescribeTaskDefinition': { trial: { taskDefinition: nowhere } },
  'ecs:ListClusters': ecs('clusterArns'),
  'ecs:ListServices': { ...ecs('serviceArns'), trial: { cluster: nowhere } },
  'eks:DescribeCluster': { path: '/clusters/{name}', trial: { name: nowhere } },
  'eks:DescribeNodegroup': {
    path: '/clusters/{name}/node-groups/{nodegroup}',
    trial: { name: nowhere, nodegroup: nowhere },
  },
  'eks:ListClusters': eks('/clusters', 'clusters'),
  'eks:ListNodegroups': { ...eks('/clusters/{name}/node-groups', 'nodegroups'), trial: { name: nowhere } },
  'elasticloadbalancing:DescribeLoadBalancers': elb('LoadBalancers'),
  'elasticloadbalancing:DescribeTargetGroups': elb('TargetGroups'),
  'elasticloadbalancing:DescribeTargetHealth': { trial: { TargetGroupArn: noTargets } },
  'iam:ListInstanceProfiles': iam('InstanceProfiles'),
  'iam:ListRoles': iam('Roles'),
  'iam:SimulatePrincipalPolicy': { ...iam('EvaluationResults'), isVague: true },
  'lambda:ListEventSourceMappings': lambda('/2015-03-31/event-source-mappings/', 'EventSourceMappings'),
  'lambda:ListFunctions': lambda('/2015-03-31/functions/', 'Functions'),
  'rds:DescribeDBClusters': rds('DBClusters.DBCluster'),
  'rds:DescribeDBInstances': rds('DBInstances.DBInstance'),
  'route53:ListHostedZones': {
    path: '/2013-04-01/hostedzone',
    list: paged('HostedZones.HostedZone', 'marker', 'NextMarker', ['maxitems', 100, 1]),
  },
  'route53:ListResourceRecordSets': {
    path: '/2013-04-01/hostedzone/{zone}/rrset',
    list: {
      items: 'ResourceRecordSets.ResourceRecordSet',
      next: { name: 'NextRecordName', type: 'NextRecordType', identifier: 'NextRecordIdentifier' },
      size: ['maxitems', 300, 1],
    },
    trial: { zone: 'Z00000000ATRIUM' },
  },
  's3:GetBucketLocation': { path: '/{bucket}?location', root: 'LocationConstraint', isVague: true },
  's3:GetBucketPolicyStatus': { path: '/{bucket}?policyStatus', root: 'PolicyStatus', isVague: true },
  's3:ListAllMyBuckets': {
    name: 'ListBuckets',
    path: '/',
    root: 'ListAllMyBucketsResult',
    list: paged('Buckets.Bucket', 'continuation-token', 'ContinuationToken', ['max-buckets', 1000, 1]),
  },
  'sns:ListSubscriptions': sns('Subscriptions'),
  'sns:ListTopics': sns('Topics'),
  'sqs:GetQueueAttributes': { isVague: true },
  'sqs:ListQueues': {
    list: { ...paged('QueueUrls', 'NextToken', 'NextToken', ['MaxResults', 1000, 1]), isOptional: true },
  },
  'sts:AssumeRole': { isFree: true },
  'sts:GetCallerIdentity': { isFree: true },
  'tag:GetResources': {
    list: paged('ResourceTagMappingList', 'PaginationToken', 'PaginationToken', ['ResourcesPerPage', 100, 1]),
  },
} as const satisfies Record<`${ServiceName}:${string}`, Call>

export type Action = keyof typeof table

export const actions = Object.keys(table) as Action[]

export function callOf(action: Action): Call & { service: ServiceName; name: string } {
  const call: Call = table[action]
  const [service, name] = action.split(':') as [ServiceName, string]
  return { name, ...call, service }
}
