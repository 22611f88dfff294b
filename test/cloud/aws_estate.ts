// An account of AWS as its services tell of it: a little of everything, and secrets wherever AWS would have them.
import { account, arn, arns, marker, role } from './aws_names.ts'
import { balancers, containers } from './aws_singles.ts'

type Things = Record<string, unknown[]>

const ec2Tags = (tags: Record<string, string>) => ({
  item: Object.entries(tags).map(([key, value]) => ({ key, value })),
})

const trust = (principal: unknown) =>
  encodeURIComponent(
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: principal, Action: 'sts:AssumeRole', Condition: { StringEquals: { x: marker } } },
      ],
    }),
  )

/** By service and operation: what the list holds. */
export function estate(region: string): Things {
  if (region === 'us-east-1') {
    return {
      'ec2:DescribeVpcs': [{ vpcId: 'vpc-us', cidrBlock: '10.9.0.0/16', isDefault: 'true', state: 'available' }],
      'sqs:ListQueues': [`https://sqs.us-east-1.amazonaws.com/${account}/far`],
    }
  }
  return region === 'eu-west-1'
    ? { ...networks, ...machines, ...databases, ...functions, ...balancers, ...containers }
    : {}
}

const networks: Things = {
  'ec2:DescribeVpcs': [
    {
      vpcId: 'vpc-1',
      cidrBlock: '10.0.0.0/16',
      isDefault: 'false',
      state: 'available',
      tagSet: ec2Tags({ Name: 'main' }),
    },
    { vpcId: 'vpc-2', cidrBlock: '172.31.0.0/16', isDefault: 'true', state: 'available' },
  ],
  'ec2:DescribeSubnets': ['a', 'b'].map((zone, at) => ({
    subnetId: `subnet-${at + 1}`,
    vpcId: 'vpc-1',
    cidrBlock: `10.0.${at + 1}.0/24`,
    availabilityZone: `eu-west-1${zone}`,
    mapPublicIpOnLaunch: at === 0,
    tagSet: {},
  })),
  'ec2:DescribeSecurityGroups': [
    {
      groupId: 'sg-web',
      groupName: 'web & more',
      vpcId: 'vpc-1',
      ipPermissions: {
        item: { ipProtocol: 'tcp', fromPort: 443, toPort: 443, ipRanges: { item: { cidrIp: '0.0.0.0/0' } } },
      },
    },
    {
      groupId: 'sg-app',
      groupName: 'app',
      vpcId: 'vpc-1',
      ipPermissions: {
        item: { ipProtocol: '-1', groups: { item: [{ groupId: 'sg-web' }, { groupId: 'sg-app' }] }, ipRanges: {} },
      },
    },
  ],
  'ec2:DescribeNatGateways': [
    {
      natGatewayId: 'nat-1',
      state: 'available',
      vpcId: 'vpc-1',
      subnetId: 'subnet-1',
      natGatewayAddressSet: { item: { publicIp: '203.0.113.77' } },
    },
    { natGatewayId: 'nat-gone', state: 'deleted', vpcId: 'vpc-1', subnetId: 'subnet-1' },
  ],
}

const machine = (instanceId: string, subnet: number, more: object) => ({
  instanceId,
  instanceType: 't4g.small',
  instanceState: { code: 16, name: 'running' },
  vpcId: 'vpc-1',
  subnetId: `subnet-${subnet}`,
  privateIpAddress: `10.0.${subnet}.10`,
  placement: { availabilityZone: 'eu-west-1a' },
  userData: { value: marker },
  ...more,
})

const machines: Things = {
  'ec2:DescribeInstances': [
    {
      reservationId: 'r-1',
      instancesSet: {
        item: [
          machine('i-web', 1, {
            ipAddress: '203.0.113.10',
            dnsName: 'ec2-203-0-113-10.compute.amazonaws.com',
            groupSet: { item: { groupId: 'sg-web' } },
            iamInstanceProfile: { arn: `arn:aws:iam::${account}:instance-profile/web-profile` },
            tagSet: ec2Tags({ Name: 'web', 'eks:cluster-name': 'k8s', 'eks:nodegroup-name': 'ng-1' }),
          }),
          machine('i-gone', 1, { instanceState: { code: 48, name: 'terminated' } }),
        ],
      },
    },
    {
      reservationId: 'r-2',
      instancesSet: { item: machine('i-app', 2, { groupSet: { item: { groupId: 'sg-app' } } }) },
    },
  ],
  'ec2:DescribeVolumes': [
    {
      volumeId: 'vol-1',
      size: 40,
      volumeType: 'gp3',
      status: 'in-use',
      encrypted: 'true',
      attachmentSet: { item: { instanceId: 'i-web', device: '/dev/xvda' } },
    },
    { volumeId: 'vol-2', size: 8, volumeType: 'gp2', status: 'available', encrypted: 'false', attachmentSet: {} },
  ],
}

const database = (id: string, more: object) => ({
  Engine: 'aurora-postgresql',
  EngineVersion: '16.4',
  MasterUsername: marker,
  MasterUserPassword: marker,
  VpcSecurityGroups: { VpcSecurityGroupMembership: { VpcSecurityGroupId: 'sg-app' } },
  TagList: {
    Tag: [
      { Key: 'team', Value: 'payments' },
      { Key: 'db_password', Value: marker },
    ],
  },
  ...more,
  name: id,
})

