// Route 53: zones, and those of their records that lead somewhere.
import type { NodeKey } from '../../../found/contract.ts'
import { bucketName, hostName, key, publicAddress } from '../keys.ts'
import type { Reader, Service } from '../reader.ts'
import { flag, needed, number, text, texts } from '../shapes.ts'

export const route53: Service = {
  types: ['aws.route53.zone', 'aws.route53.record'],
  scope: 'global',
  read: async reader => {
    const zones: string[] = []
    await reader.part(route53.types, async () => {
      for await (const zone of reader.list('route53:ListHostedZones')) zones.push(readZone(reader, zone))
    })
    for (const zone of zones) {
      await reader.part(['aws.route53.record'], async () => {
        for await (const record of reader.list('route53:ListResourceRecordSets', { zone })) {
          readRecord(reader, record, zone)
        }
      })
    }
  },
}

function readZone({ node }: Reader, zone: unknown): string {
  const id = needed(zone, 'Id').replace(/^\/hostedzone\//, '')
  node({
    key: key('aws.route53.zone', id, ''),
    name: needed(zone, 'Name').replace(/\.$/, ''),
    category: 'network',
    properties: { isPrivate: flag(zone, 'Config.PrivateZone'), records: number(zone, 'ResourceRecordSetCount') },
  })
  return id
}

/** Others, such as TXT, lead nowhere, and some hold what proves that the name is one's own. */
const leading = ['A', 'AAAA', 'CNAME']

function readRecord({ node, edge }: Reader, record: unknown, zone: string): void {
  const type = needed(record, 'Type')
  if (!leading.includes(type)) return
  // Route 53 writes what is no letter as three digits: \052 is the star.
  const name = needed(record, 'Name').replace(/\\052/g, '*').replace(/\.$/, '')
  const set = text(record, 'SetIdentifier')
  const own = key('aws.route53.record', [zone, name, type, ...(set ? [set] : [])].join('/'), '')
  const alias = text(record, 'AliasTarget.DNSName')
  const targets = alias ? [alias] : texts(record, 'ResourceRecords.ResourceRecord', 'Value', 20)
  node({
    key: own,
    name,
    category: 'network',
    properties: {
      recordType: type,
      ttl: number(record, 'TTL'),
      isAlias: alias !== undefined,
      targets: targets.map(target => target.replace(/\.$/, '')),
      weight: number(record, 'Weight'),
      routingRegion: text(record, 'Region'),
    },
  })
  edge(key('aws.route53.zone', zone, ''), own, 'contains')
  for (const target of targets) linkTarget(edge, own, name, target)
}

function linkTarget(edge: Reader['edge'], own: NodeKey, name: string, target: string): void {
  edge(own, hostName(target), 'connects_to')
  edge(own, publicAddress(target), 'connects_to')
  edge(own, bucketName(bucketBehind(name, target)), 'connects_to')
}

/** A website in a bucket is an alias to S3 itself: its bucket has the name of the record. */
function bucketBehind(name: string, target: string): string | undefined {
  const [, prefix] = /^(?:(.+)\.)?s3-website[.-][\w-]+\.amazonaws\.com(?:\.cn)?\.?$/.exec(target) ?? [null]
  if (prefix === null) return undefined
  return prefix ?? name
}
