// More of the account that stands in for one of AWS: what is asked for thing by thing.
import { arn, arns, marker, role } from './aws_names.ts'

const balancer = (LoadBalancerArn: string, name: string, Scheme: string) => ({
  LoadBalancerArn,
  LoadBalancerName: name,
  Scheme,
  Type: 'application',
  VpcId: 'vpc-1',
  DNSName: `${name}-123.eu-west-1.elb.amazonaws.com`,
  State: { Code: 'active' },
  SecurityGroups: { member: 'sg-web' },
})

export const balancers: Record<string, unknown[]> = {
  'elasticloadbalancing:DescribeLoadBalancers': [
    balancer(arns.web, 'web', 'internet-facing'),
    balancer(arns.inner, 'inner', 'internal'),
  ],
  'elasticloadbalancing:DescribeTargetGroups': [
    [arns.toWeb, 'instance', arns.web] as const,
    [arns.toFunction, 'lambda', arns.web] as const,
    [arns.toAddresses, 'ip', arns.inner] as const,
  ].map(([TargetGroupArn, TargetType, from]) => ({
    TargetGroupArn,
    TargetGroupName: TargetType,
    TargetType,
    ...(TargetType !== 'lambda' && { VpcId: 'vpc-1', Port: 80, Protocol: 'HTTP' }),
    LoadBalancerArns: { member: from },
  })),
}

export const containers: Record<string, unknown[]> = {
  'ecs:ListClusters': [arns.prod, arns.empty],
  'ecs:ListServices': [arns.api, arns.cron],
  'eks:ListClusters': ['k8s', 'second'],
  'eks:ListNodegroups': ['ng-1', 'ng-2'],
}

const alias = (Name: string, DNSName: string) => ({ Name, Type: 'A', AliasTarget: { DNSName, HostedZoneId: 'Z' } })
const plainRecord = (Name: string, Type: string, Value: string, more: object = {}) => ({
  Name,
  Type,
  TTL: 60,
  ResourceRecords: { ResourceRecord: { Value } },
  ...more,
})

export const records = [
  plainRecord('example.com.', 'TXT', `"proof=${marker}"`),
  plainRecord('example.com.', 'NS', 'ns-1.awsdns.com.'),
  alias('www.example.com.', 'dualstack.web-123.eu-west-1.elb.amazonaws.com.'),
  alias('site.example.com.', 's3-website-eu-west-1.amazonaws.com.'),
  plainRecord('db.example.com.', 'CNAME', 'aurora.cluster-x.eu-west-1.rds.amazonaws.com'),
  plainRecord('box.example.com.', 'A', '203.0.113.10'),
  plainRecord('files.example.com.', 'CNAME', 'assets.s3.amazonaws.com'),
  plainRecord('\\052.example.com.', 'A', '198.51.100.1', { SetIdentifier: 'blue', Weight: 10 }),
  plainRecord('\\052.example.com.', 'A', '198.51.100.2', { SetIdentifier: 'green', Weight: 90 }),
]

export const locations: Record<string, string> = {
  assets: 'eu-west-1',
  'site.example.com': 'eu-west-1',
  old: 'EU',
  classic: '',
  'far-away': 'ap-southeast-2',
}

/** What single things are asked for. */
export function single(operation: string, params: Record<string, unknown>): unknown {
  const own = singles[operation]
  return own?.(params)
}

const task = (taskDefinitionArn: string) => ({
  taskDefinition: {
    taskDefinitionArn,
    family: taskDefinitionArn.replace(/^.*\/|:\d+$/g, ''),
    revision: Number(taskDefinitionArn.replace(/^.*:/, '')),
    cpu: '256',
    memory: '512',
    taskRoleArn: role('app'),
    executionRoleArn: role('exec'),
    containerDefinitions: [
      { image: 'registry/api:7', environment: [{ name: 'TOKEN', value: marker }], command: [marker] },
    ],
  },
  tags: [{ key: 'team', value: 'payments' }],
})

const singles: Record<string, (params: Record<string, unknown>) => unknown> = {
  'elasticloadbalancing:DescribeTargetHealth': ({ TargetGroupArn }) => {
    const ids: Record<string, string[]> = {
      [arns.toWeb]: ['i-web'],
      [arns.toFunction]: [arns.mailer],
      [arns.toAddresses]: ['10.0.2.10', '10.0.2.99'],
    }
    const member = (ids[String(TargetGroupArn)] ?? []).map(Id => ({
      Target: { Id },
      TargetHealth: { State: 'healthy' },
    }))
    return { TargetHealthDescriptions: { member } }
  },
  'ecs:DescribeClusters': ({ clusters }) => ({
    clusters: (clusters as string[]).map(clusterArn => ({
      clusterArn,
      clusterName: clusterArn.replace(/^.*\//, ''),
      status: 'ACTIVE',
      runningTasksCount: 3,
    })),
    failures: [],
  }),
  'ecs:DescribeServices': ({ services }) => ({
    services: (services as string[]).map(serviceArn => ({
      serviceArn,
      serviceName: serviceArn.replace(/^.*\//, ''),
      status: 'ACTIVE',
      launchType: 'FARGATE',
      desiredCount: 2,
      taskDefinition: serviceArn === arns.api ? arns.apiTask : arns.cronTask,
      ...(serviceArn === arns.api && {
        loadBalancers: [{ targetGroupArn: arns.toAddresses, containerPort: 80 }],
        networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-2'], securityGroups: ['sg-app'] } },
      }),
    })),
    failures: [],
  }),
  'ecs:DescribeTaskDefinition': ({ taskDefinition }) => task(String(taskDefinition)),
  'eks:DescribeCluster': ({ name }) => ({
    cluster: {
      arn: name === 'k8s' ? arns.k8s : arns.second,
      name,
      version: '1.33',
      status: 'ACTIVE',
      endpoint: `https://${name}.gr7.eu-west-1.eks.amazonaws.com`,
      roleArn: role('app'),
      certificateAuthority: { data: marker },
      resourcesVpcConfig: {
        vpcId: 'vpc-1',
        subnetIds: ['subnet-1'],
        securityGroupIds: ['sg-app'],
        endpointPublicAccess: true,
      },
      tags: { team: 'platform' },
    },
  }),
  'eks:DescribeNodegroup': ({ nodegroup }) => ({
    nodegroup: {
      nodegroupName: nodegroup,
      nodegroupArn: nodegroup === 'ng-1' ? arns.nodes : arns.spare,
      instanceTypes: ['m7g.large'],
      nodeRole: role('app'),
      subnets: ['subnet-1'],
      scalingConfig: { minSize: 1, maxSize: 4, desiredSize: 2 },
    },
  }),
  'sqs:GetQueueAttributes': ({ QueueUrl, AttributeNames }) => {
    const [, region, name] = /^https:\/\/sqs\.([\w-]+)\.amazonaws\.com\/\d+\/(.+)$/.exec(String(QueueUrl)) ?? []
    const all: Record<string, string> = {
      QueueArn: arn('sqs', String(name), region),
      VisibilityTimeout: '30',
      MessageRetentionPeriod: '345600',
      SqsManagedSseEnabled: 'true',
      Policy: marker,
      ...(name === 'jobs' && { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arns.dead, maxReceiveCount: 5 }) }),
    }
    const asked = AttributeNames as string[]
    return {
      Attributes: Object.fromEntries(
        Object.entries(all).filter(([one]) => asked.includes(one) || asked.includes('All')),
      ),
    }
  },
}
