// Elastic Load Balancing: load balancers, their target groups, and whom these send requests to.
import type { NodeKey } from '../../../found/contract.ts'
import { groupKey, hostName, instanceKey, key, keyOfArn, privateAddress, vpcKey } from '../keys.ts'
import { each, type Reader, type Service } from '../reader.ts'
import { needed, number, text, texts } from '../shapes.ts'

type Group = { arn: string; key: NodeKey; kind: string | undefined; vpc: string | undefined }

export const elb: Service = {
  types: ['aws.elb.load_balancer', 'aws.elb.target_group', 'aws.elb.ip'],
  scope: 'region',
  read: async reader => {
    await reader.part(['aws.elb.load_balancer'], async () => {
      for await (const one of reader.list('elasticloadbalancing:DescribeLoadBalancers')) readBalancer(reader, one)
    })
    const groups: Group[] = []
    await reader.part(['aws.elb.target_group', 'aws.elb.ip'], async () => {
      for await (const one of reader.list('elasticloadbalancing:DescribeTargetGroups')) {
        groups.push(readGroup(reader, one))
      }
    })
    await reader.part(['aws.elb.ip'], () => each(groups, group => readTargets(reader, group)))
  },
}

function readBalancer({ node, edge, name, region }: Reader, one: unknown): void {
  const own = key('aws.elb.load_balancer', needed(one, 'LoadBalancerArn'), region)
  node({
    key: own,
    name: needed(one, 'LoadBalancerName'),
    category: 'network',
    properties: {
      kind: text(one, 'Type'),
      isPublic: text(one, 'Scheme') === 'internet-facing',
      state: text(one, 'State.Code'),
      dnsName: text(one, 'DNSName'),
      addressType: text(one, 'IpAddressType'),
      availabilityZones: texts(one, 'AvailabilityZones.member', 'ZoneName'),
    },
  })
  name(hostName(text(one, 'DNSName')), own)
  edge(vpcKey(text(one, 'VpcId'), region), own, 'contains')
  for (const group of texts(one, 'SecurityGroups.member')) edge(own, groupKey(group, region), 'depends_on')
}

function readGroup({ node, edge, region }: Reader, one: unknown): Group {
  const arn = needed(one, 'TargetGroupArn')
  const own = key('aws.elb.target_group', arn, region)
  const [kind, vpc] = [text(one, 'TargetType'), text(one, 'VpcId')]
  node({
    key: own,
    name: needed(one, 'TargetGroupName'),
    category: 'network',
    properties: {
      kind,
      protocol: text(one, 'Protocol'),
      port: number(one, 'Port'),
      healthCheckPath: text(one, 'HealthCheckPath'),
    },
  })
  for (const balancer of texts(one, 'LoadBalancerArns.member')) edge(keyOfArn(balancer), own, 'connects_to')
  return { arn, key: own, kind, vpc }
}

/** Health changes from minute to minute and is no fact of the infrastructure: only who the targets are is kept. */
async function readTargets(reader: Reader, { arn, key: own, kind, vpc }: Group): Promise<void> {
  const answer = await reader.ask('elasticloadbalancing:DescribeTargetHealth', { TargetGroupArn: arn })
  for (const id of new Set(texts(answer, 'TargetHealthDescriptions.member', 'Target.Id', 1000))) {
    if (kind === 'ip') readAddress(reader, own, id, vpc)
    else reader.edge(own, kind === 'instance' ? instanceKey(id, reader.region) : keyOfArn(id), 'connects_to')
  }
}

function readAddress({ node, edge, region }: Reader, group: NodeKey, address: string, vpc: string | undefined): void {
  const own = key('aws.elb.ip', `${vpc ?? ''}/${address}`, region)
  node({ key: own, name: address, category: 'network', properties: { address } })
  edge(group, own, 'connects_to')
  edge(own, privateAddress(vpc, address), 'connects_to')
}
