// Tells which rights the credentials have, lack, and have though nobody who only reads needs them.
import { ask, type Params } from './asking.ts'
import { type Action, callOf } from './calls.ts'
import { type AwsAccess, type Opened, openAccess } from './credentials.ts'
import { AwsFault } from './faults.ts'
import { listed } from './listing.ts'
import { each } from './reader.ts'
import type { Reading } from './reading.ts'
import { dangerousRights, neededRights, policyDocument } from './rights.ts'
import { text } from './shapes.ts'

export type Rights = {
  accountId: string
  present: string[]
  missing: string[]
  tooMany: string[]
  /** Those of which nobody could tell. */
  unknown: string[]
  /** Exactly what is needed, to paste. */
  policy: string
}

/** Throws `UnreadableSource` where the credentials let nobody in. */
export async function validateAws(access: AwsAccess, reading: Reading): Promise<Rights> {
  const opened = await openAccess(access, reading.regions, reading)
  const told = isRoot(opened) ? all('allowed') : await simulated(opened, access)
  if (told) return sorted(opened, told)
  const tried = new Map<string, Verdict>([['iam:SimulatePrincipalPolicy', 'denied']])
  const others = neededRights.filter(action => !tried.has(action))
  await each(others, async action => void tried.set(action, await tryOut(opened, action, reading.regions)))
  return sorted(opened, tried)
}

type Verdict = 'allowed' | 'denied' | 'unknown'

/** What AWS never keeps from anybody is there; without a verdict nobody knows. */
function sorted({ accountId }: Opened, verdicts: ReadonlyMap<string, Verdict>): Rights {
  const those = (among: readonly string[], verdict: Verdict) =>
    among.filter(action => (verdicts.get(action) ?? 'unknown') === verdict)
  return {
    accountId,
    present: those(neededRights, 'allowed'),
    missing: those(neededRights, 'denied'),
    tooMany: those(dangerousRights, 'allowed'),
    unknown: [...those(neededRights, 'unknown'), ...those(dangerousRights, 'unknown')],
    policy: policyDocument(),
  }
}

/** The user that the account was opened with may do everything, and cannot be simulated. */
function isRoot({ arn }: Opened): boolean {
  return /^arn:[\w-]+:iam::\d{12}:root$/.test(arn)
}

function all(verdict: Verdict): Map<string, Verdict> {
  return new Map([...neededRights, ...dangerousRights].map(action => [action, verdict]))
}

/** Null where the simulation is refused. */
async function simulated(opened: Opened, access: AwsAccess): Promise<Map<string, Verdict> | null> {
  const source = access.roleArn ?? principalOf(opened.arn)
  if (source === null) return null
  const asked = [...neededRights, ...dangerousRights].map((action, at) => [`ActionNames.member.${at + 1}`, action])
  const params: Params = { PolicySourceArn: source, ...Object.fromEntries(asked) }
  const verdicts = new Map<string, Verdict>()
  try {
    for await (const one of listed(opened.session, 'iam:SimulatePrincipalPolicy', opened.home, params)) {
      const [action, decision] = [text(one, 'EvalActionName'), text(one, 'EvalDecision')]
      if (action && decision) verdicts.set(action, decision === 'allowed' ? 'allowed' : 'denied')
    }
    return verdicts
  } catch (thrown) {
    if (thrown instanceof AwsFault) return null
    throw thrown
  }
}

/** A session of a role has another name than its role; a role in a folder cannot be told by it, which is refused then. */
function principalOf(arn: string): string | null {
  const [, partition, account, role] = /^arn:([\w-]+):sts::(\d{12}):assumed-role\/([^/]+)\//.exec(arn) ?? []
  if (role) return `arn:${partition}:iam::${account}:role/${role}`
  return /^arn:[\w-]+:iam::\d{12}:user\//.test(arn) ? arn : null
}

/** Asks for as little as there is, or for something that is not there: only a refusal is one. */
async function tryOut({ session, home }: Opened, action: Action, regions: readonly string[]): Promise<Verdict> {
  const { list: listing, trial = {}, isVague } = callOf(action)
  if (isVague) return 'unknown'
  const [size, , least] = listing?.size ?? []
  const region = regions[0] ?? home
  try {
    await ask(session, action, region, size === undefined ? trial : { ...trial, [size]: least })
    return 'allowed'
  } catch (thrown) {
    if (!(thrown instanceof AwsFault)) throw thrown
    if (thrown.code === 'forbidden') return 'denied'
    const isAnswered = thrown.code === 'failed' && thrown.reason !== 'server' && thrown.reason !== ''
    return isAnswered ? 'allowed' : 'unknown'
  }
}
