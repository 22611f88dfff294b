// Carries out the operations on teams.
import { badRequest, conflict } from '../../contract/errors.ts'
import { TeamId } from '../../contract/ids.ts'
import type { Db } from '../../kit/db.ts'
import { implement } from '../../kit/implement.ts'
import { found, patched, unique } from '../../kit/outcomes.ts'
import { countOwned, giveOwned } from '../../kit/owned_records.ts'
import { newId } from '../../kit/random.ts'
import { underFreeSlug } from '../../kit/slugs.ts'
import { directory } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { teams } from './contract.ts'
import * as store from './store.ts'

export default implement(teams, {
  'teams.list': ({ db }, { workspaceId, ...query }) => store.pageOfTeams(db, query, workspaceId),

  'teams.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'teams.post': async ({ db, now }, { workspaceId, name, slug, ...rest }) => {
    const { description = null, color = null, icon = null, lead = null } = rest
    if (lead !== null) await workspaces.keepUser(db, lead)
    await refuseStranger(db, workspaceId, lead, 'lead')
    const team = { id: newId(TeamId), workspaceId, name, description, color, icon, lead }
    if (slug !== undefined) return await takingSlug(store.insert(db, { ...team, slug }, now()))
    return await underFreeSlug(name, free => store.insertUnlessTaken(db, { ...team, slug: free }, now()))
  },

  'teams.patch': async ({ db, now, note }, { workspaceId, id, ...fields }) => {
    if (fields.lead) await workspaces.keepUser(db, fields.lead)
    await store.lock(db, workspaceId, [id])
    const before = await existing(db, workspaceId, id)
    return await patched(note, before, fields, async () => {
      await refuseStranger(db, workspaceId, fields.lead ?? null, 'lead')
      return await takingSlug(store.update(db, before, fields, now()))
    })
  },

  'teams.del': async ({ db, now, note }, { workspaceId, id, transferTo }) => {
    await store.lock(db, workspaceId, transferTo === undefined ? [id] : [id, transferTo])
    note({ before: await existing(db, workspaceId, id) })
    if (transferTo !== undefined) {
      if (transferTo === id || !(await store.find(db, workspaceId, transferTo))) {
        throw badRequest('"transferTo" must be another team of this workspace.')
      }
      await giveOwned(db, directory, workspaceId, id, transferTo, now())
    } else {
      const owns = await countOwned(db, directory, workspaceId, id)
      if (Object.keys(owns).length > 0) {
        throw conflict('The team owns records; name a team in "transferTo" that takes them over.', { owns })
      }
    }
    await store.remove(db, workspaceId, id)
    return { workspaceId, id, _object: 'team' as const }
  },

  'teams.members.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await store.pageOfMembers(db, query, workspaceId, id)
  },

  'teams.members.post': async ({ db, now, note }, { workspaceId, id, userId }) => {
    await workspaces.keepAlive(db, workspaceId)
    const team = await existing(db, workspaceId, id)
    note({ target: { object: 'team_member', id: userId } })
    await refuseStranger(db, workspaceId, userId, 'userId')
    return await unique(
      store.insertMember(db, team, userId, now()),
      'team_members_pkey',
      'Already a member of this team.',
    )
  },

  'teams.members.del': async ({ db, now, note }, { workspaceId, id, userId }) => {
    await store.lock(db, workspaceId, [id])
    const team = await existing(db, workspaceId, id)
    note({ before: { userId }, target: { object: 'team_member', id: userId } })
    await found(store.deleteMember(db, team, userId, now()), 'team member')
    return { workspaceId, id, userId, _object: 'team_member' as const }
  },
})

function existing(db: Db, workspaceId: string, id: string): Promise<store.TeamRow> {
  return found(store.find(db, workspaceId, id), 'team')
}

async function refuseStranger(db: Db, workspaceId: string, userId: string | null, field: string): Promise<void> {
  if (userId !== null && !(await workspaces.positionOf(db, workspaceId, userId))) {
    throw badRequest(`"${field}" must be a member of the workspace.`)
  }
}

function takingSlug<T>(writing: Promise<T>): Promise<T> {
  const detail = 'That slug is taken in this workspace; choose another.'
  return unique(writing, 'teams__slug', detail, { field: 'slug' })
}
