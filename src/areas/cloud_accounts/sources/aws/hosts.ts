// Where the services of AWS answer, which protocol they speak, and as what their requests are signed.

export type Protocol = 'query' | 'json' | 'rest_xml' | 'rest_json'

type Service = {
  protocol: Protocol
  /** Of query and of REST paths. */
  version?: string
  /** Before the name of the operation, in the header of the JSON protocols. */
  target?: string
  jsonVersion?: '1.0' | '1.1'
  /** One for all regions of a partition. */
  isGlobal?: true
  /** Name of host and signature, where it is not the prefix of its rights. */
  host?: string
}

/** By the prefix of their rights. */
export const services = {
  ec2: { protocol: 'query', version: '2016-11-15' },
  rds: { protocol: 'query', version: '2014-10-31' },
  elasticloadbalancing: { protocol: 'query', version: '2015-12-01' },
  iam: { protocol: 'query', version: '2010-05-08', isGlobal: true },
  sts: { protocol: 'query', version: '2011-06-15' },
  sns: { protocol: 'query', version: '2010-03-31' },
  s3: { protocol: 'rest_xml' },
  route53: { protocol: 'rest_xml', isGlobal: true },
  lambda: { protocol: 'rest_json' },
  eks: { protocol: 'rest_json' },
  ecs: { protocol: 'json', jsonVersion: '1.1', target: 'AmazonEC2ContainerServiceV20141113' },
  sqs: { protocol: 'json', jsonVersion: '1.0', target: 'AmazonSQS' },
  tag: { protocol: 'json', jsonVersion: '1.1', target: 'ResourceGroupsTaggingAPI_20170126', host: 'tagging' },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

export function serviceOf(name: ServiceName): Service {
  return services[name]
}

export type Partition = 'aws' | 'aws-cn' | 'aws-us-gov'

export function partitionOf(region: string): Partition {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

/** Never has to be enabled; what it gives out is valid in the other regions, too. */
export const homeRegions: Readonly<Record<Partition, string>> = {
  aws: 'us-east-1',
  'aws-cn': 'cn-north-1',
  'aws-us-gov': 'us-gov-west-1',
}

const globalHosts: Readonly<Record<Partition, Readonly<Record<string, { host: string; region: string }>>>> = {
  aws: {
    iam: { host: 'iam.amazonaws.com', region: 'us-east-1' },
    route53: { host: 'route53.amazonaws.com', region: 'us-east-1' },
  },
  'aws-cn': {
    iam: { host: 'iam.cn-north-1.amazonaws.com.cn', region: 'cn-north-1' },
    route53: { host: 'route53.amazonaws.com.cn', region: 'cn-northwest-1' },
  },
  'aws-us-gov': {
    iam: { host: 'iam.us-gov.amazonaws.com', region: 'us-gov-west-1' },
    route53: { host: 'route53.us-gov.amazonaws.com', region: 'us-gov-west-1' },
  },
}

/** `region` is that of the signature. */
export type Place = { base: string; service: string; region: string }

export function placeOf(name: ServiceName, region: string, endpoint: string | null): Place {
  const { host = name, isGlobal } = serviceOf(name)
  const partition = partitionOf(region)
  const global = isGlobal ? globalHosts[partition][name] : undefined
  const official = global?.host ?? `${host}.${region}.${partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'}`
  return { base: endpoint ?? `https://${official}`, service: host, region: global?.region ?? region }
}
