// Carries out the operations on accounts; the longer ones have a file each.
import { badRequest, forbidden, unauthorized } from '../../contract/errors.ts'
import { sourceOf } from '../../kit/addresses.ts'
import { violates } from '../../kit/db_errors.ts'
import { implement, staged } from '../../kit/implement.ts'
import { patched } from '../../kit/outcomes.ts'
import { ownedBy } from '../../kit/owned_records.ts'
import { hashPassword, isPassword } from '../../kit/passwords.ts'
import { directory } from '../../operations.ts'
import * as teams from '../teams/store.ts'
import * as workspaces from '../workspaces/store.ts'
import { endAccounts, shown } from './accounts.ts'
import { judgeCode, wrongCode } from './codes.ts'
import { accounts } from './contract.ts'
import { changeEmail, isChangingTo, undoChange } from './email_changes.ts'
import grants from './grants/handlers.ts'
import { pageOfGrants, removeGrant, removeGrantsOf } from './grants/store.ts'
import inbox, { idsOf } from './inbox/handlers.ts'
import { shown as shownEntries } from './inbox/reading.ts'
import { allEntries, countUnread } from './inbox/store.ts'
import { accountsNamed, openSession, ownerOfPassword, wrongLogin } from './logins.ts'
import notificationSettings from './notification_settings/handlers.ts'
import { findSettings } from './notification_settings/store.ts'
import sessions, { shownSession } from './sessions/handlers.ts'
import { deleteSession, deleteSessions, pageOfSessions } from './sessions/store.ts'
import { completeSignup, prepareSignup } from './signup.ts'
import * as store from './store.ts'
import { forgetLoginTries, refundLoginTry, spendEmailChange, spendLoginTry } from './tries.ts'
import { completeVerification, prepareVerification } from './verification.ts'

const reserved = new Set(
  'admin administrator root system atrium support help security api www mail postmaster abuse me null undefined'.split(
    ' ',
  ),
)

