// What goes wrong with AWS: only what could not be seen is unseen, and patience has an end.
import { describe, expect, it } from 'vitest'
import { awsTypes, readAws } from '../../src/areas/cloud_accounts/sources/aws/reading.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { owner } from './aws_identities.ts'
import { account } from './aws_names.ts'
import { type AwsServer, awsServer, type Misdeed } from './aws_server.ts'

const fetch = outbound({ allow: ['127.0.0.1/32'] })

const read = (
  server: AwsServer,
  { regions = ['eu-west-1', 'us-east-1'], random = (): number => 0.5, timeoutMs = 20_000 } = {},
) =>
  readAws(
    { ...owner, accountId: account, roleArn: null, externalId: null, endpoint: server.url },
    { regions, fetch, now: server.now, wait: server.wait, random, timeoutMs },
  )

describe('throttling', () => {
  it('is waited out, longer each time, by a part that is left to chance', async () => {
    for (const random of [0, 0.5, 0.999]) {
      const server = await awsServer(100)
      server.throttle.set('eu-west-1 ec2:DescribeVpcs', 4)
      const found = await read(server, { random: () => random })
      expect(found.unseen).toEqual([])
      expect(server.waits).toEqual([400, 800, 1600, 3200].map(most => Math.floor(most * random)))
    }
  })

  it.each([
    ['ec2:DescribeSubnets'],
    ['rds:DescribeDBInstances'],
    ['s3:GetBucketLocation'],
    ['route53:ListHostedZones'],
    ['lambda:ListFunctions'],
    ['ecs:DescribeServices'],
    ['sqs:GetQueueAttributes'],
    ['sts:GetCallerIdentity'],
  ])('of %s is understood in its protocol', async operation => {
    const server = await awsServer(100)
    server.throttle.set(operation, 2)
    const found = await read(server)
    expect(found.unseen).toEqual([])
    expect(server.waits.length).toBe(2)
  })

  it('without an end makes one thing unseen, after six tries', async () => {
    const server = await awsServer(100)
    server.throttle.set('eu-west-1 sqs:ListQueues', 1000)
    const found = await read(server)
    expect(found.unseen).toEqual([
      {
        region: 'eu-west-1',
        types: ['aws.sqs.queue'],
        code: 'throttled',
        text: expect.stringContaining('sqs:ListQueues'),
      },
    ])
    const tries = server.requests.filter(one => one.operation === 'sqs:ListQueues' && one.region === 'eu-west-1')
    expect(tries.length).toBe(6)
    expect(found.nodes.some(({ type, region }) => type === 'aws.sqs.queue' && region === 'us-east-1')).toBe(true)
  })

  it('is waited out for a minute at most', async () => {
    const server = await awsServer(100)
    server.throttle.set('sqs:ListQueues', 1000)
    const slow = { ...server, wait: (ms: number) => server.wait(ms * 20) }
    const found = await read(slow, { regions: ['eu-west-1'], random: () => 0.999 })
    expect(found.unseen).toMatchObject([{ code: 'throttled' }])
    expect(server.requests.filter(one => one.operation === 'sqs:ListQueues').length).toBeLessThan(6)
  })
})

