// A code proves the address, not an attempt: of several pending accounts only one, or none of them, remains.
import { badRequest } from '../../contract/errors.ts'
import type { Input } from '../../contract/operation.ts'
import type { Context } from '../../kit/context.ts'
import * as invites from '../workspace_members/invites/store.ts'
import { endAccounts, openAccount, takeInvite } from './accounts.ts'
import { judgeCode, wrongCode } from './codes.ts'
import type { accounts } from './contract.ts'
import { confirmChange, isChangingTo } from './email_changes.ts'
import { openSession } from './logins.ts'
import * as store from './store.ts'

type Verification = Input<(typeof accounts.operations)['auth.verifyEmail']>

type Judged = { changing: string | null; digest: string }

export async function prepareVerification(ctx: Context, { code, email }: Verification): Promise<Judged> {
  const changing = await isChangingTo(ctx, email)
  return { changing, digest: await judgeCode(ctx, purposeOf(changing), email, code) }
}

/** Of a changed address only the account that asked for it has the code. */
function purposeOf(changing: string | null): string {
  return changing === null ? 'verify' : `change:${changing}`
}

export async function completeVerification(ctx: Context, { email }: Verification, { changing, digest }: Judged) {
  const { db, note, now } = ctx
  await store.lockAddresses(db, [email])
  const pending = (await store.findPending(db, email)).map(account => account.id)
  await store.lockUsers(db, changing === null ? pending : [changing, ...pending])
  if (!(await store.spendCode(db, purposeOf(changing), email, digest, now()))) throw badRequest(wrongCode)
  if (await store.findVerified(db, email)) throw badRequest(wrongCode)
  if (changing !== null) {
    note({ also: await endAccounts(db, others(pending, changing), now()) })
    await confirmChange(ctx, changing, email)
    return { token: await openSession(ctx, changing) }
  }
  const user = await provenAccount(ctx, email)
  const invitedTo = user.inviteHash ? await invites.workspaceOfInvite(db, user.inviteHash) : undefined
  const ended = await endAccounts(db, others(pending, user.id), now(), invitedTo === undefined ? [] : [invitedTo])
  const joined = user.inviteHash ? await takeInvite(ctx, user.inviteHash, user) : []
  note({ also: [...ended, ...joined] })
  return { token: await openSession(ctx, user.id) }
}

/** The caller's own pending account, else the only one, else a fresh one that none of the attempts can open. */
async function provenAccount({ db, caller, now }: Context, email: string): Promise<store.Account> {
  const pending = await store.findPending(db, email)
  if (pending.length === 0) throw badRequest(wrongCode)
  const own = caller?.credential === 'session' ? pending.find(account => account.id === caller.ownerId) : undefined
  const chosen = own ?? (pending.length === 1 ? pending[0] : undefined)
  const nobodys = { email, passwordHash: null, ref: null, inviteHash: null }
  const account = chosen ?? (await openAccount(db, nobodys, now()))
  const proof = { provenEmail: account.email, verifiedAt: now().toISOString() }
  const user = await store.updateUser(db, account.id, proof, now())
  if (!user) throw badRequest(wrongCode)
  return user
}

function others(ids: readonly string[], except: string): string[] {
  return ids.filter(id => id !== except)
}
