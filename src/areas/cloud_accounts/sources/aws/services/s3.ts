// S3: buckets, which are listed in one place and lie in regions.
import { AwsFault, isRegion } from '../faults.ts'
import { bucketName, hostName, key } from '../keys.ts'
import { each, type Reader, type Service } from '../reader.ts'
import { flag, needed, text } from '../shapes.ts'

export const s3: Service = {
  types: ['aws.s3.bucket'],
  scope: 'everywhere',
  read: async reader => {
    const buckets: unknown[] = []
    await reader.part(['aws.s3.bucket'], async () => {
      for await (const bucket of reader.list('s3:ListAllMyBuckets')) buckets.push(bucket)
    })
    await each(buckets, async bucket => {
      await reader.part(['aws.s3.bucket'], () => readBucket(reader, bucket))
    })
  },
}

async function readBucket(reader: Reader, bucket: unknown): Promise<void> {
  const name = needed(bucket, 'Name')
  const told = text(bucket, 'BucketRegion')
  const region = isRegion(told) ? told : await locationOf(reader, name)
  if (region === null || !reader.regions.includes(region)) return
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
  const own = key('aws.s3.bucket', `arn:${partition}:s3:::${name}`, region)
  const properties: Record<string, unknown> = { created: text(bucket, 'CreationDate') }
  reader.name(bucketName(name), own)
  reader.name(hostName(`${name}.s3.amazonaws.com`), own)
  reader.name(hostName(`${name}.s3.${region}.amazonaws.com`), own)
  // A bucket's own policy may keep its state from us: then the bucket is there all the same.
  await reader.part([], async () => {
    properties.isPublic = await isPublic(reader, name, region)
  })
  reader.node({ key: own, name, category: 'storage', properties })
}

/** Null where the bucket has been deleted since it was listed. */
async function locationOf(reader: Reader, bucket: string): Promise<string | null> {
  try {
    const location = await reader.ask('s3:GetBucketLocation', { bucket })
    if (typeof location !== 'string') throw new AwsFault('malformed', 'a bucket lies nowhere')
    const region = location.trim() === '' ? 'us-east-1' : location.trim() === 'EU' ? 'eu-west-1' : location.trim()
    if (!isRegion(region)) throw new AwsFault('malformed', 'a bucket lies nowhere')
    return region
  } catch (thrown) {
    if (!(thrown instanceof AwsFault)) throw thrown
    // Asked in the wrong region: then the answer names the right one.
    if (thrown.region !== undefined) return thrown.region
    if (thrown.reason === 'NoSuchBucket') return null
    throw thrown
  }
}

async function isPublic(reader: Reader, bucket: string, region: string): Promise<boolean | undefined> {
  try {
    return flag(await reader.ask('s3:GetBucketPolicyStatus', { bucket }, region), 'IsPublic')
  } catch (thrown) {
    if (thrown instanceof AwsFault && /^NoSuchBucket/.test(thrown.reason)) return false
    throw thrown
  }
}
