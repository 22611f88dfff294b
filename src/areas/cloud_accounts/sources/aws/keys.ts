// What things of AWS are called here: types, keys from ids and ARNs, and names under which services know each other's things.
import type { NodeKey } from '../../found/contract.ts'

export function key(type: string, externalId: string, region: string): NodeKey {
  return { type, externalId, region }
}

/** By service and kind of resource; what is not read here has no type. */
const ofArns: readonly { service: string; resource: RegExp; type: string }[] = [
  { service: 'ecs', resource: /^cluster\/[^/]+$/, type: 'aws.ecs.cluster' },
  { service: 'ecs', resource: /^task-definition\/[^/]+$/, type: 'aws.ecs.task_definition' },
  { service: 'elasticloadbalancing', resource: /^loadbalancer\/./, type: 'aws.elb.load_balancer' },
  { service: 'elasticloadbalancing', resource: /^targetgroup\/./, type: 'aws.elb.target_group' },
  { service: 'iam', resource: /^role\/./, type: 'aws.iam.role' },
  { service: 'lambda', resource: /^function:[^:]+$/, type: 'aws.lambda.function' },
  { service: 'sns', resource: /^[^:/]+$/, type: 'aws.sns.topic' },
  { service: 'sqs', resource: /^[^:/]+$/, type: 'aws.sqs.queue' },
]

/** A version or an alias of a function is the function. */
export function keyOfArn(arn: string | undefined): NodeKey | null {
  const [, service = '', region = '', resource = ''] = /^arn:[\w-]+:([\w-]+):([\w-]*):\d*:(.+)$/.exec(arn ?? '') ?? []
  const whole = service === 'lambda' ? resource.split(':').slice(0, 2).join(':') : resource
  const kind = ofArns.find(one => one.service === service && one.resource.test(whole))
  if (!kind || arn === undefined) return null
  return key(kind.type, arn.slice(0, arn.length - resource.length + whole.length), region)
}

/** Host names are told with and without a dot at their end, and load balancers' also for both kinds of addresses. */
export function hostName(name: string | undefined): string | null {
  const bare = name
    ?.toLowerCase()
    .replace(/\.$/, '')
    .replace(/^dualstack\./, '')
  return bare ? `host ${bare}` : null
}

export function publicAddress(address: string | undefined): string | null {
  return address ? `public address ${address}` : null
}

/** Private addresses mean something within their network only. */
export function privateAddress(vpc: string | undefined, address: string | undefined): string | null {
  return vpc && address ? `address ${vpc} ${address}` : null
}

export function instanceProfile(arn: string | undefined): string | null {
  return arn ? `instance profile ${arn}` : null
}

export function nodegroupName(region: string, cluster?: string, nodegroup?: string): string | null {
  return cluster && nodegroup ? `nodegroup ${region} ${cluster} ${nodegroup}` : null
}

export function bucketName(name: string | undefined): string | null {
  return name ? `bucket ${name}` : null
}

export const vpcKey = (id: string | undefined, region: string) => (id ? key('aws.ec2.vpc', id, region) : null)
export const subnetKey = (id: string | undefined, region: string) => (id ? key('aws.ec2.subnet', id, region) : null)
export const groupKey = (id: string | undefined, region: string) =>
  id ? key('aws.ec2.security_group', id, region) : null
export const instanceKey = (id: string | undefined, region: string) => (id ? key('aws.ec2.instance', id, region) : null)
