// Stands in for AWS on loopback: verifies signatures, speaks each protocol strictly, pages, throttles, denies and misbehaves.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { estate, everywhere } from './aws_estate.ts'
import { identityOf, operator, owner, simulated, taken } from './aws_identities.ts'
import { answer, askedIn, denial, refused, type Sent, throttling } from './aws_protocols.ts'
import { type Holder, type Raw, Refusal, type Signer, verified } from './aws_signature.ts'
import { locations, records, single } from './aws_singles.ts'

export { operator, roleArn } from './aws_identities.ts'

export type Misdeed = 'broken' | 'wrong' | 'stall' | 'huge' | 'error' | 'cut' | 'html' | 'loop' | 'echo'

export type AwsServer = {
  url: string
  now: () => Date
  /** Time goes by when somebody waits, and only then. */
  wait: (ms: number) => Promise<void>
  waits: number[]
  /** Operations, as `ec2:DescribeVpcs`, of which some begin with a region: `eu-west-1 ec2:DescribeVpcs`. */
  requests: { operation: string; region: string; accessKeyId: string; params: Record<string, unknown> }[]
  deny: Set<string>
  /** How many more times they are throttled. */
  throttle: Map<string, number>
  misdeeds: Map<string, Misdeed>
  /** Regions that the account has not enabled. */
  disabled: Set<string>
  /** Rights that the simulation says are there, beside those that are not denied. */
  extra: Set<string>
  externalId: string
  /** Given to whoever takes the role on: how many requests their session lasts. */
  sessionRequests: number
  things: (operation: string, region: string) => unknown[]
}

type Paging = readonly [items: string, sent: string, told: string, size?: string, least?: number, most?: number]

const lists: Record<string, Paging> = {
  'ec2:DescribeVpcs': ['vpcSet.item', 'NextToken', 'nextToken', 'MaxResults', 5, 1000],
  'ec2:DescribeSubnets': ['subnetSet.item', 'NextToken', 'nextToken', 'MaxResults', 5, 1000],
  'ec2:DescribeSecurityGroups': ['securityGroupInfo.item', 'NextToken', 'nextToken', 'MaxResults', 5, 1000],
  'ec2:DescribeNatGateways': ['natGatewaySet.item', 'NextToken', 'nextToken', 'MaxResults', 5, 1000],
  'ec2:DescribeInstances': ['reservationSet.item', 'NextToken', 'nextToken', 'MaxResults', 5, 1000],
  'ec2:DescribeVolumes': ['volumeSet.item', 'NextToken', 'nextToken', 'MaxResults', 5, 500],
  'rds:DescribeDBClusters': ['DBClusters.DBCluster', 'Marker', 'Marker', 'MaxRecords', 20, 100],
  'rds:DescribeDBInstances': ['DBInstances.DBInstance', 'Marker', 'Marker', 'MaxRecords', 20, 100],
  'elasticloadbalancing:DescribeLoadBalancers': ['LoadBalancers.member', 'Marker', 'NextMarker', 'PageSize', 1, 400],
  'elasticloadbalancing:DescribeTargetGroups': ['TargetGroups.member', 'Marker', 'NextMarker', 'PageSize', 1, 400],
  'iam:ListRoles': ['Roles.member', 'Marker', 'Marker', 'MaxItems', 1, 1000],
  'iam:ListInstanceProfiles': ['InstanceProfiles.member', 'Marker', 'Marker', 'MaxItems', 1, 1000],
  'sns:ListTopics': ['Topics.member', 'NextToken', 'NextToken'],
  'sns:ListSubscriptions': ['Subscriptions.member', 'NextToken', 'NextToken'],
  's3:ListBuckets': ['Buckets.Bucket', 'continuation-token', 'ContinuationToken', 'max-buckets', 1, 10_000],
  'route53:ListHostedZones': ['HostedZones.HostedZone', 'marker', 'NextMarker', 'maxitems', 1, 100],
  'lambda:ListFunctions': ['Functions', 'Marker', 'NextMarker', 'MaxItems', 1, 10_000],
  'lambda:ListEventSourceMappings': ['EventSourceMappings', 'Marker', 'NextMarker', 'MaxItems', 1, 10_000],
  'ecs:ListClusters': ['clusterArns', 'nextToken', 'nextToken', 'maxResults', 1, 100],
  'ecs:ListServices': ['serviceArns', 'nextToken', 'nextToken', 'maxResults', 1, 100],
  'eks:ListClusters': ['clusters', 'nextToken', 'nextToken', 'maxResults', 1, 100],
  'eks:ListNodegroups': ['nodegroups', 'nextToken', 'nextToken', 'maxResults', 1, 100],
  'sqs:ListQueues': ['QueueUrls', 'NextToken', 'NextToken', 'MaxResults', 1, 1000],
  'tagging:GetResources': ['ResourceTagMappingList', 'PaginationToken', 'PaginationToken', 'ResourcesPerPage', 1, 100],
}

