// People and teams that issues name: who calls, who is assigned, and who "me" is.
import { badRequest } from '../../contract/errors.ts'
import type { Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { notify } from '../../kit/notify.ts'
import { lockExisting } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import * as teams from '../teams/store.ts'

/** Those of these people and teams that belong to the workspace; they do so until the transaction ends. */
export async function keptPeople(db: Db, workspaceId: string, ids: readonly (string | null)[]): Promise<Set<string>> {
  const named = [...new Set(ids.filter(id => id !== null))]
  const ofKind = async (object: string, prefix: string) => {
    const some = named.filter(id => id.startsWith(prefix))
    return some.length > 0 ? await lockExisting(db, directory, workspaceId, object, some) : []
  }
  const members = await ofKind('workspace_member', 'usr_')
  return new Set([...members, ...(await ofKind('team', 'team_'))])
}

type Named = { assigneeId?: string | null; teamId?: string | null }

/** 400 where a field names somebody who is not of the workspace; nobody learns whether they exist. */
export async function refuseStrangers(
  db: Db,
  workspaceId: string,
  { assigneeId = null, teamId = null }: Named,
  field = 'assigneeId',
): Promise<void> {
  if (assigneeId === null && teamId === null) return
  const known = await keptPeople(db, workspaceId, [assigneeId, teamId])
  if (assigneeId !== null && !known.has(assigneeId)) {
    const expected = 'a member or a team of this workspace'
    throw badRequest(`"${field}" must be ${expected}.`, [{ path: field, rule: 'reference', expected }])
  }
  if (teamId !== null && !known.has(teamId)) {
    const expected = 'a team of this workspace'
    throw badRequest(`"teamId" must be ${expected}.`, [{ path: 'teamId', rule: 'reference', expected }])
  }
}

/** Nobody is told of what they did themselves. */
export function tellAssigned(
  ctx: Pick<Context, 'enqueue'> & { caller: Caller },
  workspaceId: string,
  id: string,
  assigneeId: string | null,
): Promise<void> {
  return notify(ctx, { type: 'issues.assigned', to: assigneeId, workspaceId, target: { object: 'issue', id } })
}

type Filter = string | string[] | undefined

/** `me` means the caller and the caller's teams, with or without the `!` that takes away. */
export async function meaningMe(db: Db, caller: Caller, workspaceId: string, assigneeId: Filter): Promise<Filter> {
  const values = [assigneeId ?? []].flat()
  if (!values.some(value => value === 'me' || value === '!me')) return assigneeId
  const own = caller.userId === null ? [] : await teams.teamsOf(db, workspaceId, caller.userId)
  const mine = [caller.ownerId, ...own.map(({ id }) => id)]
  return values.flatMap(value => (value === 'me' ? mine : value === '!me' ? mine.map(id => `!${id}`) : value))
}