const own = implement(accounts, {
  'auth.signup': staged(prepareSignup, completeSignup),

  'auth.verifyEmail': staged(prepareVerification, completeVerification),

  'auth.login': staged(
    async (ctx, { email, username, password }) => {
      if ((email === undefined) === (username === undefined)) {
        throw badRequest('Send either "email" or "username", and the password.')
      }
      const name = email ?? username ?? ''
      await spendLoginTry(ctx, name)
      const found = await ownerOfPassword(await accountsNamed(ctx.db, name), password)
      if (!found) throw unauthorized(wrongLogin)
      await refundLoginTry(ctx, name)
      return found.id
    },
    async (ctx, _, id) => {
      const token = await openSession(ctx, id)
      return { user: shown(await kept(store.findUser(ctx.db, id))), token }
    },
  ),

  'auth.logout': async ({ db, caller, note }) => {
    const isEnded =
      (caller?.credential === 'session' && (await deleteSession(db, caller.ownerId, caller.credentialId))) ||
      (caller?.credential === 'oauth' && (await removeGrant(db, caller.ownerId, caller.credentialId)))
    if (!isEnded) note({ unchanged: true })
    return { token: '' }
  },

  'auth.whoami': async ({ db, caller: { user, credential } }, { unread }) => {
    if (user === null)
      throw forbidden('This credential belongs to a team, an application or the platform, not to a person.')
    // The inbox is for who is signed in; a key or an application learns nothing of it.
    if (!unread || credential !== 'session') return user
    const memberships = await workspaces.standingsOf(db, user.id)
    return { ...user, unread: await countUnread(db, user.id, idsOf(memberships)) }
  },

  'auth.patch': staged(
    async (ctx, { email }) => {
      if (email === undefined) return
      const user = await kept(store.findUser(ctx.db, ctx.caller.ownerId))
      if (email !== user.email) await spendEmailChange(ctx, user.id)
    },
    async (ctx, { email, username, ...names }) => {
      const { db, caller, now, note } = ctx
      if (email) await store.lockAddresses(db, [email])
      const user = await kept(store.findUserForUpdate(db, caller.ownerId))
      note({ target: { object: 'user', id: user.id } })
      return await patched(note, shown(user), { email, username, ...names }, async () => {
        if (username && reserved.has(username.toLowerCase()))
          throw badRequest('That username is reserved; choose another.')
        if (email !== undefined && email !== user.email) await changeEmail(ctx, user, email)
        return shown(await takingUsername(kept(store.updateUser(db, user.id, { ...names, username }, now()))))
      })
    },
  ),

  'auth.del': async ({ db, caller, now, note }) => {
    note({ isErased: true, also: await endAccounts(db, [caller.ownerId], now()) })
    return { id: caller.ownerId, _object: 'user' as const }
  },

  'auth.generatePasswordResetCode': async ({ enqueue, origin }, { email }) => {
    await enqueue('auth.mailReset', { email, source: sourceOf(origin.address) })
    return { message: 'If the address belongs to an account, a code is on its way.' }
  },

  'auth.resendVerification': async (ctx, { email }) => {
    const source = sourceOf(ctx.origin.address)
    const userId = await isChangingTo(ctx, email)
    if (userId !== null) await ctx.enqueue('auth.mailChange', { userId, email, source })
    else await ctx.enqueue('auth.mailVerification', { email, source })
    return { message: 'If the address waits to be verified, a code is on its way.' }
  },

  'auth.resetPassword': staged(
    async (ctx, { code, email, password }) => {
      const digest = await judgeCode(ctx, 'reset', email, code)
      return { digest, passwordHash: await hashPassword(password) }
    },
    async (ctx, { email }, { digest, passwordHash }) => {
      const { db, now, enqueue, note } = ctx
      // The account before the code, as everywhere.
      const user = await store.findVerifiedForUpdate(db, email)
      if (!(await store.spendCode(db, 'reset', email, digest, now())) || !user) throw badRequest(wrongCode)
      note({ actor: user.id, target: { object: 'user', id: user.id } })
      await store.updateUser(db, user.id, { passwordHash, passwordChanged: now().toISOString() }, now())
      await deleteSessions(db, user.id, null)
      await removeGrantsOf(db, [user.id])
      await forgetLoginTries(ctx, email)
      await enqueue('auth.mailNotice', { userId: user.id, notice: 'password_reset' })
      return {}
    },
  ),

  'auth.changePassword': staged(
    async (ctx, { oldPassword, newPassword }) => {
      const { ownerId } = ctx.caller
      await spendLoginTry(ctx, { userId: ownerId })
      const user = await kept(store.findUser(ctx.db, ownerId))
      if (!(await isPassword(user.passwordHash, oldPassword))) throw badRequest('"oldPassword" is wrong.')
      await refundLoginTry(ctx, { userId: ownerId })
      return await hashPassword(newPassword)
    },
    async ({ db, caller, now, enqueue, note }, _, passwordHash) => {
      note({ target: { object: 'user', id: caller.ownerId } })
      const changed = { passwordHash, passwordChanged: now().toISOString() }
      const user = await kept(store.updateUser(db, caller.ownerId, changed, now()))
      await deleteSessions(db, user.id, caller.credentialId)
      // A reset that somebody else may have asked for must not undo the change.
      if (user.provenEmail !== null) await store.dropCodes(db, 'reset', user.provenEmail)
      await enqueue('auth.mailNotice', { userId: user.id, notice: 'password_changed' })
      return {}
    },
  ),

  'auth.undoEmailChange': async (ctx, { token }) => {
    await undoChange(ctx, token)
    return {}
  },

  'auth.export': async ({ db, caller, now }) => {
    const { ownerId } = caller
    const { items } = await pageOfSessions(db, { perPage: 100 }, ownerId, now())
    const standings = await workspaces.standingsOf(db, ownerId)
    const records = await ownedBy(db, directory, ownerId)
    const apiKeys = records.filter(({ object }) => object === 'api_key')
    return {
      user: shown(await kept(store.findUser(db, ownerId))),
      notificationSettings: await kept(findSettings(db, ownerId)),
      inbox: await shownEntries(db, await allEntries(db, ownerId, idsOf(standings)), standings),
      sessions: items.map(row => shownSession(row, caller)),
      memberships: await workspaces.membershipsOf(db, ownerId),
      teams: await teams.teamsOfUser(db, ownerId),
      apiKeys: apiKeys.map(({ id, workspaceId, title, created }) => ({ id, workspaceId, name: title, created })),
      records,
      emailChanges: await store.emailChangesOf(db, ownerId),
      grants: (await pageOfGrants(db, { perPage: 1000 }, ownerId, now())).items,
      activity: await store.activityOf(db, ownerId),
    }
  },
})

export default { ...own, ...sessions, ...notificationSettings, ...inbox, ...grants }

async function kept<T>(found: Promise<T | undefined>): Promise<T> {
  const record = await found
  if (record === undefined) throw unauthorized('The account has ended.')
  return record
}

async function takingUsername<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (error) {
    if (violates(error, 'users__username')) throw badRequest('That username is taken; choose another.')
    throw error
  }
}