export async function awsServer(pageSize = 1): Promise<AwsServer> {
  let clock = Date.parse('2026-11-18T03:00:00Z')
  const holders = new Map<string, Holder>([
    [operator.accessKeyId, { secret: operator.secretAccessKey }],
    [owner.accessKeyId, { secret: owner.secretAccessKey }],
  ])
  const server: AwsServer = {
    url: '',
    now: () => new Date(clock),
    wait: async ms => {
      server.waits.push(ms)
      clock += ms
    },
    waits: [],
    requests: [],
    deny: new Set(),
    throttle: new Map(),
    misdeeds: new Map(),
    disabled: new Set(),
    extra: new Set(),
    externalId: 'ext-4711',
    sessionRequests: Number.POSITIVE_INFINITY,
    things: (operation, region) => everywhere[operation] ?? estate(region)[operation] ?? [],
  }
  const http = createServer((incoming, outgoing) => respond(server, holders, pageSize, incoming, outgoing))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return server
}

async function respond(
  server: AwsServer,
  holders: Map<string, Holder>,
  pageSize: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  const headers = incoming.headers as Record<string, string>
  const raw: Raw = { method: incoming.method ?? '', target: incoming.url ?? '', headers, body: Buffer.concat(parts) }
  const [, service = ''] = /Credential=[^/]+\/[^/]+\/[^/]+\/([^/]+)/.exec(headers.authorization ?? '') ?? []
  try {
    const signer = verified(raw, holders, server.now())
    const { operation, params } = askedIn(raw, service)
    const name = `${service}:${operation}`
    server.requests.push({ operation: name, region: signer.region, accessKeyId: signer.accessKeyId, params })
    const keyed = (map: Map<string, unknown>) => [`${signer.region} ${name}`, name].find(one => map.has(one))
    const left = server.throttle.get(keyed(server.throttle) ?? '') ?? 0
    if (left > 0) {
      server.throttle.set(keyed(server.throttle)!, left - 1)
      throw new Refusal(...throttling(service))
    }
    const misdeed = server.misdeeds.get(keyed(server.misdeeds) ?? '')
    const sent = answered(server, holders, pageSize, signer, name, params)
    send(outgoing, misdeed ? misdone(misdeed, sent, signer) : sent)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    // As AWS does, it says more than anybody should repeat.
    send(outgoing, refused(service, thrown.status, thrown.code, `${thrown.message} for ${headers.authorization}`))
  }
}

function send(outgoing: ServerResponse, sent: Sent | null): void {
  if (!sent) return
  outgoing.writeHead(sent.status, { 'content-type': sent.type, ...sent.headers })
  outgoing.end(sent.body)
}

function misdone(misdeed: Misdeed, sent: Sent, { accessKeyId }: Signer): Sent | null {
  const isXml = sent.body.startsWith('<')
  if (misdeed === 'stall') return null
  if (misdeed === 'error') return { status: 500, type: sent.type, body: '' }
  if (misdeed === 'cut') return { ...sent, body: sent.body.slice(0, -9) }
  if (misdeed === 'html') return { ...sent, body: '<html><body>Please log in<br></body></html>' }
  if (misdeed === 'huge') return { ...sent, body: sent.body + ' '.repeat(17 * 1024 * 1024) }
  if (misdeed === 'echo') return { ...sent, status: 400, body: `<Error><Code>${accessKeyId}</Code></Error>` }
  if (misdeed === 'broken')
    return { ...sent, body: isXml ? '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>' : '{"a":' }
  if (misdeed === 'wrong')
    return {
      ...sent,
      body: isXml
        ? sent.body.replace(/<(\w+)Id>/g, '<$1No>').replace(/<\/(\w+)Id>/g, '</$1No>')
        : '{"Functions": {"a": [1]}}',
    }
  return sent
}

