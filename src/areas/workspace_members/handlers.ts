// Carries out the operations on members and invites: nobody gives what they do not have.
import { badRequest, conflict, forbidden, notFound, slowDown, unauthorized } from '../../contract/errors.ts'
import { outranks, type Role, roleScopes, roles, scopesHeld, scopesLacking } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Access, Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement, staged } from '../../kit/implement.ts'
import { notify } from '../../kit/notify.ts'
import { found } from '../../kit/outcomes.ts'
import { leaveOwned, ownedBy } from '../../kit/owned_records.ts'
import { newId } from '../../kit/random.ts'
import { existing as existingRecords } from '../../kit/references.ts'
import { newToken, tokenHash } from '../../kit/tokens.ts'
import { countTry } from '../../kit/tries.ts'
import { directory } from '../../operations.ts'
import { removeGrantsIn } from '../oauth_clients/store.ts'
import { teamsOf } from '../teams/store.ts'
import * as owners from '../workspaces/owners/store.ts'
import * as workspaces from '../workspaces/store.ts'
import { isMemberAddress } from './addresses/store.ts'
import { InviteId, workspaceMembers } from './contract.ts'
import * as invites from './invites/store.ts'
import * as mails from './mails.ts'
import * as store from './store.ts'

const dayMs = 86_400_000
const daySeconds = 86_400
/** Enough for a whole company to move in, and too few to be worth anything to a sender of junk. */
const mailsPerUser = { limit: 100, seconds: daySeconds }
const mailsPerWorkspace = { limit: 300, seconds: daySeconds }
const resendDays = 7

