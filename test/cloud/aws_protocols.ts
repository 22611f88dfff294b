// How AWS is spoken to, strictly: which operation a request asks for, and answers and errors in the form of its protocol.
import { type Raw, Refusal } from './aws_signature.ts'

export type Asked = { operation: string; params: Record<string, unknown> }

const versions: Record<string, string> = {
  ec2: '2016-11-15',
  rds: '2014-10-31',
  elasticloadbalancing: '2015-12-01',
  iam: '2010-05-08',
  sts: '2011-06-15',
  sns: '2010-03-31',
}

const targets: Record<string, { prefix: string; type: string }> = {
  ecs: { prefix: 'AmazonEC2ContainerServiceV20141113.', type: 'application/x-amz-json-1.1' },
  sqs: { prefix: 'AmazonSQS.', type: 'application/x-amz-json-1.0' },
  tagging: { prefix: 'ResourceGroupsTaggingAPI_20170126.', type: 'application/x-amz-json-1.1' },
}

const routes: readonly { service: string; path: RegExp; operation: string; flag?: string }[] = [
  { service: 'lambda', path: /^\/2015-03-31\/functions\/$/, operation: 'ListFunctions' },
  { service: 'lambda', path: /^\/2015-03-31\/event-source-mappings\/$/, operation: 'ListEventSourceMappings' },
  { service: 'eks', path: /^\/clusters$/, operation: 'ListClusters' },
  { service: 'eks', path: /^\/clusters\/(?<name>[^/]+)$/, operation: 'DescribeCluster' },
  { service: 'eks', path: /^\/clusters\/(?<name>[^/]+)\/node-groups$/, operation: 'ListNodegroups' },
  {
    service: 'eks',
    path: /^\/clusters\/(?<name>[^/]+)\/node-groups\/(?<nodegroup>[^/]+)$/,
    operation: 'DescribeNodegroup',
  },
  { service: 'route53', path: /^\/2013-04-01\/hostedzone$/, operation: 'ListHostedZones' },
  { service: 'route53', path: /^\/2013-04-01\/hostedzone\/(?<zone>\w+)\/rrset$/, operation: 'ListResourceRecordSets' },
  { service: 's3', path: /^\/$/, operation: 'ListBuckets' },
  { service: 's3', path: /^\/(?<bucket>[^/]+)$/, operation: 'GetBucketLocation', flag: 'location' },
  { service: 's3', path: /^\/(?<bucket>[^/]+)$/, operation: 'GetBucketPolicyStatus', flag: 'policyStatus' },
]

export function askedIn(raw: Raw, service: string): Asked {
  const body = raw.body.toString()
  if (versions[service]) {
    const params = Object.fromEntries(new URLSearchParams(body)) as Record<string, string>
    const isForm = /^application\/x-www-form-urlencoded; charset=utf-8$/.test(raw.headers['content-type'] ?? '')
    if (raw.method !== 'POST' || raw.target !== '/' || !isForm) throw new Refusal(400, 'MalformedRequest')
    if (params.Version !== versions[service]) throw new Refusal(400, 'InvalidAction', 'version')
    return { operation: params.Action ?? '', params }
  }
  const target = targets[service]
  if (target) {
    const given = raw.headers['x-amz-target'] ?? ''
    const isRight = raw.headers['content-type'] === target.type && given.startsWith(target.prefix)
    if (raw.method !== 'POST' || raw.target !== '/' || !isRight) throw new Refusal(400, 'UnknownOperationException')
    return { operation: given.slice(target.prefix.length), params: JSON.parse(body) as Record<string, unknown> }
  }
  const url = new URL(raw.target, 'http://any')
  if (raw.method !== 'GET' || body !== '') throw new Refusal(405, 'MethodNotAllowed')
  for (const route of routes) {
    const match = route.service === service && route.path.exec(url.pathname)
    if (!match || (route.flag !== undefined && !url.searchParams.has(route.flag))) continue
    const inPath = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)])
    return {
      operation: route.operation,
      params: { ...Object.fromEntries(url.searchParams), ...Object.fromEntries(inPath) },
    }
  }
  throw new Refusal(404, 'UnknownOperationException')
}

export type Sent = { status: number; type: string; body: string; headers?: Record<string, string> }

const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&#34;')

/** Lists are elements of the same name beside each other. */
export function xml(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(one => xml(name, one)).join('')
  if (typeof value !== 'object') return `<${name}>${escaped(String(value))}</${name}>`
  const inner = Object.entries(value)
    .map(([field, one]) => xml(field, one))
    .join('\n  ')
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`
}

const isXml = (service: string) => versions[service] !== undefined || service === 's3' || service === 'route53'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const roots: Record<string, string> = {
  ListBuckets: 'ListAllMyBucketsResult',
  GetBucketLocation: 'LocationConstraint',
  GetBucketPolicyStatus: 'PolicyStatus',
}

export function answer(service: string, operation: string, value: unknown): Sent {
  if (!isXml(service))
    return { status: 200, type: targets[service]?.type ?? 'application/json', body: JSON.stringify(value) }
  const isWrapped = versions[service] !== undefined && service !== 'ec2'
  const inner = isWrapped ? { [`${operation}Result`]: value, ResponseMetadata: { RequestId: 'r-1' } } : value
  const text = xml(roots[operation] ?? `${operation}Response`, inner)
  // With the namespace that AWS writes there.
  const body = declaration + text.replace(/^<(\w+)/, `<$1 xmlns="http://${service}.amazonaws.com/doc/"`)
  return { status: 200, type: 'text/xml;charset=UTF-8', body }
}

export function refused(service: string, status: number, code: string, text: string): Sent {
  const error = { Code: code, Message: text }
  if (service === 'ec2') return xmlError(status, xml('Response', { Errors: { Error: error }, RequestID: 'r-1' }))
  if (service === 's3') return xmlError(status, xml('Error', error))
  if (isXml(service)) return xmlError(status, xml('ErrorResponse', { Error: { Type: 'Sender', ...error } }))
  if (!targets[service]) {
    const headers = { 'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/` }
    return { status, type: 'application/json', body: JSON.stringify({ message: text }), headers }
  }
  const body = JSON.stringify({ __type: `com.amazonaws.${service}#${code}`, message: text })
  return { status, type: targets[service].type, body }
}

function xmlError(status: number, body: string): Sent {
  return { status, type: 'text/xml', body: declaration + body }
}

/** How each of them says that something is not allowed, and that there was too much of it. */
export function denial(service: string): [number, string] {
  if (service === 'ec2') return [403, 'UnauthorizedOperation']
  if (service === 'sns') return [403, 'AuthorizationError']
  if (targets[service]) return [400, 'AccessDeniedException']
  return [403, isXml(service) ? 'AccessDenied' : 'AccessDeniedException']
}

export function throttling(service: string): [number, string] {
  if (service === 'ec2') return [503, 'RequestLimitExceeded']
  if (service === 's3') return [503, 'SlowDown']
  if (targets[service]) return [400, 'ThrottlingException']
  return isXml(service) ? [400, 'Throttling'] : [429, 'TooManyRequestsException']
}