describe('a part that fails', () => {
  it('is the only one that is unseen, in its region', async () => {
    const server = await awsServer(100)
    server.deny.add('eu-west-1 ec2:DescribeVolumes').add('eu-west-1 ec2:DescribeNatGateways')
    const found = await read(server)
    expect(found.unseen).toEqual([
      {
        region: 'eu-west-1',
        types: ['aws.ec2.nat_gateway', 'aws.ec2.volume'],
        code: 'forbidden',
        text: expect.stringMatching(/ec2:DescribeNatGateways with 403 UnauthorizedOperation; allow what the policy/),
      },
    ])
    const types = new Set(found.nodes.map(({ type }) => type))
    expect(types).not.toContain('aws.ec2.volume')
    for (const type of ['aws.ec2.instance', 'aws.ec2.vpc', 'aws.rds.instance']) expect(types).toContain(type)
  })

  it.each([
    ['iam:ListRoles', '', ['aws.iam.role']],
    ['s3:ListBuckets', null, ['aws.s3.bucket']],
    ['s3:GetBucketPolicyStatus', null, []],
    ['route53:ListHostedZones', '', ['aws.route53.record', 'aws.route53.zone']],
    ['route53:ListResourceRecordSets', '', ['aws.route53.record']],
    ['ecs:ListClusters', 'eu-west-1', ['aws.ecs.cluster', 'aws.ecs.service', 'aws.ecs.task_definition']],
    ['ecs:DescribeTaskDefinition', 'eu-west-1', ['aws.ecs.task_definition']],
    ['eks:DescribeNodegroup', 'eu-west-1', ['aws.eks.nodegroup']],
    ['elasticloadbalancing:DescribeTargetHealth', 'eu-west-1', ['aws.elb.ip']],
    ['lambda:ListEventSourceMappings', 'eu-west-1', ['aws.lambda.function']],
    ['sns:ListSubscriptions', 'eu-west-1', ['aws.sns.topic']],
    ['tagging:GetResources', 'eu-west-1', []],
  ])('because of %s is said once', async (operation, region, types) => {
    const server = await awsServer(100)
    server.deny.add(operation)
    const found = await read(server, { regions: ['eu-west-1'] })
    expect(found.unseen).toEqual([{ region, types, code: 'forbidden', text: expect.any(String) }])
  })

  it.each<[Misdeed, string, string]>([
    ['broken', 'ec2:DescribeInstances', 'malformed'],
    ['cut', 'ec2:DescribeInstances', 'malformed'],
    ['html', 'ec2:DescribeInstances', 'malformed'],
    ['wrong', 'ec2:DescribeInstances', 'malformed'],
    ['loop', 'ec2:DescribeInstances', 'malformed'],
    ['error', 'ec2:DescribeInstances', 'failed'],
    ['huge', 'ec2:DescribeInstances', 'too_large'],
    ['stall', 'ec2:DescribeVolumes', 'timeout'],
    ['broken', 'lambda:ListFunctions', 'malformed'],
    ['html', 'sqs:ListQueues', 'malformed'],
    ['wrong', 'lambda:ListFunctions', 'malformed'],
    ['broken', 's3:ListBuckets', 'malformed'],
    ['html', 'route53:ListHostedZones', 'malformed'],
    ['error', 'eks:DescribeCluster', 'failed'],
  ])('by %s answers to %s is unseen, and %s', async (misdeed, operation, code) => {
    const server = await awsServer(1)
    server.misdeeds.set(operation, misdeed)
    const found = await read(server, { regions: ['eu-west-1'], timeoutMs: misdeed === 'stall' ? 2_000 : 20_000 })
    expect(found.unseen).toMatchObject([{ code }])
    expect(found.nodes.length).toBeGreaterThan(20)
  })

  it('silently is not waited for again', async () => {
    const server = await awsServer(100)
    server.misdeeds.set('ec2:DescribeVpcs', 'stall')
    const found = await read(server, { regions: ['eu-west-1'], timeoutMs: 2_000 })
    expect(server.requests.filter(({ operation }) => operation.startsWith('ec2:')).length).toBe(1)
    const [one] = found.unseen
    expect(one).toMatchObject({ code: 'timeout', region: 'eu-west-1' })
    expect(one?.types).toEqual(awsTypes.filter(type => type.startsWith('aws.ec2.')).sort())
  })

  it('in a region that is not enabled leaves the others', async () => {
    const server = await awsServer(100)
    server.disabled.add('ap-south-2')
    server.things = (name, region) =>
      region === 'eu-west-1' && name === 'ec2:DescribeVpcs' ? [{ vpcId: 'vpc-1' }] : []
    const found = await read(server, { regions: ['eu-west-1', 'ap-south-2'] })
    expect(found.nodes.map(({ externalId }) => externalId)).toEqual(['vpc-1'])
    expect(found.unseen.every(({ region, code }) => region === 'ap-south-2' && code === 'forbidden')).toBe(true)
    expect(found.unseen.some(({ text }) => text.includes('may not be enabled'))).toBe(true)
  })
})

describe('bounds', () => {
  it('hold for things, and what is beyond them is unseen', async () => {
    const server = await awsServer(1000)
    const vpcs = Array.from({ length: 5_001 }, (_, at) => ({ vpcId: `vpc-${at}` }))
    server.things = name => (name === 'ec2:DescribeVpcs' ? vpcs : [])
    const found = await read(server, { regions: ['eu-west-1'] })
    expect(found.nodes.length).toBe(5_000)
    expect(found.unseen).toMatchObject([{ region: 'eu-west-1', types: ['aws.ec2.vpc'], code: 'too_large' }])
  })

  it('hold for edges', async () => {
    const server = await awsServer(1000)
    const groups = Array.from({ length: 200 }, (_, at) => ({ groupId: `sg-${at}` }))
    const all = groups.map(group => ({ ...group, ipPermissions: { item: { groups: { item: groups } } } }))
    server.things = name => (name === 'ec2:DescribeSecurityGroups' ? all : [])
    const found = await read(server, { regions: ['eu-west-1'] })
    expect(found.edges.length).toBe(20_000)
    expect(found.unseen).toMatchObject([{ region: null, types: null, code: 'too_large' }])
  })

  it('hold for pages', async () => {
    const server = await awsServer(1)
    const topics = Array.from({ length: 501 }, (_, at) => ({ TopicArn: `arn:aws:sns:eu-west-1:${account}:t-${at}` }))
    server.things = name => (name === 'sns:ListTopics' ? topics : [])
    const found = await read(server, { regions: ['eu-west-1'] })
    expect(found.nodes.length).toBe(500)
    expect(found.unseen).toMatchObject([{ region: 'eu-west-1', types: ['aws.sns.topic'], code: 'too_large' }])
  })

  it('hold for what was not seen: with everything refused, each region is told of once', async () => {
    const server = await awsServer()
    const regions = Array.from({ length: 30 }, (_, at) => `eu-west-${at + 1}`)
    server.things = () => {
      throw new Error('nobody comes this far')
    }
    for (const region of [...regions, 'us-east-1']) server.disabled.add(region)
    const found = await read(server, { regions })
    expect(found.unseen.length).toBe(32)
    const types = found.unseen.flatMap(one => one.types ?? [])
    expect(new Set(types)).toEqual(new Set(awsTypes))
  })
})
