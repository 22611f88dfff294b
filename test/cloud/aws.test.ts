// An account of AWS over a real socket: everything that it has arrives, page by page, and no secret does.
import { describe, expect, it } from 'vitest'
import type { Found, FoundEdge, NodeKey } from '../../src/areas/cloud_accounts/found/contract.ts'
import { openAccess } from '../../src/areas/cloud_accounts/sources/aws/credentials.ts'
import { readAws } from '../../src/areas/cloud_accounts/sources/aws/reading.ts'
import { neededRights } from '../../src/areas/cloud_accounts/sources/aws/rights.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { issued, operator, owner, roleArn } from './aws_identities.ts'
import { account, arns, marker } from './aws_names.ts'
import { type AwsServer, awsServer } from './aws_server.ts'

const fetch = outbound({ allow: ['127.0.0.1/32'] })

const reading = (server: AwsServer, regions = ['eu-west-1']) => ({
  regions,
  fetch,
  now: server.now,
  wait: server.wait,
  random: () => 0.5,
})

const own = (server: AwsServer) => ({
  ...owner,
  accountId: account,
  roleArn: null,
  externalId: null,
  endpoint: server.url,
})

/** Short enough to be read in a list; the region is named where it is not eu-west-1. */
function short({ type, externalId, region }: NodeKey): string {
  const id = externalId.replace(/^arn:aws:[\w-]+:[\w-]*:\d*:/, '')
  return `${type.slice(4)} ${id}${region === 'eu-west-1' || region === '' ? '' : ` ${region}`}`
}

const edgeText = ({ from, to, relation }: FoundEdge) => `${short(from)} ${relation} ${short(to)}`

const nodeOf = ({ nodes }: Found, name: string) => nodes.find(node => short(node) === name)!

const expectedNodes = [
  'ec2.vpc vpc-1',
  'ec2.vpc vpc-2',
  'ec2.vpc vpc-us us-east-1',
  'ec2.subnet subnet-1',
  'ec2.subnet subnet-2',
  'ec2.security_group sg-web',
  'ec2.security_group sg-app',
  'ec2.nat_gateway nat-1',
  'ec2.instance i-web',
  'ec2.instance i-app',
  'ec2.volume vol-1',
  'ec2.volume vol-2',
  'rds.cluster cluster:aurora',
  'rds.cluster cluster:reports',
  'rds.instance db:aurora-1',
  'rds.instance db:plain',
  's3.bucket assets',
  's3.bucket site.example.com',
  's3.bucket old',
  's3.bucket moved',
  's3.bucket classic us-east-1',
  'lambda.function function:worker',
  'lambda.function function:mailer',
  'elb.load_balancer loadbalancer/app/web/1',
  'elb.load_balancer loadbalancer/net/inner/2',
  'elb.target_group targetgroup/web/1',
  'elb.target_group targetgroup/fn/2',
  'elb.target_group targetgroup/ip/3',
  'elb.ip vpc-1/10.0.2.10',
  'elb.ip vpc-1/10.0.2.99',
  'ecs.cluster cluster/prod',
  'ecs.cluster cluster/empty',
  'ecs.service service/prod/api',
  'ecs.service service/prod/cron',
  'ecs.task_definition task-definition/api:3',
  'ecs.task_definition task-definition/cron:1',
  'eks.cluster cluster/k8s',
  'eks.cluster cluster/second',
  'eks.nodegroup nodegroup/k8s/ng-1/aa',
  'eks.nodegroup nodegroup/k8s/ng-2/bb',
  'iam.role role/app',
  'iam.role role/team/deploy',
  'iam.role role/exec',
  'route53.zone Z1',
  'route53.zone Z2',
  'route53.record Z1/www.example.com/A',
  'route53.record Z1/site.example.com/A',
  'route53.record Z1/db.example.com/CNAME',
  'route53.record Z1/box.example.com/A',
  'route53.record Z1/files.example.com/CNAME',
  'route53.record Z1/*.example.com/A/blue',
  'route53.record Z1/*.example.com/A/green',
  'sqs.queue jobs',
  'sqs.queue jobs-dead',
  'sqs.queue far us-east-1',
  'sns.topic news',
  'sns.topic alarms',
]