export default implement(workspaceMembers, {
  'workspace_members.list': ({ db }, { workspaceId, ...query }) => store.pageOfMembers(db, query, workspaceId),

  'workspace_members.get': ({ db }, { workspaceId, userId }) => existing(db, workspaceId, userId),

  'workspace_members.patch': async (ctx, { workspaceId, userId, ...fields }) => {
    const { db, now, note } = ctx
    await store.lockWorkspace(db, workspaceId)
    const { caller, access } = await standingNow(ctx)
    const before = await existing(db, workspaceId, userId)
    note({ before, target: { object: 'workspace_member', id: userId } })
    refuseAbove(access, before.position)
    if (Object.keys(fields).length === 0) {
      note({ unchanged: true })
      return before
    }
    if (fields.scopes) fields.scopes = [...new Set(fields.scopes)]
    if (fields.scopes !== undefined && userId === caller.userId) throw forbidden('Nobody changes their own scopes.')
    const after = { ...before, ...fields }
    if (after.position !== before.position) refuseGiving(caller, access, after.position)
    refuseMissing(caller, scopesLacking(worthOf(before), scopesHeld(worthOf(after))))
    const losesOwner =
      before.position === 'owner' && ((fields.position ?? 'owner') !== 'owner' || fields.status === 'suspended')
    if (losesOwner && before.status === 'active') await refuseLastOwner(db, workspaceId)
    await store.updateMember(db, workspaceId, userId, fields, now())
    // What the member could not give now, the invites of the member do not give either.
    const above = roles.filter(role => scopesLacking(worthOf(after), roleScopes[role]).length > 0)
    await invites.revokeInvitesBy(db, workspaceId, userId, above, now())
    if (losesOwner) await owners.renameOwnersOf(db, workspaceId, userId, now())
    if (after.position !== before.position) {
      const target = { object: 'workspace_member', id: userId }
      const facts = { position: after.position }
      await notify(ctx, { type: 'workspace_members.patch', to: userId, workspaceId, target, facts })
    }
    return await existing(db, workspaceId, userId)
  },

  'workspace_members.del': async (ctx, { workspaceId, userId, preview = false }) => {
    const { db, now, note } = ctx
    await store.lockWorkspace(db, workspaceId)
    const { caller, access } = await standingNow(ctx)
    const before = await existing(db, workspaceId, userId)
    if (userId !== caller.userId) refuseAbove(access, before.position)
    if (before.position === 'owner' && before.status === 'active') await refuseLastOwner(db, workspaceId)
    const owned = await ownedBy(db, directory, userId, workspaceId)
    const takesAlong = {
      apiKeys: owned.filter(({ object }) => object === 'api_key').map(({ id, title }) => ({ id, name: title })),
      records: owned.map(({ object, id, title, ends, isPrivate }) => ({
        object,
        id,
        title: isPrivate && userId !== caller.userId ? 'Private' : title,
        ends,
      })),
      teams: await teamsOf(db, workspaceId, userId),
      invites: await invites.countInvitesBy(db, workspaceId, userId, now()),
    }
    note(preview ? { unchanged: true } : { before, target: { object: 'workspace_member', id: userId } })
    if (!preview) {
      await owners.renameOwnersOf(db, workspaceId, userId, now())
      await store.lockMember(db, workspaceId, userId)
      await removeGrantsIn(db, workspaceId, userId)
      await leaveOwned(db, directory, [userId], workspaceId, now())
      await invites.revokeInvitesBy(db, workspaceId, userId, roles, now())
      await store.deleteMembers(db, [userId], workspaceId)
      await notify(ctx, { type: 'workspace_members.del', to: userId, workspaceId })
    }
    return { workspaceId, userId, _object: 'workspace_member' as const, isPreview: preview, takesAlong }
  },

  'workspace_members.invites.list': ({ db, now }, { workspaceId, ...query }) =>
    invites.pageOfInvites(db, query, workspaceId, now()),

  'workspace_members.invites.post': staged(
    async (ctx, { email = null, position }) => {
      refuseInviting(ctx.caller, ctx.access, position)
      if (email !== null) await spendMail(ctx)
    },
    async (ctx, input) => {
      const { db, caller, now } = ctx
      if (caller.userId !== null && !(await workspaces.keepUser(db, caller.userId))) {
        throw unauthorized('The account has ended.')
      }
      const { workspaceId, position, email = null, teamIds = [], maxUses = 1, expiresInDays = 7 } = input
      if (email !== null && (await isMemberAddress(db, workspaceId, email))) {
        throw conflict('That person is a member of this workspace already.', { state: 'member' })
      }
      const teams = [...new Set(teamIds)]
      const known = await existingRecords(db, directory, workspaceId, 'team', teams)
      const unknown = teams.find(team => !known.has(team))
      if (unknown !== undefined) throw badRequest(`"teamIds" names ${unknown}, which is no team of this workspace.`)
      if (email !== null && maxUses > 1) throw badRequest('"maxUses" is for open links; a mailed invite has one use.')
      const token = newToken('inv')
      const expiresAt = new Date(now().getTime() + expiresInDays * dayMs).toISOString()
      const fields = { id: newId(InviteId), workspaceId, email, position, teamIds: teams, maxUses, expiresAt }
      const invite = await invites.insertInvite(db, { ...fields, createdBy: caller.userId }, tokenHash(token), now())
      await mailInvite(ctx, invite, token)
      return { ...invite, token }
    },
  ),

  'workspace_members.invites.resend': staged(
    async (ctx, { workspaceId, inviteId }) => {
      if (await mails.isMailed(ctx.db, workspaceId, inviteId)) await spendMail(ctx)
    },
    async (ctx, { workspaceId, inviteId }) => {
      const { db, caller, access, now, note } = ctx
      const before = await existingInvite(db, workspaceId, inviteId, now())
      note({ before, target: { object: 'invite', id: inviteId } })
      refuseInviting(caller, access, before.position)
      if (before.status === 'revoked' || before.status === 'accepted') {
        throw conflict(`The invite is ${before.status}; make a new one.`, { state: before.status })
      }
      const token = newToken('inv')
      const expiresAt = new Date(now().getTime() + resendDays * dayMs)
      const invite = await invites.renewInvite(db, inviteId, tokenHash(token), expiresAt, now())
      await mailInvite(ctx, invite, token)
      return { ...invite, token }
    },
  ),

  'workspace_members.invites.del': async ({ db, now, note }, { workspaceId, inviteId }) => {
    const before = await existingInvite(db, workspaceId, inviteId, now())
    note({ before, target: { object: 'invite', id: inviteId } })
    if (!(await invites.revokeInvite(db, workspaceId, inviteId, now()))) throw notFound('invite')
    return { workspaceId, inviteId, _object: 'invite' as const }
  },

  'workspace_members.invites.preview': ({ db, now }, { token }) =>
    found(invites.previewByHash(db, tokenHash(token), now()), 'invite'),

  'workspace_members.invites.accept': async ({ db, caller, now, note }, { token }) => {
    const user = await invites.provenUser(db, caller.ownerId)
    if (!user?.isVerified) throw forbidden('Verify your e-mail address first; then accept the invite.')
    const invite = await invites.findGoodInvite(db, tokenHash(token), user.provenEmail, now())
    if (!invite) throw notFound('invite')
    if (await store.findMember(db, invite.workspaceId, user.id)) {
      throw conflict('You are a member of this workspace already.', { workspaceId: invite.workspaceId })
    }
    note({ workspaceId: invite.workspaceId, target: { object: 'workspace_member', id: user.id } })
    const member = await invites.acceptByHash(db, tokenHash(token), user, now())
    if (!member) throw notFound('invite')
    if (member.position === 'viewer') note({ addsNothing: true })
    return member
  },
})

