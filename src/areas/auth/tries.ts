// How often a password or a code may be tried, and a mail be asked for; counted before anything is judged.
import { slowDown } from '../../contract/errors.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { Context } from '../../kit/context.ts'
import type { Settings } from '../../kit/settings.ts'
import { countTry, forgetTries, numberTry, refundTry } from '../../kit/tries.ts'

type Counting = Pick<Context, 'db' | 'now' | 'settings'>
type FromSource = Counting & Pick<Context, 'origin'>

const quarter = 900
const hour = 3_600
const day = 86_400

export const limits = {
  loginPerSource: { limit: 10, seconds: quarter },
  loginPerName: { limit: 100, seconds: hour },
  codePerSource: { limit: 5, seconds: day },
  codeInAll: { limit: 50, seconds: day },
  codePerAddress: { limit: 200, seconds: hour },
  mailPerMinute: { limit: 1, seconds: 60 },
  mailPerHour: { limit: 5, seconds: hour },
  mailPerDay: { limit: 60, seconds: day },
  emailChanges: { limit: 10, seconds: day },
}

/** Keyed digests, so that the counters say nothing about people and may outlive their accounts. */
export function tryKey(settings: Settings, ...parts: readonly string[]): string {
  return settings.sign('try', JSON.stringify(parts))
}

/** What was typed to log in, or whose password is asked for again: nobody can type the latter. */
type Tried = string | { userId: string }

function loginKeys({ settings, origin }: Pick<Context, 'settings' | 'origin'>, tried: Tried): [string, string] {
  const parts = typeof tried === 'string' ? ['login', tried.toLowerCase()] : ['password', tried.userId]
  return [tryKey(settings, ...parts, sourceOf(origin.address)), tryKey(settings, ...parts)]
}

export async function spendLoginTry(ctx: FromSource, tried: Tried): Promise<void> {
  const { db, now } = ctx
  const [fromSource, inAll] = loginKeys(ctx, tried)
  const isWithin =
    (await countTry(db, fromSource, limits.loginPerSource, now())) &&
    (await countTry(db, inAll, limits.loginPerName, now()))
  if (!isWithin) throw slowDown('Too many tries; wait a quarter of an hour, or reset the password.', quarter)
}

/** A right password does not count. */
export async function refundLoginTry(ctx: FromSource, tried: Tried): Promise<void> {
  for (const key of loginKeys(ctx, tried)) await refundTry(ctx.db, key)
}

/** Whoever has proven the address may log in at once, however often others tried. */
export async function forgetLoginTries(ctx: FromSource, name: string): Promise<void> {
  await forgetTries(ctx.db, loginKeys(ctx, name))
}

type CodeTry = { isAllowed: boolean; isLast: boolean }

/**
 * One try at a code. A source is stopped first, so that it alone can use up neither what all have together nor the
 * address's hour.
 */
export async function takeCodeTry(
  { db, now, settings, origin }: FromSource,
  codeId: string,
  address: string,
): Promise<CodeTry> {
  const fromSource = tryKey(settings, 'code', codeId, sourceOf(origin.address))
  const own = await numberTry(db, fromSource, limits.codePerSource, now())
  if (own === null) return { isAllowed: false, isLast: true }
  const all = await numberTry(db, tryKey(settings, 'code', codeId), limits.codeInAll, now())
  if (all === null) return { isAllowed: false, isLast: true }
  const isAllowed = await countTry(db, tryKey(settings, 'address', address), limits.codePerAddress, now())
  return { isAllowed, isLast: own >= limits.codePerSource.limit || all >= limits.codeInAll.limit }
}

/** At most one a minute and five an hour per address and source, sixty a day per address; beyond that silently none. */
export async function mayMail({ db, now, settings }: Counting, email: string, source: string): Promise<boolean> {
  const address = email.toLowerCase()
  return (
    (await countTry(db, tryKey(settings, 'mail', 'minute', address, source), limits.mailPerMinute, now())) &&
    (await countTry(db, tryKey(settings, 'mail', 'hour', address, source), limits.mailPerHour, now())) &&
    (await countTry(db, tryKey(settings, 'mail', 'day', address), limits.mailPerDay, now()))
  )
}

/** Each change mails two addresses, one of them a stranger's. */
export async function spendEmailChange({ db, now, settings }: Counting, userId: string): Promise<void> {
  if (await countTry(db, tryKey(settings, 'email_change', userId), limits.emailChanges, now())) return
  throw slowDown('The address was changed too often today; try again tomorrow.', day)
}
