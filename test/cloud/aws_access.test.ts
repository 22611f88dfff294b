// Who reads an account of AWS: a role taken on with its external id, the right account, and no more rights than needed.
import { describe, expect, it } from 'vitest'
import type { AwsAccess } from '../../src/areas/cloud_accounts/sources/aws/credentials.ts'
import { readAws } from '../../src/areas/cloud_accounts/sources/aws/reading.ts'
import {
  dangerousRights,
  neededRights,
  policyDocument,
  trustPolicy,
} from '../../src/areas/cloud_accounts/sources/aws/rights.ts'
import { validateAws } from '../../src/areas/cloud_accounts/sources/aws/validating.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { operator, owner, roleArn } from './aws_identities.ts'
import { account } from './aws_names.ts'
import { type AwsServer, awsServer } from './aws_server.ts'

const fetch = outbound({ allow: ['127.0.0.1/32'] })

const reading = (server: AwsServer, regions = ['eu-west-1']) => ({
  regions,
  fetch,
  now: server.now,
  wait: server.wait,
  random: () => 0.5,
})

const asRole = (server: AwsServer, more: Partial<AwsAccess> = {}): AwsAccess => ({
  ...operator,
  accountId: account,
  roleArn,
  externalId: server.externalId,
  endpoint: server.url,
  ...more,
})

const asOwner = (server: AwsServer) => asRole(server, { ...owner, roleArn: null, externalId: null })

describe('a role', () => {
  it('is taken on for a quarter of an hour with the external id, and reads with its session', async () => {
    const server = await awsServer(100)
    const found = await readAws(asRole(server), reading(server))
    expect(found.unseen).toEqual([])
    expect(found.nodes.length).toBeGreaterThan(40)
    const [first, ...rest] = server.requests
    expect(first).toMatchObject({
      operation: 'sts:AssumeRole',
      accessKeyId: operator.accessKeyId,
      params: { RoleSessionName: 'atrium', DurationSeconds: '900', ExternalId: 'ext-4711' },
    })
    expect(new Set(rest.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['ASIAISSUED']))
  })

  it.each([
    ['another external id', { externalId: 'ext-0000' }],
    ['no external id', { externalId: null }],
    ['another key', owner],
    ['a role of another name', { roleArn: `arn:aws:iam::${account}:role/Other` }],
  ])('is not taken on with %s', async (_, more) => {
    const server = await awsServer()
    await expect(readAws(asRole(server, more), reading(server))).rejects.toMatchObject({
      name: 'UnreadableSource',
      code: 'auth',
      message: expect.stringContaining('external id'),
    })
    expect(server.requests.length).toBe(1)
  })

  it.each([
    ['of another account', { roleArn: 'arn:aws:iam::000000000001:role/AtriumReader' }],
    ['that is none', { roleArn: 'arn:aws:iam::1:user/x' }],
    ['that would be two parameters', { roleArn: `${roleArn}&Action=DeleteRole` }],
  ])('%s is not asked for', async (_, more) => {
    const server = await awsServer()
    await expect(readAws(asRole(server, more), reading(server))).rejects.toMatchObject({ code: 'auth' })
    expect(server.requests).toEqual([])
  })
})

describe('an account', () => {
  it('that is not the one expected is not read', async () => {
    const server = await awsServer()
    const access = asRole(server, { ...owner, roleArn: null, accountId: '444455556666' })
    await expect(readAws(access, reading(server))).rejects.toMatchObject({
      code: 'auth',
      message: `The credentials belong to account ${account}, not to 444455556666.`,
    })
    expect(server.requests.length).toBe(1)
  })

  it('is read as whichever it is where none is expected', async () => {
    const server = await awsServer(100)
    const found = await readAws({ ...asOwner(server), accountId: null }, reading(server))
    expect(found.externalId).toBe(account)
  })

  it.each([
    ['a wrong secret', { secretAccessKey: 'wrong' }],
    ['an unknown key', { accessKeyId: 'AKIAUNKNOWN' }],
    ['a token that nobody gave', { sessionToken: 'made-up' }],
  ])('is not read with %s', async (_, more) => {
    const server = await awsServer()
    await expect(readAws({ ...asOwner(server), ...more }, reading(server))).rejects.toMatchObject({
      name: 'UnreadableSource',
      code: 'auth',
    })
  })

  it.each([
    ['accessKeyId', 'AKIA\r\nx-evil: 1'],
    ['accessKeyId', ''],
    ['secretAccessKey', ''],
    ['sessionToken', 'to\nken'],
  ])('is not asked for with the %s %j', async (field, text) => {
    const server = await awsServer()
    const access = { ...asOwner(server), [field]: text }
    await expect(readAws(access, reading(server))).rejects.toMatchObject({ code: 'auth' })
    expect([server.requests, server.waits]).toEqual([[], []])
  })

  it('is not read with a clock that is wrong', async () => {
    const server = await awsServer()
    const now = () => new Date(server.now().getTime() + 6 * 60_000)
    await expect(readAws(asOwner(server), { ...reading(server), now })).rejects.toMatchObject({ code: 'auth' })
  })

  it('is given up as a whole when the session ends', async () => {
    const server = await awsServer(1)
    server.sessionRequests = 20
    await expect(readAws(asRole(server), reading(server))).rejects.toMatchObject({
      code: 'auth',
      message: expect.stringContaining('The session has ended'),
    })
    expect(server.requests.length).toBeLessThan(40)
  })

  it.each([['eu-west-1.evil.example'], ['../x'], ['EU'], ['']])('has no region %j', async region => {
    const server = await awsServer()
    await expect(readAws(asOwner(server), reading(server, [region]))).rejects.toMatchObject({
      name: 'UnreadableSource',
    })
    expect(server.requests).toEqual([])
  })

  it('whose address is not reached is unreachable', async () => {
    const server = await awsServer()
    const access = { ...asOwner(server), endpoint: 'http://127.0.0.1:1' }
    await expect(readAws(access, reading(server))).rejects.toMatchObject({ code: 'unreachable' })
    expect(server.waits.length).toBe(5)
    await expect(readAws(access, reading(server))).rejects.toThrow(/^AWS cannot be asked .* 127.0.0.1:1 could not be/)
    const forbidden = { ...asOwner(server), endpoint: 'http://10.0.0.1' }
    await expect(readAws(forbidden, reading(server))).rejects.toMatchObject({ code: 'unreachable' })
  })
})

