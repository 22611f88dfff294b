// Reads an AWS account: every service in every region for itself, so that what fails in one is all that is not seen.
import type { Found, Unseen } from '../../found/contract.ts'
import { UnreadableSource } from '../unreadable.ts'
import { ask, type Deps } from './asking.ts'
import { type Collected, collecting } from './collecting.ts'
import { type AwsAccess, identityOf, type Opened, openAccess } from './credentials.ts'
import { AwsFault, isExpired } from './faults.ts'
import { listed } from './listing.ts'
import type { Reader, Service } from './reader.ts'
import { ec2 } from './services/ec2.ts'
import { ecs } from './services/ecs.ts'
import { eks } from './services/eks.ts'
import { elb } from './services/elb.ts'
import { iam } from './services/iam.ts'
import { lambda } from './services/lambda.ts'
import { rds } from './services/rds.ts'
import { route53 } from './services/route53.ts'
import { s3 } from './services/s3.ts'
import { sns } from './services/sns.ts'
import { sqs } from './services/sqs.ts'
import { tags } from './services/tags.ts'

/** In this order they come to their turn. */
const services: readonly Service[] = [iam, s3, route53, ec2, elb, rds, lambda, ecs, eks, sqs, sns, tags]

export const awsTypes: readonly string[] = services.flatMap(({ types }) => types)

export type Reading = Deps & { regions: readonly string[] }

/** Throws `UnreadableSource` where nothing can be read. */
export async function readAws(access: AwsAccess, reading: Reading): Promise<Found> {
  const regions = [...new Set(reading.regions)]
  const opened = await openAccess(access, regions, reading)
  const collected = collecting()
  const tasks = services.flatMap(service =>
    service.scope === 'region' ? regions.map(region => ({ service, region })) : [{ service, region: '' }],
  )
  const ended = await Promise.allSettled(tasks.map(task => readService(opened, collected, regions, task)))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  const unseen = ended.flatMap(one => (one.status === 'fulfilled' ? one.value : []))
  const found = collected.found(opened.accountId)
  return { ...found, unseen: [...found.unseen, ...fewer(unseen)] }
}

type Task = { service: Service; region: string }
type Faults = Map<AwsFault['code'], { fault: AwsFault; types: Set<string> }>

/** What was not seen of it: one entry for each kind of failure, whichever number of requests it has cost. */
async function readService(
  opened: Opened,
  collected: Collected,
  regions: readonly string[],
  { service, region }: Task,
): Promise<Unseen[]> {
  const faults: Faults = new Map()
  try {
    await service.read(readerOf(opened, collected, regions, region, faults))
  } catch (thrown) {
    // Nobody needs what the others would still find.
    opened.end()
    throw thrown
  }
  const place = service.scope === 'everywhere' ? null : region
  return [...faults.values()].map(({ fault, types }) => ({
    region: place,
    types: [...types].sort(),
    code: fault.code,
    text: sentence(`${fault.message}${hints[fault.code] ?? ''}`),
  }))
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const hints: Readonly<Partial<Record<AwsFault['code'], string>>> = {
  forbidden: '; allow what the policy of the setup lists',
  throttled: '; it asks for patience, and is asked again with the next sync',
  timeout: '; it is asked again with the next sync',
  unreachable: '; look whether the region is a real one, and whether the network lets requests out',
  too_large: '; read fewer regions with one account',
}

function readerOf(
  opened: Opened,
  collected: Collected,
  regions: readonly string[],
  region: string,
  faults: Faults,
): Reader {
  const { session, home } = opened
  /** Who does not answer once, or lets nobody in, is not asked again. */
  let silent: AwsFault | null = null
  const note = (fault: AwsFault, types: readonly string[]) => {
    const before = faults.get(fault.code) ?? { fault, types: new Set() }
    for (const type of types) before.types.add(type)
    faults.set(fault.code, before)
  }
  return {
    ...collected,
    region,
    regions,
    ask: (action, params, where = region || home) => ask(session, action, where, params),
    list: (action, params) => listed(session, action, region || home, params),
    part: async (types, work) => {
      try {
        if (silent) throw silent
        return await work()
      } catch (thrown) {
        const fault = await judged(opened, thrown, region)
        note(fault, types)
        if (fault.code === 'timeout' || fault.code === 'unreachable' || fault.reason === 'region') silent = fault
        return undefined
      }
    },
  }
}

/**
 * A region that the account has not enabled refuses credentials as if they were wrong. Whether they are is known where
 * they were accepted before.
 */
async function judged({ session, home }: Opened, thrown: unknown, region: string): Promise<AwsFault> {
  if (!(thrown instanceof AwsFault)) throw thrown
  if (thrown.code !== 'auth') return thrown
  if (isExpired(thrown)) throw new UnreadableSource('auth', `The session has ended: ${thrown.message}.`)
  await identityOf(session, home)
  const place = region === '' ? 'A service' : `The region ${region}`
  const text = `${place} does not accept the credentials; it may not be enabled in the account`
  return new AwsFault('forbidden', text, { reason: 'region' })
}

const mostUnseen = 100

/** Where nearly everything fails, one entry for each region says as much. */
function fewer(unseen: Unseen[]): Unseen[] {
  if (unseen.length <= mostUnseen) return unseen
  const byRegion = new Map<string | null, Unseen>()
  for (const one of unseen) {
    const before = byRegion.get(one.region) ?? { ...one, types: [] }
    byRegion.set(one.region, { ...before, types: [...new Set([...(before.types ?? []), ...(one.types ?? [])])] })
  }
  return [...byRegion.values()]
}
