// Carries out the operations on teams.
import { badRequest, conflict, notFound } from '../../contract/errors.ts'
import { TeamId } from '../../contract/ids.ts'
import type { Db } from '../../kit/db.ts'
import { violates } from '../../kit/db_errors.ts'
import { implement } from '../../kit/implement.ts'
import { newId } from '../../kit/random.ts'
import { freeSlug } from '../../kit/slugs.ts'
import * as apiKeys from '../api_keys/store.ts'
import * as workspaces from '../workspaces/store.ts'
import { teams } from './contract.ts'
import * as store from './store.ts'

export default implement(teams, {
  'teams.list': ({ db }, { workspaceId, ...query }) => store.pageOfTeams(db, query, workspaceId),

  'teams.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'teams.post': async ({ db, now }, { workspaceId, name, slug, ...rest }) => {
    const { description = null, color = null, icon = null, lead = null } = rest
    await refuseStranger(db, workspaceId, lead, 'lead')
    const chosen = slug ?? (await freeSlug(name, text => store.isSlugTaken(db, workspaceId, text)))
    const team = { id: newId(TeamId), workspaceId, name, slug: chosen, description, color, icon, lead }
    return await takingSlug(store.insert(db, team, now()))
  },

  'teams.patch': async ({ db, now, note }, { workspaceId, id, ...fields }) => {
    await store.lock(db, workspaceId, id)
    const before = await existing(db, workspaceId, id)
    note({ before })
    if (Object.keys(fields).length === 0) {
      note({ unchanged: true })
      return before
    }
    await refuseStranger(db, workspaceId, fields.lead ?? null, 'lead')
    return await takingSlug(store.update(db, before, fields, now()))
  },

  'teams.del': async ({ db, now, note }, { workspaceId, id, transferTo }) => {
    await store.lock(db, workspaceId, id)
    const before = await existing(db, workspaceId, id)
    note({ before })
    const apiKeyCount = await apiKeys.countOwnedIn(db, workspaceId, id)
    if (apiKeyCount > 0 && transferTo === undefined) {
      throw conflict('The team owns records; name a team in "transferTo" that takes them over.', {
        owns: { api_keys: apiKeyCount },
      })
    }
    if (transferTo !== undefined) {
      if (transferTo === id || !(await store.find(db, workspaceId, transferTo))) {
        throw badRequest('"transferTo" must be another team of this workspace.')
      }
      await apiKeys.giveOwnedIn(db, workspaceId, id, transferTo, now())
    }
    await store.remove(db, workspaceId, id)
    return { workspaceId, id, _object: 'team' as const }
  },

  'teams.members.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await store.pageOfMembers(db, query, workspaceId, id)
  },

  'teams.members.post': async ({ db, now, note }, { workspaceId, id, userId }) => {
    const team = await existing(db, workspaceId, id)
    note({ target: { object: 'team_member', id: userId } })
    await refuseStranger(db, workspaceId, userId, 'userId')
    try {
      return await store.insertMember(db, team, userId, now())
    } catch (error) {
      if (violates(error, 'team_members_pkey')) throw conflict('Already a member of this team.')
      throw error
    }
  },

  'teams.members.del': async ({ db, now, note }, { workspaceId, id, userId }) => {
    const team = await existing(db, workspaceId, id)
    note({ before: { userId }, target: { object: 'team_member', id: userId } })
    if (!(await store.deleteMember(db, team, userId, now()))) throw notFound('team member')
    return { workspaceId, id, userId, _object: 'team_member' as const }
  },
})

async function existing(db: Db, workspaceId: string, id: string): Promise<store.TeamRow> {
  const team = await store.find(db, workspaceId, id)
  if (!team) throw notFound('team')
  return team
}

async function refuseStranger(db: Db, workspaceId: string, userId: string | null, field: string): Promise<void> {
  if (userId !== null && !(await workspaces.positionOf(db, workspaceId, userId))) {
    throw badRequest(`"${field}" must be a member of the workspace.`)
  }
}

async function takingSlug<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (error) {
    if (violates(error, 'teams__slug'))
      throw conflict('That slug is taken in this workspace; choose another.', { field: 'slug' })
    throw error
  }
}