const records = ['www', 'site', 'box'].map(name => `Z1/${name}.example.com/A`)

const expectedEdges = [
  'ec2.vpc vpc-1 contains ec2.subnet subnet-1',
  'ec2.vpc vpc-1 contains ec2.subnet subnet-2',
  'ec2.vpc vpc-1 contains ec2.security_group sg-web',
  'ec2.vpc vpc-1 contains ec2.security_group sg-app',
  'ec2.security_group sg-web connects_to ec2.security_group sg-app',
  'ec2.subnet subnet-1 contains ec2.nat_gateway nat-1',
  'ec2.subnet subnet-1 contains ec2.instance i-web',
  'ec2.subnet subnet-2 contains ec2.instance i-app',
  'ec2.instance i-web depends_on ec2.security_group sg-web',
  'ec2.instance i-app depends_on ec2.security_group sg-app',
  'ec2.instance i-web depends_on iam.role role/app',
  'ec2.instance i-web writes ec2.volume vol-1',
  'eks.nodegroup nodegroup/k8s/ng-1/aa contains ec2.instance i-web',
  'rds.cluster cluster:aurora contains rds.instance db:aurora-1',
  'rds.cluster cluster:aurora depends_on ec2.security_group sg-app',
  'rds.cluster cluster:reports depends_on ec2.security_group sg-app',
  'rds.cluster cluster:aurora depends_on iam.role role/app',
  'rds.cluster cluster:reports depends_on iam.role role/app',
  ...['db:aurora-1', 'db:plain'].flatMap(id => [
    `ec2.vpc vpc-1 contains rds.instance ${id}`,
    `ec2.subnet subnet-1 contains rds.instance ${id}`,
    `rds.instance ${id} depends_on ec2.security_group sg-app`,
  ]),
  'lambda.function function:worker depends_on iam.role role/app',
  'lambda.function function:mailer depends_on iam.role role/app',
  'lambda.function function:worker depends_on ec2.security_group sg-app',
  'ec2.subnet subnet-2 contains lambda.function function:worker',
  'lambda.function function:worker writes sqs.queue jobs-dead',
  'lambda.function function:worker reads sqs.queue jobs',
  'sqs.queue jobs invokes lambda.function function:worker',
  'sqs.queue jobs writes sqs.queue jobs-dead',
  'sns.topic news invokes lambda.function function:mailer',
  'sns.topic news invokes sqs.queue jobs',
  'ec2.vpc vpc-1 contains elb.load_balancer loadbalancer/app/web/1',
  'ec2.vpc vpc-1 contains elb.load_balancer loadbalancer/net/inner/2',
  'elb.load_balancer loadbalancer/app/web/1 depends_on ec2.security_group sg-web',
  'elb.load_balancer loadbalancer/net/inner/2 depends_on ec2.security_group sg-web',
  'elb.load_balancer loadbalancer/app/web/1 connects_to elb.target_group targetgroup/web/1',
  'elb.load_balancer loadbalancer/app/web/1 connects_to elb.target_group targetgroup/fn/2',
  'elb.load_balancer loadbalancer/net/inner/2 connects_to elb.target_group targetgroup/ip/3',
  'elb.target_group targetgroup/web/1 connects_to ec2.instance i-web',
  'elb.target_group targetgroup/fn/2 connects_to lambda.function function:mailer',
  'elb.target_group targetgroup/ip/3 connects_to elb.ip vpc-1/10.0.2.10',
  'elb.target_group targetgroup/ip/3 connects_to elb.ip vpc-1/10.0.2.99',
  'elb.ip vpc-1/10.0.2.10 connects_to ec2.instance i-app',
  'elb.target_group targetgroup/ip/3 connects_to ecs.service service/prod/api',
  'ecs.cluster cluster/prod contains ecs.service service/prod/api',
  'ecs.cluster cluster/prod contains ecs.service service/prod/cron',
  'ecs.service service/prod/api depends_on ecs.task_definition task-definition/api:3',
  'ecs.service service/prod/cron depends_on ecs.task_definition task-definition/cron:1',
  'ecs.service service/prod/api depends_on ec2.security_group sg-app',
  'ec2.subnet subnet-2 contains ecs.service service/prod/api',
  ...['api:3', 'cron:1'].flatMap(id => [
    `ecs.task_definition task-definition/${id} depends_on iam.role role/app`,
    `ecs.task_definition task-definition/${id} depends_on iam.role role/exec`,
  ]),
  ...['k8s', 'second'].flatMap(id => [
    `ec2.vpc vpc-1 contains eks.cluster cluster/${id}`,
    `eks.cluster cluster/${id} depends_on iam.role role/app`,
    `eks.cluster cluster/${id} depends_on ec2.security_group sg-app`,
  ]),
  ...['ng-1/aa', 'ng-2/bb'].flatMap(id => [
    `eks.cluster cluster/k8s contains eks.nodegroup nodegroup/k8s/${id}`,
    `eks.nodegroup nodegroup/k8s/${id} depends_on iam.role role/app`,
    `ec2.subnet subnet-1 contains eks.nodegroup nodegroup/k8s/${id}`,
  ]),
  'iam.role role/app connects_to iam.role role/team/deploy',
  ...expectedNodes.filter(one => one.startsWith('route53.record')).map(one => `route53.zone Z1 contains ${one}`),
  `route53.record ${records[0]} connects_to elb.load_balancer loadbalancer/app/web/1`,
  `route53.record ${records[1]} connects_to s3.bucket site.example.com`,
  `route53.record ${records[2]} connects_to ec2.instance i-web`,
  'route53.record Z1/db.example.com/CNAME connects_to rds.cluster cluster:aurora',
  'route53.record Z1/files.example.com/CNAME connects_to s3.bucket assets',
]

