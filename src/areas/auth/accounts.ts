// How an account begins and how it ends, with all that belongs to it.
import type { Static } from 'typebox'
import { UserId, WorkspaceId } from '../../contract/ids.ts'
import type { Context, LedgerNote } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { newId } from '../../kit/random.ts'
import { slugOf, variantOf } from '../../kit/slugs.ts'
import * as members from '../workspace_members/store.ts'
import * as workspaces from '../workspaces/store.ts'
import type { User } from './contract.ts'
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

type Beginning = Pick<store.NewUser, 'email' | 'passwordHash' | 'ref' | 'inviteHash'>

/** A pending account with its settings and a first workspace: nobody starts with nothing. */
export async function openAccount(db: Db, beginning: Beginning, now: Date): Promise<store.Account> {
  const id = newId(UserId)
  const forename = beginning.email.slice(0, beginning.email.lastIndexOf('@'))
  await store.insertUser(db, { id, forename, ...beginning }, now)
  await putSettings(db, id, defaultNotifications, now)
  const slug = slugOf(forename)
  const name = `${forename.slice(0, 50)}'s workspace`
  const workspace = { id: newId(WorkspaceId), name, slug, description: null, ownerId: id }
  if (!(await workspaces.insertUnlessTaken(db, workspace, now))) {
    await workspaces.insert(db, { ...workspace, slug: variantOf(slug) }, now)
  }
  return (await store.findUser(db, id)) as store.Account
}

/** Complete and at once: a workspace where nobody else is left goes too, another passes to whoever should follow. */
export async function endAccounts(db: Db, ids: readonly string[], now: Date): Promise<Also> {
  if (ids.length === 0) return []
  await workspaces.lockAllOf(db, ids)
  const memberships = await workspaces.membersAmong(db, ids)
  const orphaned = await workspaces.orphanedBy(db, ids)
  const ending = orphaned.filter(workspace => workspace.heirId === null).map(workspace => workspace.id)
  const inherited = orphaned.filter(workspace => workspace.heirId !== null)
  for (const { id, heirId } of inherited) if (heirId !== null) await workspaces.handOver(db, id, heirId, now)
  await workspaces.remove(db, ending)
  await workspaces.renameOwners(db, ids, now)
  await store.erasePersonal(db, ids)
  const addresses = await store.addressesOf(db, ids)
  await store.deleteUsers(db, ids)
  await store.eraseTraces(db, ids, addresses)
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

/** An invite that is no longer good is passed over; one that is shows in the ledger of its workspace. */
export async function takeInvite(
  { db, now }: Pick<Context, 'db' | 'now'>,
  hash: string,
  user: store.Account,
): Promise<Also> {
  const member = await members.acceptByHash(db, hash, user, now())
  if (!member) return []
  const target = { object: 'workspace_member', id: user.id }
  return [{ workspaceId: member.workspaceId, action: 'workspace_members.invites.accept', target }]
}
