// Sign-up: each attempt is a pending account of its own, until a code proves the address.
import { slowDown, unauthorized } from '../../contract/errors.ts'
import type { Input } from '../../contract/operation.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { BeforeContext, Context } from '../../kit/context.ts'
import { Outdated } from '../../kit/implement.ts'
import { oneByOne } from '../../kit/one_by_one.ts'
import { hashPassword } from '../../kit/passwords.ts'
import { tokenHash } from '../../kit/tokens.ts'
import * as invites from '../workspace_members/invites/store.ts'
import { mostPending, openAccount, shown, takeInvite } from './accounts.ts'
import { passesBotCheck } from './bot_check.ts'
import type { accounts } from './contract.ts'
import { openSession, ownerOfPassword, wrongLogin } from './logins.ts'
import * as store from './store.ts'
import { refundLoginTry, spendLoginTry } from './tries.ts'

type Signup = Input<(typeof accounts.operations)['auth.signup']>

/** Either the account that the password opens, or the hash for a new one; and whose password it was found not to be. */
type Prepared = {
  accountId: string | null
  passwordHash: string | null
  inviteHash: string | null
  others: readonly string[]
}

const passed = new WeakSet<Signup>()

/** Of one address one after the other: each try at a password counts until it is judged. */
const perAddress = oneByOne()

export async function prepareSignup(ctx: Context & BeforeContext, signup: Signup): Promise<Prepared> {
  const { email, turnstileToken } = signup
  // A token passes once, while a sign-up may be prepared twice.
  if (!passed.has(signup) && !(await passesBotCheck(ctx, turnstileToken))) {
    throw unauthorized('The bot check failed; reload the page and try again.')
  }
  passed.add(signup)
  return await perAddress(email.toLowerCase(), () => judgeSignup(ctx, signup))
}

async function judgeSignup(ctx: Context, signup: Signup): Promise<Prepared> {
  const { email, password } = signup
  const inviteHash = await goodInvite(ctx, signup)
  const known = await store.findByAddress(ctx.db, email)
  const isVerified = known.some(account => account.verifiedAt !== null)
  if (!isVerified) refuseClosed(ctx, inviteHash)
  if (known.length > 0) {
    await spendLoginTry(ctx, email)
    const account = await ownerOfPassword(known, password)
    if (account) {
      await refundLoginTry(ctx, email)
      return { accountId: account.id, passwordHash: null, inviteHash, others: [] }
    }
    if (isVerified) throw unauthorized(wrongLogin)
  }
  const others = known.map(({ id }) => id)
  return { accountId: null, passwordHash: await hashPassword(password), inviteHash, others }
}

/** One that is unknown, revoked, expired or somebody else's is ignored. */
async function goodInvite({ db, now }: Context, { email, inviteToken }: Signup): Promise<string | null> {
  if (!inviteToken) return null
  const hash = tokenHash(inviteToken)
  return (await invites.findGoodInvite(db, hash, email, now())) ? hash : null
}

function refuseClosed({ settings }: Context, inviteHash: string | null): void {
  if (settings.signups === 'closed') throw unauthorized('Sign-up is closed here; ask the operator for an account.')
  if (settings.signups === 'invite' && inviteHash === null) {
    throw unauthorized('Sign-up is by invitation here; ask a member of a workspace to invite you.')
  }
}

export async function completeSignup(ctx: Context, { email, ref }: Signup, prepared: Prepared) {
  const { db, enqueue, note, now, origin } = ctx
  const { accountId, inviteHash } = prepared
  await store.lockAddresses(db, [email])
  const user =
    accountId === null ? await beginAccount(ctx, email, ref, prepared) : await store.findUserForUpdate(db, accountId)
  // It may have ended while the password was looked at.
  if (!user) throw unauthorized(wrongLogin)
  if (user.verifiedAt === null) {
    if (inviteHash && accountId !== null) await store.updateUser(db, user.id, { inviteHash }, now())
    await enqueue('auth.mailVerification', { email, source: sourceOf(origin.address) })
  } else if (inviteHash) {
    note({ also: await takeInvite(ctx, inviteHash, user) })
  }
  return { user: shown(user), token: await openSession(ctx, user.id) }
}

async function beginAccount(
  { db, now }: Context,
  email: string,
  ref: string | undefined,
  { passwordHash, inviteHash, others }: Prepared,
): Promise<store.Account> {
  const known = await store.findByAddress(db, email)
  // Somebody signed up with the address or proved it since it was looked up: perhaps with this very password.
  if (known.some(({ id, verifiedAt }) => verifiedAt !== null || !others.includes(id))) throw new Outdated()
  if (known.length >= mostPending) throw tooManyPending()
  return await openAccount(db, { email, passwordHash, ref: shortRef(ref), inviteHash }, now())
}

export function tooManyPending() {
  return slowDown('This address is waiting to be verified; use the code that was mailed to it.', 3_600)
}

/** An invalid `ref` is dropped, not refused. */
function shortRef(ref: string | undefined): string | null {
  return ref !== undefined && /^[\w.-]{1,64}$/.test(ref) ? ref : null
}