function existing(db: Db, workspaceId: string, userId: string): Promise<store.MemberRow> {
  return found(store.findMember(db, workspaceId, userId), 'member')
}

function existingInvite(db: Db, workspaceId: string, id: string, now: Date): Promise<invites.InviteRow> {
  return found(invites.findInvite(db, workspaceId, id, now), 'invite')
}

/** Whoever waited for the lock may have been demoted or removed meanwhile: what counts is what they are now. */
async function standingNow({ db, caller, access }: { db: Db; caller: Caller; access: Access }) {
  if (caller.userId === null) return { caller, access }
  const role = await workspaces.positionOf(db, access.workspaceId, caller.userId)
  if (role === undefined) throw forbidden('You are no longer a member of this workspace.')
  return { caller: { ...caller, role }, access: { ...access, role } }
}

function refuseAbove(access: Access, position: Role): void {
  if (outranks(position, access.role)) throw forbidden(`Your role ${access.role} stands below ${position}.`)
}

/** What runs a workspace is given by a person who is signed in, and by nobody below it. */
function refuseGiving(caller: Caller, access: Access, position: Role): void {
  refuseAbove(access, position)
  const isHigh = position === 'owner' || position === 'admin'
  if (isHigh && caller.credential !== 'session')
    throw forbidden(`Making somebody ${position} needs a signed-in person.`)
}

function refuseInviting(caller: Caller, access: Access, position: Role): void {
  refuseGiving(caller, access, position)
  refuseMissing(caller, roleScopes[position])
}

/** A credential with few scopes must not make a person who has more, and who could then be used in its place. */
function refuseMissing(caller: Caller, given: Iterable<Scope>): void {
  const missing = scopesLacking(caller, given)
  if (missing.length > 0) {
    throw forbidden(`You do not hold ${missing.join(', ')} yourself, so you cannot give it.`, {
      reason: 'scope',
      missing,
    })
  }
}

function worthOf({ position, scopes, status }: store.MemberRow): { role: Role | null; scopes: Scope[] | null } {
  return { role: status === 'active' ? position : null, scopes }
}

async function refuseLastOwner(db: Db, workspaceId: string): Promise<void> {
  if ((await store.countOwners(db, workspaceId)) <= 1) {
    throw conflict('A workspace needs an owner; make somebody else owner first.', { state: 'last_owner' })
  }
}

/**
 * Each mailed invite writes to a stranger in our name: somebody with a proven address answers for it, and nobody sends
 * them by the thousand. For a key of a team or of the platform that is an owner of the workspace.
 */
async function spendMail(ctx: Pick<Context, 'db' | 'now' | 'settings'> & { caller: Caller; access: Access }) {
  const { caller, access } = ctx
  const { workspaceId } = access
  if (!(await mails.isAnsweredFor(ctx.db, workspaceId, caller.userId))) {
    throw forbidden('Inviting by mail needs a verified e-mail address; verify yours first, or make an open link.')
  }
  const isWithin =
    (await countTry(ctx, ['invites', 'by', caller.userId ?? `${workspaceId} ${caller.ownerId}`], mailsPerUser)) &&
    (await countTry(ctx, ['invites', 'in', workspaceId], mailsPerWorkspace))
  if (!isWithin) throw slowDown('Too many invites were mailed today; make an open link, or go on tomorrow.', daySeconds)
}

/** The token travels to the mail sealed: what a job is given is kept. */
async function mailInvite(
  { enqueue, settings }: Pick<Context, 'enqueue' | 'settings'>,
  invite: invites.InviteRow,
  token: string,
): Promise<void> {
  if (invite.email === null) return
  const sealed = settings.seal('invite mail', token, invite.id)
  await enqueue('workspace_members.mailInvite', { inviteId: invite.id, workspaceId: invite.workspaceId, token: sealed })
}
