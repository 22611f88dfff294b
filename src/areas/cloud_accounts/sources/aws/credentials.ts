// Becomes whoever may read the account, for a quarter of an hour, and makes sure that it is that account.
import { UnreadableSource } from '../unreadable.ts'
import { ask, type Deps, type Session, turns } from './asking.ts'
import { AwsFault, isRegion } from './faults.ts'
import { homeRegions, type Partition, partitionOf } from './hosts.ts'
import { needed, value } from './shapes.ts'
import type { Keys } from './signing.ts'

/** With a role, the key is that of who takes the role on; without, it is the account's own. */
export type AwsAccess = Keys & {
  /** Number of the account that is expected; null takes whichever it is. */
  accountId: string | null
  roleArn: string | null
  /** What the role's trust policy asks for, so that nobody else can have us read the account. */
  externalId: string | null
  /** Instead of AWS itself: another cloud that speaks like it. */
  endpoint?: string | null
}

export type Opened = {
  session: Session
  accountId: string
  /** Who reads: user, assumed role or root. */
  arn: string
  /** Where requests go that belong to no region. */
  home: string
  /** Ends what is under way. */
  end: () => void
}

const sessionSeconds = 900
const atOnce = 4
/** Well within the session. */
const longestMs = 600_000
const roleForm = /^arn:(aws|aws-cn|aws-us-gov):iam::(\d{12}):role\/[\w+=,.@/-]{1,576}$/

export async function openAccess(access: AwsAccess, regions: readonly string[], deps: Deps): Promise<Opened> {
  const home = homeOf(access, regions)
  const ending = new AbortController()
  const direct: Session = {
    ...deps,
    keys: keysOf(access),
    endpoint: access.endpoint ?? null,
    turn: turns(atOnce),
    signal: ending.signal,
    until: deps.now().getTime() + longestMs,
  }
  const session = access.roleArn === null ? direct : { ...direct, keys: await assumed(direct, access, home) }
  const { accountId, arn } = await identityOf(session, home)
  if (access.accountId !== null && access.accountId !== accountId) {
    throw new UnreadableSource('auth', `The credentials belong to account ${accountId}, not to ${access.accountId}.`)
  }
  return { session, accountId, arn, home, end: () => ending.abort() }
}

/** Also refuses what would be part of an address or of a request, and has not the form of it. */
function homeOf({ roleArn, accountId, endpoint }: AwsAccess, regions: readonly string[]): string {
  if (!regions.every(isRegion)) throw new UnreadableSource('failed', 'A region has not the form of one: eu-west-1.')
  if (endpoint && !URL.canParse(endpoint)) throw new UnreadableSource('unreachable', 'The endpoint is not an address.')
  const [, partition, account] = roleForm.exec(roleArn ?? '') ?? []
  if (roleArn !== null && !account) throw new UnreadableSource('auth', 'The role is not the ARN of one.')
  if (account && accountId && account !== accountId) {
    throw new UnreadableSource('auth', `The role belongs to account ${account}, not to ${accountId}.`)
  }
  if (endpoint && regions[0]) return regions[0]
  return homeRegions[(partition as Partition | undefined) ?? partitionOf(regions[0] ?? '')]
}

/** Id and token are sent in headers, and the id among commas and slashes. */
function keysOf({ accessKeyId, secretAccessKey, sessionToken }: Keys): Keys {
  if (!/^[\w.+=@-]{1,128}$/.test(accessKeyId) || !/^[\x21-\x7e]*$/.test(sessionToken ?? '') || secretAccessKey === '') {
    throw new UnreadableSource('auth', 'The access key has not the form of one.')
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

async function assumed(session: Session, { roleArn, externalId }: AwsAccess, home: string): Promise<Keys> {
  const params = {
    RoleArn: roleArn,
    RoleSessionName: 'atrium',
    DurationSeconds: sessionSeconds,
    ...(externalId !== null && { ExternalId: externalId }),
  }
  const hint = 'its trust policy must name our principal and the external id'
  const answer = await whole(`The role cannot be taken on; ${hint}`, () => ask(session, 'sts:AssumeRole', home, params))
  return whole('The role cannot be taken on', async () => ({
    accessKeyId: needed(answer, 'Credentials.AccessKeyId'),
    secretAccessKey: needed(answer, 'Credentials.SecretAccessKey'),
    sessionToken: tokenIn(answer),
  }))
}

/** Longer than any text that is kept. */
function tokenIn(answer: unknown): string {
  const token = value(answer, 'Credentials.SessionToken')
  if (typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)) return token
  throw new AwsFault('malformed', 'an answer lacks a session token')
}

export async function identityOf(session: Session, home: string): Promise<{ accountId: string; arn: string }> {
  return whole('The credentials are not accepted', async () => {
    const answer = await ask(session, 'sts:GetCallerIdentity', home)
    return { accountId: needed(answer, 'Account'), arn: needed(answer, 'Arn') }
  })
}

/** Without this nothing can be read at all. */
async function whole<T>(text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof AwsFault)) throw thrown
    const isRefusal = thrown.code === 'auth' || thrown.code === 'forbidden'
    throw new UnreadableSource(
      isRefusal ? 'auth' : thrown.code,
      `${isRefusal ? text : 'AWS cannot be asked who reads it'}: ${thrown.message}.`,
    )
  }
}