function answered(
  server: AwsServer,
  holders: Map<string, Holder>,
  pageSize: number,
  { accessKeyId, region, service }: Pick<Signer, 'accessKeyId' | 'region' | 'service'>,
  name: string,
  params: Record<string, unknown>,
): Sent {
  const operation = name.slice(service.length + 1)
  const tell = (value: unknown) => answer(service, operation, value)
  const holder = holders.get(accessKeyId)!
  if (holder.token && name !== 'sts:GetCallerIdentity' && server.sessionRequests-- <= 0)
    throw new Refusal(403, 'ExpiredToken')
  if (name === 'sts:GetCallerIdentity') return tell(identityOf(accessKeyId))
  if (name === 'sts:AssumeRole') return tell(taken(server, holders, accessKeyId, params))
  if (accessKeyId === operator.accessKeyId) throw new Refusal(...denial(service))
  if (server.disabled.has(region))
    throw new Refusal(403, service === 'ec2' ? 'AuthFailure' : 'UnrecognizedClientException')
  if (server.deny.has(name) || server.deny.has(`${region} ${name}`)) throw new Refusal(...denial(service))
  if (name === 'iam:SimulatePrincipalPolicy') return tell(simulated(server, params))
  if (name === 'route53:ListResourceRecordSets') return tell(recordsOf(params, pageSize))
  if (service === 's3' && operation !== 'ListBuckets') return bucket(operation, String(params.bucket), region)
  if (lists[name])
    return tell(
      page(lists[name], emptied(server, name, region, params), params, pageSize, server.misdeeds.get(name) === 'loop'),
    )
  const value = single(name, params)
  if (value === undefined) throw new Refusal(400, 'InvalidAction')
  if (JSON.stringify(params).includes('atrium-asks-for-nothing')) throw new Refusal(404, 'ResourceNotFoundException')
  return tell(value)
}

function emptied(server: AwsServer, name: string, region: string, params: Record<string, unknown>): unknown[] {
  if (JSON.stringify(params).includes('atrium-asks-for-nothing')) throw new Refusal(404, 'ResourceNotFoundException')
  const isEmpty = String(params.cluster).endsWith('/empty') || params.name === 'second'
  return isEmpty ? [] : server.things(name, region)
}

function page(
  paging: Paging,
  all: unknown[],
  params: Record<string, unknown>,
  pageSize: number,
  isLoop: boolean,
): object {
  const [items, sent, told, size, least = 0, most = 0] = paging
  const asked = size === undefined ? 1 : Number(params[size])
  if (size !== undefined && !(asked >= least && asked <= most)) throw new Refusal(400, 'ValidationError', size)
  const token = params[sent] as string | undefined
  const from = token === undefined ? 0 : Number(/^from ÿ>(\d+)$/.exec(Buffer.from(token, 'base64').toString())?.[1])
  if (Number.isNaN(from)) throw new Refusal(400, 'InvalidToken')
  const to = from + Math.min(pageSize, size === undefined ? pageSize : asked)
  const [outer = '', inner] = items.split('.')
  const here = all.slice(from, to)
  // SQS leaves an empty list out.
  const list = inner
    ? { [outer]: { [inner]: here } }
    : here.length === 0 && outer === 'QueueUrls'
      ? {}
      : { [outer]: here }
  if (isLoop) return { ...list, [told]: token ?? Buffer.from('from ÿ>0').toString('base64') }
  return to < all.length ? { ...list, [told]: Buffer.from(`from ÿ>${to}`).toString('base64') } : list
}

function recordsOf(params: Record<string, unknown>, pageSize: number): object {
  const all = params.zone === 'Z1' ? records : []
  if (params.zone !== 'Z1' && params.zone !== 'Z2') throw new Refusal(404, 'NoSuchHostedZone')
  const isHere = (one: object) => {
    const { Name, Type, SetIdentifier } = one as Record<string, string>
    return Name === params.name && Type === params.type && SetIdentifier === params.identifier
  }
  const from = params.name === undefined ? 0 : all.findIndex(isHere)
  const next = all[from + pageSize] as Record<string, string> | undefined
  return {
    ResourceRecordSets: { ResourceRecordSet: all.slice(from, from + pageSize) },
    IsTruncated: next !== undefined,
    ...(next && { NextRecordName: next.Name, NextRecordType: next.Type, NextRecordIdentifier: next.SetIdentifier }),
  }
}

function bucket(operation: string, name: string, region: string): Sent {
  if (name === 'moved' && operation === 'GetBucketLocation') {
    const body = '<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>'
    return { status: 400, type: 'application/xml', body }
  }
  const location = locations[name] ?? 'eu-west-1'
  if (operation === 'GetBucketLocation') return answer('s3', operation, location)
  if ((location === 'EU' ? 'eu-west-1' : location || 'us-east-1') !== region)
    throw new Refusal(301, 'PermanentRedirect')
  if (name !== 'site.example.com') throw new Refusal(404, 'NoSuchBucketPolicy')
  return answer('s3', operation, { IsPublic: 'TRUE' })
}