describe('rights', () => {
  it('are exactly there', async () => {
    const server = await awsServer()
    for (const access of [asRole(server), asOwner(server)]) {
      const rights = await validateAws(access, reading(server))
      expect(rights).toEqual({
        accountId: account,
        present: neededRights,
        missing: [],
        tooMany: [],
        unknown: [],
        policy: policyDocument(),
      })
    }
  })

  it('are missing, and too many', async () => {
    const server = await awsServer()
    server.deny.add('ec2:DescribeVolumes').add('sqs:GetQueueAttributes')
    server.extra.add('s3:GetObject').add('iam:PassRole').add('ec2:TerminateInstances')
    const rights = await validateAws(asRole(server), reading(server))
    expect(rights.missing).toEqual(['ec2:DescribeVolumes', 'sqs:GetQueueAttributes'])
    expect(rights.tooMany).toEqual(['ec2:TerminateInstances', 'iam:PassRole', 's3:GetObject'])
    expect(rights.present.length).toBe(neededRights.length - 2)
    expect(server.requests.filter(({ operation }) => operation.startsWith('ec2:'))).toEqual([])
  })

  it('are tried out where nobody may ask about them, and what cannot be told is said', async () => {
    const server = await awsServer()
    for (const one of ['iam:SimulatePrincipalPolicy', 'ec2:DescribeVolumes', 'eks:DescribeCluster', 'sns:ListTopics']) {
      server.deny.add(one)
    }
    server.misdeeds.set('rds:DescribeDBClusters', 'error')
    const rights = await validateAws(asRole(server), reading(server))
    expect(rights.missing).toEqual([
      'ec2:DescribeVolumes',
      'eks:DescribeCluster',
      'iam:SimulatePrincipalPolicy',
      'sns:ListTopics',
    ])
    const vague = [
      'rds:DescribeDBClusters',
      's3:GetBucketLocation',
      's3:GetBucketPolicyStatus',
      'sqs:GetQueueAttributes',
    ]
    expect(rights.unknown).toEqual([...vague, ...dangerousRights])
    expect(rights.tooMany).toEqual([])
    expect(rights.present).toEqual(neededRights.filter(one => ![...rights.missing, ...vague].includes(one)))
  })

  it('make a policy that AWS takes, of reads only', () => {
    const policy = JSON.parse(policyDocument()) as {
      Version: string
      Statement: { Effect: string; Action: string[] }[]
    }
    const actions = policy.Statement.flatMap(({ Action }) => Action)
    expect([...actions].sort()).toEqual([...neededRights].sort())
    for (const action of actions) expect(action).toMatch(/^[a-z0-9]+:(Describe|List|Get|SimulatePrincipal)\w+$/)
    expect(actions.filter(action => (dangerousRights as readonly string[]).includes(action))).toEqual([])
    expect(JSON.stringify(policy).length).toBeLessThan(6_144)
  })

  it('to take the role on are given to one principal, with the external id', () => {
    expect(JSON.parse(trustPolicy('999900001111', 'ext-"1'))).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: 'arn:aws:iam::999900001111:root' },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': 'ext-"1' } },
        },
      ],
    })
    expect(trustPolicy('arn:aws:iam::999900001111:user/atrium', 'x')).toContain(':user/atrium')
  })
})