describe('an account', () => {
  it('arrives with every type of thing and every edge, from pages of one', async () => {
    const server = await awsServer(1)
    const found = await readAws(own(server), reading(server, ['eu-west-1', 'us-east-1']))
    expect(found.externalId).toBe(account)
    expect(found.unseen).toEqual([])
    expect(found.nodes.map(short).sort()).toEqual([...expectedNodes].sort())
    expect(found.edges.map(edgeText).sort()).toEqual([...expectedEdges].sort())
  })

  it('is asked for with at most four requests at once', async () => {
    const server = await awsServer(1)
    let [underWay, most] = [0, 0]
    const counted: typeof fetch = async (url, options) => {
      most = Math.max(most, ++underWay)
      return fetch(url, options).finally(() => underWay--)
    }
    await readAws(own(server), { ...reading(server, ['eu-west-1', 'us-east-1']), fetch: counted })
    expect(most).toBe(4)
  })

  it('is the same from long pages', async () => {
    const [one, many] = [await awsServer(1), await awsServer(1000)]
    const [slow, fast] = [await readAws(own(one), reading(one)), await readAws(own(many), reading(many))]
    const inOrder = (found: Found) => found.nodes.map(node => JSON.stringify(node)).sort()
    expect(inOrder(fast)).toEqual(inOrder(slow))
    expect(many.requests.length).toBeLessThan(one.requests.length)
  })

  it('has facts and tags, wherever its service tells them', async () => {
    const server = await awsServer(2)
    const found = await readAws(own(server), reading(server))
    expect(nodeOf(found, 'ec2.instance i-web')).toMatchObject({
      name: 'web',
      category: 'compute',
      properties: { instanceType: 't4g.small', state: 'running', publicIp: '203.0.113.10', isPublic: true },
      tags: { Name: 'web' },
    })
    expect(nodeOf(found, 'ec2.security_group sg-web')).toMatchObject({
      name: 'web & more',
      properties: { isOpenToAll: true, portsOpenToAll: ['tcp 443'] },
    })
    expect(nodeOf(found, 'ec2.volume vol-1').properties).toMatchObject({ sizeGb: 40, isEncrypted: true })
    expect(nodeOf(found, 'rds.instance db:plain')).toMatchObject({
      properties: { engine: 'aurora-postgresql', version: '16.4', isPublic: false },
      tags: { team: 'payments' },
    })
    expect(nodeOf(found, 'lambda.function function:worker')).toMatchObject({
      properties: { runtime: 'nodejs24.x', memoryMb: 256, timeoutSeconds: 30 },
      tags: { team: 'payments' },
    })
    expect(nodeOf(found, 's3.bucket site.example.com').properties).toMatchObject({ isPublic: true })
    expect(nodeOf(found, 's3.bucket assets')).toMatchObject({ properties: { isPublic: false }, tags: { team: 'web' } })
    expect(nodeOf(found, 'iam.role role/team/deploy').properties).toMatchObject({
      trustedBy: [`arn:aws:iam::${account}:role/app`, '999988887777'],
    })
    expect(nodeOf(found, 'ecs.task_definition task-definition/api:3')).toMatchObject({
      name: 'api:3',
      properties: { images: ['registry/api:7'] },
    })
    expect(nodeOf(found, 'sqs.queue jobs').tags).toEqual({ team: 'mail' })
  })

  it('is asked for with no right that the policy does not name, and with each that it does', async () => {
    const server = await awsServer(1)
    await readAws(own(server), reading(server))
    const asRight = (operation: string) =>
      operation.replace('tagging:', 'tag:').replace('s3:ListBuckets', 's3:ListAllMyBuckets')
    const asked = new Set(server.requests.map(({ operation }) => asRight(operation)))
    const free = ['sts:GetCallerIdentity']
    const notForReading = ['iam:SimulatePrincipalPolicy']
    expect([...asked].sort()).toEqual([...neededRights.filter(one => !notForReading.includes(one)), ...free].sort())
  })

  it('is empty where there is nothing', async () => {
    const server = await awsServer()
    server.things = () => []
    const found = await readAws(own(server), reading(server))
    expect(found).toEqual({ externalId: account, nodes: [], edges: [], unseen: [] })
  })
})

