// How often a password or a code may be tried, and a mail be asked for; counted before anything is judged.
import { slowDown } from '../../contract/errors.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { Context } from '../../kit/context.ts'
import { type Counted, type Counting, countTry, forgetTries, numberTry, refundTry } from '../../kit/tries.ts'

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

/** What was typed to log in, or whose password is asked for again: nobody can type the latter. */
type Tried = string | { userId: string }

function loginsCounted({ origin }: Pick<Context, 'origin'>, tried: Tried): [Counted, Counted] {
  const inAll: Counted = typeof tried === 'string' ? ['login', tried.toLowerCase()] : ['password', tried.userId]
  return [[...inAll, sourceOf(origin.address)], inAll]
}

export async function spendLoginTry(ctx: FromSource, tried: Tried): Promise<void> {
  const [fromSource, inAll] = loginsCounted(ctx, tried)
  const isWithin =
    (await countTry(ctx, fromSource, limits.loginPerSource)) && (await countTry(ctx, inAll, limits.loginPerName))
  if (!isWithin) throw slowDown('Too many tries; wait a quarter of an hour, or reset the password.', quarter)
}

/** A right password does not count. */
export async function refundLoginTry(ctx: FromSource, tried: Tried): Promise<void> {
  for (const counted of loginsCounted(ctx, tried)) await refundTry(ctx, counted)
}

/** Whoever has proven the address may log in at once, however often others tried. */
export async function forgetLoginTries(ctx: FromSource, name: string): Promise<void> {
  await forgetTries(ctx, loginsCounted(ctx, name))
}

type CodeTry = { isAllowed: boolean; isLast: boolean }

const beyond: CodeTry = { isAllowed: false, isLast: false }

/**
 * One try at a code. A source is stopped first, so that it alone can use up neither what all have together nor the
 * address's hour. Only the last try within a limit may burn the code: one beyond it may be the same right code, sent
 * again while the first is still being judged.
 */
export async function takeCodeTry(ctx: FromSource, codeId: string, address: string): Promise<CodeTry> {
  const own = await numberTry(ctx, ['code', codeId, sourceOf(ctx.origin.address)], limits.codePerSource)
  if (own === null) return beyond
  const all = await numberTry(ctx, ['code', codeId], limits.codeInAll)
  if (all === null) return beyond
  const isAllowed = await countTry(ctx, ['address', address], limits.codePerAddress)
  return { isAllowed, isLast: own >= limits.codePerSource.limit || all >= limits.codeInAll.limit }
}

export type MailPurpose = 'verify' | 'reset' | 'change'

/**
 * At most one a minute and five an hour per purpose, address and source, sixty a day per address; beyond that silently
 * none.
 */
export async function mayMail(
  ctx: Counting,
  purpose: MailPurpose,
  { email, source }: { email: string; source: string },
): Promise<boolean> {
  const address = email.toLowerCase()
  return (
    (await countTry(ctx, ['mail', 'minute', purpose, address, source], limits.mailPerMinute)) &&
    (await countTry(ctx, ['mail', 'hour', purpose, address, source], limits.mailPerHour)) &&
    (await countTry(ctx, ['mail', 'day', address], limits.mailPerDay))
  )
}

/** Each change mails two addresses, one of them a stranger's. */
export async function spendEmailChange(ctx: Counting, userId: string): Promise<void> {
  if (await countTry(ctx, ['email_change', userId], limits.emailChanges)) return
  throw slowDown('The address was changed too often today; try again tomorrow.', day)
}