const databases: Things = {
  'rds:DescribeDBClusters': ['aurora', 'reports'].map(id =>
    database(id, {
      DBClusterIdentifier: id,
      DBClusterArn: arn('rds', `cluster:${id}`),
      Endpoint: `${id}.cluster-x.eu-west-1.rds.amazonaws.com`,
      Status: 'available',
      AssociatedRoles: { DBClusterRole: { RoleArn: role('app') } },
    }),
  ),
  'rds:DescribeDBInstances': ['aurora-1', 'plain'].map(id =>
    database(id, {
      DBInstanceIdentifier: id,
      DBInstanceArn: arn('rds', `db:${id}`),
      DBInstanceClass: 'db.t4g.medium',
      AvailabilityZone: 'eu-west-1a',
      PubliclyAccessible: 'false',
      ...(id === 'aurora-1' && { DBClusterIdentifier: 'aurora' }),
      DBSubnetGroup: {
        VpcId: 'vpc-1',
        Subnets: {
          Subnet: [1, 2].map(at => ({
            SubnetIdentifier: `subnet-${at}`,
            SubnetAvailabilityZone: { Name: `eu-west-1${at === 1 ? 'a' : 'b'}` },
          })),
        },
      },
    }),
  ),
}

const functions: Things = {
  'lambda:ListFunctions': ['worker', 'mailer'].map(name => ({
    FunctionName: name,
    FunctionArn: arn('lambda', `function:${name}`),
    Runtime: 'nodejs24.x',
    MemorySize: 256,
    Timeout: 30,
    Role: role('app'),
    Environment: { Variables: { DATABASE_URL: `postgres://u:${marker}@db` } },
    ...(name === 'worker' && {
      VpcConfig: { VpcId: 'vpc-1', SubnetIds: ['subnet-2'], SecurityGroupIds: ['sg-app'] },
      DeadLetterConfig: { TargetArn: arns.dead },
    }),
  })),
  'lambda:ListEventSourceMappings': [
    { UUID: '1', State: 'Enabled', EventSourceArn: arns.jobs, FunctionArn: `${arns.worker}:live` },
    { UUID: '2', State: 'Disabled', EventSourceArn: arns.dead, FunctionArn: arns.mailer },
  ],
  'sqs:ListQueues': ['jobs', 'jobs-dead'].map(name => `https://sqs.eu-west-1.amazonaws.com/${account}/${name}`),
  'sns:ListTopics': [{ TopicArn: arns.news }, { TopicArn: arns.alarms }],
  'sns:ListSubscriptions': [
    { TopicArn: arns.news, Protocol: 'lambda', Endpoint: arns.mailer },
    { TopicArn: arns.news, Protocol: 'sqs', Endpoint: arns.jobs },
    { TopicArn: arns.alarms, Protocol: 'https', Endpoint: `https://hooks.example.com/${marker}` },
  ],
  'tagging:GetResources': [
    { ResourceARN: arns.worker, Tags: [{ Key: 'team', Value: 'payments' }] },
    {
      ResourceARN: arns.jobs,
      Tags: [
        { Key: 'team', Value: 'mail' },
        { Key: 'api_key', Value: marker },
      ],
    },
    { ResourceARN: 'arn:aws:s3:::assets', Tags: [{ Key: 'team', Value: 'web' }] },
  ],
}

/** What is in no region. */
export const everywhere: Things = {
  's3:ListBuckets': [
    { Name: 'assets', CreationDate: '2024-01-01T00:00:00.000Z' },
    { Name: 'site.example.com', BucketRegion: 'eu-west-1' },
    { Name: 'old', CreationDate: '2012-01-01T00:00:00.000Z' },
    { Name: 'classic' },
    { Name: 'far-away' },
    { Name: 'moved' },
  ],
  'iam:ListRoles': [
    {
      RoleName: 'app',
      Path: '/',
      Arn: role('app'),
      AssumeRolePolicyDocument: trust({ Service: ['lambda.amazonaws.com'] }),
    },
    {
      RoleName: 'deploy',
      Path: '/team/',
      Arn: role('team/deploy'),
      AssumeRolePolicyDocument: trust({ AWS: [role('app'), 'arn:aws:iam::999988887777:root'] }),
    },
    { RoleName: 'exec', Path: '/', Arn: role('exec'), AssumeRolePolicyDocument: '%7Bnot json' },
    { RoleName: 'AWSServiceRoleForECS', Path: '/aws-service-role/ecs/', Arn: role('aws-service-role/ecs/X') },
  ],
  'iam:ListInstanceProfiles': [
    { Arn: `arn:aws:iam::${account}:instance-profile/other`, Roles: {} },
    { Arn: `arn:aws:iam::${account}:instance-profile/web-profile`, Roles: { member: { Arn: role('app') } } },
  ],
  'route53:ListHostedZones': [
    { Id: '/hostedzone/Z1', Name: 'example.com.', Config: { PrivateZone: 'false' }, ResourceRecordSetCount: 9 },
    { Id: '/hostedzone/Z2', Name: 'inner.', Config: { PrivateZone: 'true' }, ResourceRecordSetCount: 0 },
  ],
}