describe('secrets', () => {
  it('of the account and of its reader are in nothing that is found or said', async () => {
    const server = await awsServer(2)
    const access = { ...operator, accountId: account, roleArn, externalId: server.externalId, endpoint: server.url }
    for (const operation of ['ec2:DescribeVolumes', 'iam:ListRoles', 'eks:ListClusters', 'sns:ListTopics']) {
      server.deny.add(operation)
    }
    server.misdeeds.set('rds:DescribeDBClusters', 'echo')
    server.misdeeds.set('lambda:ListEventSourceMappings', 'broken')
    const found = await readAws(access, reading(server))
    expect(found.unseen.length).toBe(6)
    const text = JSON.stringify(found)
    const secrets = [marker, ...Object.values(operator), ...Object.values(issued), 'ASIAISSUED', server.externalId]
    for (const secret of secrets) expect(text.includes(secret), secret).toBe(false)
    expect(text).toContain(arns.worker)
  })

  it('are in no error', async () => {
    const server = await awsServer()
    const wrong = { ...own(server), secretAccessKey: 'wrong/secret/bytes' }
    const thrown = await readAws(wrong, reading(server)).catch((error: Error) => error)
    const text = `${(thrown as Error).message}${(thrown as Error).stack}${JSON.stringify(thrown)}`
    for (const secret of ['wrong/secret/bytes', owner.accessKeyId]) expect(text.includes(secret)).toBe(false)
  })
})

describe('hosts', () => {
  it('are the official ones of each partition', async () => {
    const hosts = async (region: string, roleArn: string | null) => {
      const asked: string[] = []
      const record = async (url: string | URL) => {
        asked.push(new URL(url).origin)
        throw new Error('nobody is there')
      }
      const clock = { now: () => new Date(0), wait: async () => {}, random: () => 0 }
      const access = { ...owner, accountId: null, roleArn, externalId: null }
      await openAccess(access, [region], { ...clock, fetch: record }).catch(() => {})
      return [...new Set(asked)]
    }
    expect(await hosts('eu-west-1', null)).toEqual(['https://sts.us-east-1.amazonaws.com'])
    expect(await hosts('cn-northwest-1', null)).toEqual(['https://sts.cn-north-1.amazonaws.com.cn'])
    expect(await hosts('us-gov-east-1', null)).toEqual(['https://sts.us-gov-west-1.amazonaws.com'])
  })
})
