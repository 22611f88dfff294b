// Changing an address: it shows at once, counts once it is proven, and can be taken back from the old one.
import { badRequest } from '../../contract/errors.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { Context } from '../../kit/context.ts'
import { newId } from '../../kit/random.ts'
import { tokenHash } from '../../kit/tokens.ts'
import { endAccounts, mostPending } from './accounts.ts'
import { wrongCode } from './codes.ts'
import { EmailChangeId } from './contract.ts'
import { removeGrantsOf } from './grants/store.ts'
import { deleteSessions } from './sessions/store.ts'
import { tooManyPending } from './signup.ts'
import * as store from './store.ts'

/** The id of the caller's account where it is one that asked to change to this address. */
export async function isChangingTo({ db, caller }: Pick<Context, 'db' | 'caller'>, email: string) {
  if (caller?.credential !== 'session') return null
  const user = await store.findUser(db, caller.ownerId)
  return user && isAwaiting(user, email) ? user.id : null
}

function isAwaiting(user: store.Account, email: string): boolean {
  return user.verifiedAt !== null && !user.emailVerified && user.email?.toLowerCase() === email.toLowerCase()
}

type Changing = Pick<Context, 'db' | 'now' | 'enqueue' | 'origin'>

export async function changeEmail(ctx: Changing, user: store.Account, email: string | null): Promise<void> {
  const { db, now, enqueue, origin } = ctx
  const holder = email === null ? undefined : await store.findVerified(db, email)
  if (holder && holder.id !== user.id) throw badRequest('That address belongs to another account.')
  if (user.verifiedAt === null) return await movePending(ctx, user, email)
  const proven = email === null ? { provenEmail: null } : {}
  await store.updateUser(db, user.id, { email, ...proven }, now())
  // Back to the address that is proven already: there is nothing to prove and nothing to take back.
  if (holder) return
  if (email !== null) {
    await enqueue('auth.mailChange', { userId: user.id, email, source: sourceOf(origin.address) })
  }
  if (user.provenEmail !== null) {
    const change = { id: newId(EmailChangeId), userId: user.id, oldEmail: user.provenEmail, newEmail: email }
    await store.insertEmailChange(db, change, now())
    await enqueue('auth.mailUndo', { changeId: change.id, userId: user.id })
  }
}

/** A pending account has nothing that is proven: it simply waits for another address. */
async function movePending({ db, now, enqueue, origin }: Changing, user: store.Account, email: string | null) {
  if (email === null) throw badRequest('An account that is not verified needs its address.')
  await store.lockAddresses(db, [email])
  const others = (await store.findPending(db, email)).filter(account => account.id !== user.id)
  if (others.length >= mostPending) throw tooManyPending()
  await store.updateUser(db, user.id, { email }, now())
  await enqueue('auth.mailVerification', { email, source: sourceOf(origin.address) })
}

/** The new address counts from now on; whoever else was logged in is out. */
export async function confirmChange({ db, now, caller }: Context, userId: string, email: string): Promise<void> {
  const user = await store.findUserForUpdate(db, userId)
  // Changed again meanwhile: this code proves an address that nobody asks for any more.
  if (!user || !isAwaiting(user, email)) throw badRequest(wrongCode)
  await store.updateUser(db, userId, { provenEmail: user.email }, now())
  await deleteSessions(db, userId, caller?.credentialId ?? null)
}

export async function undoChange({ db, now, note }: Pick<Context, 'db' | 'now' | 'note'>, token: string) {
  const refusal = badRequest('This link was used or has expired.')
  const peeked = await store.peekEmailChange(db, tokenHash(token))
  if (!peeked) throw refusal
  const { userId, oldEmail } = peeked
  await store.lockAddresses(db, [oldEmail])
  const pending = (await store.findPending(db, oldEmail)).map(account => account.id)
  await store.lockUsers(db, [userId, ...pending])
  const change = await store.takeEmailChange(db, tokenHash(token), now())
  if (!change) throw refusal
  const holder = await store.findVerified(db, oldEmail)
  if (holder && holder.id !== userId) throw refusal
  const also = await endAccounts(db, pending, now())
  note({ actor: userId, target: { object: 'user', id: userId }, also })
  const user = await store.updateUser(db, userId, { email: oldEmail, provenEmail: oldEmail }, now())
  // Whoever took the address could have had a new password mailed to it; a reset from the old one sets another.
  const isSpoiled = user?.passwordChanged != null && user.passwordChanged >= change.created
  if (isSpoiled) await store.updateUser(db, userId, { passwordHash: null }, now())
  await deleteSessions(db, userId, null)
  await removeGrantsOf(db, [userId])
}
