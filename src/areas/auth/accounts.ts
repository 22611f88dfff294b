// How an account begins and how it ends, with all that belongs to it.
import type { Static } from 'typebox'
import { UserId, WorkspaceId } from '../../contract/ids.ts'
import type { Context, LedgerNote } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { leaveOwned } from '../../kit/owned_records.ts'
import { type Billing, isBeyond } from '../../kit/plans.ts'
import { newId } from '../../kit/random.ts'
import { underFreeSlug } from '../../kit/slugs.ts'
import { directory } from '../../operations.ts'
import * as invites from '../workspace_members/invites/store.ts'
import * as members from '../workspace_members/store.ts'
import { forgetAddressesOf } from '../workspaces/claims/store.ts'
import { findLimits, holdPlan } from '../workspaces/limits/store.ts'
import * as owners from '../workspaces/owners/store.ts'
import * as workspaces from '../workspaces/store.ts'
import type { User } from './contract.ts'
import { erasePersonal, eraseTraces, personsOf } from './erasure.ts'
import { removeGrantsOf } from './grants/store.ts'
import { putSettings } from './notification_settings/store.ts'
import * as store from './store.ts'

export const mostPending = 3

/** What happened to workspaces by the way: each shows in the ledger of its own. */
type Also = NonNullable<LedgerNote['also']>

export const defaultNotifications = {
  globalChannels: { web: true, email: true },
  preferences: {},
  updates: { digest: false, product: false, security: true },
}

export function shown(account: store.Account): Static<typeof User> {
  const { id, forename, surname, email, username, emailVerified, created, updated } = account
  return { id, forename, surname, email, username, emailVerified, created, updated }
}

function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'))
}

/** Named after the person, so it must not outlive the account under that name. */
function firstWorkspaceName(email: string): string {
  return `${localPartOf(email).slice(0, 50)}'s workspace`
}

type Beginning = Pick<store.NewUser, 'email' | 'passwordHash' | 'ref' | 'inviteHash'>

/** A pending account with its settings and a first workspace: nobody starts with nothing. */
export async function openAccount(db: Db, beginning: Beginning, now: Date): Promise<store.Account> {
  const id = newId(UserId)
  const forename = localPartOf(beginning.email)
  await store.insertUser(db, { id, forename, ...beginning }, now)
  await putSettings(db, id, defaultNotifications, now)
  const workspace = {
    id: newId(WorkspaceId),
    name: firstWorkspaceName(beginning.email),
    description: null,
    ownerId: id,
  }
  await underFreeSlug(forename, slug => workspaces.insertUnlessTaken(db, { ...workspace, slug }, now))
  return (await store.findUser(db, id)) as store.Account
}

/**
 * Complete and at once: a workspace where nobody else is left goes too, another passes to whoever should follow.
 * `alsoLocked` are workspaces that the caller goes on to change, so that all are locked in one order.
 */
export async function endAccounts(
  db: Db,
  ids: readonly string[],
  now: Date,
  alsoLocked: readonly string[] = [],
): Promise<Also> {
  if (ids.length === 0) return []
  await store.lockAddresses(db, (await personsOf(db, ids)).addresses)
  await store.lockUsers(db, ids)
  const person = await personsOf(db, ids)
  await owners.lockAllOf(db, ids, alsoLocked)
  const memberships = await owners.membersAmong(db, ids)
  const orphaned = await owners.orphanedBy(db, ids)
  const ending = orphaned.filter(workspace => workspace.heirId === null).map(workspace => workspace.id)
  const inherited = orphaned.filter(workspace => workspace.heirId !== null)
  for (const { id, heirId } of inherited) if (heirId !== null) await owners.handOver(db, id, heirId, now)
  const firstNames = person.addresses.map(firstWorkspaceName)
  await owners.forgetNames(
    db,
    inherited.map(({ id }) => id),
    firstNames,
    now,
  )
  await removeGrantsOf(db, ids)
  await workspaces.remove(db, ending)
  await owners.renameOwners(db, ids, now)
  await leaveOwned(db, directory, ids, null, now)
  await members.deleteMembers(db, ids, null)
  await forgetAddressesOf(db, ids)
  await store.deleteUsers(db, ids)
  await erasePersonal(db, person)
  await eraseTraces(db, person, firstNames)
  return [
    ...memberships
      .filter(({ workspaceId }) => !ending.includes(workspaceId))
      .map(({ workspaceId, userId }) => {
        const target = { object: 'workspace_member', id: userId }
        return { workspaceId, action: 'workspace_members.del', target }
      }),
    ...inherited.map(({ id }) => {
      return { workspaceId: id, action: 'workspaces.patch', target: { object: 'workspace', id } }
    }),
  ]
}

/** Where the plan has no seat left the account is made all the same, and the invite waits. */
async function hasRoom(db: Db, billing: Billing | null, hash: string, userId: string): Promise<boolean> {
  const seat = billing ? await invites.holdSeatOfInvite(db, hash, userId) : undefined
  if (!seat?.takesSeat) return true
  const { workspaceId } = seat
  const { members: limit } = await findLimits(db, billing, workspaceId)
  if (limit < 0) return true
  await holdPlan(db, workspaceId, 'members')
  return !isBeyond(limit, (await members.seatsUsed(db, workspaceId)) + 1)
}

/** An invite that is no longer good is passed over; one that is shows in the ledger of its workspace. */
export async function takeInvite(
  { db, now, settings }: Pick<Context, 'db' | 'now' | 'settings'>,
  hash: string,
  user: store.Account,
): Promise<Also> {
  if (!(await hasRoom(db, settings.billing, hash, user.id))) return []
  const member = await invites.acceptByHash(db, hash, user, now())
  if (!member) return []
  const target = { object: 'workspace_member', id: user.id }
  return [{ workspaceId: member.workspaceId, action: 'workspace_members.invites.accept', target }]
}
