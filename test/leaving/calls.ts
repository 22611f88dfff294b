// Good inputs for exports, imports and claims.
import { WorkspaceExportId } from '../../src/areas/workspaces/exports/contract.ts'
import { UserId } from '../../src/contract/ids.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { exported } from './zips.ts'

/** As the job leaves it, with a file of three bytes. */
async function exportOf({ p, workspaceId }: World, { userId }: TestCaller) {
  const [exportId, now] = [newId(WorkspaceExportId), p.now()]
  const until = new Date(now.getTime() + 3_600_000)
  await p.database.query(sql`
    insert into workspace_exports (id, workspace_id, user_id, status, size, sha256, expires_at, created, updated)
    values (${exportId}, ${workspaceId}, ${userId}, 'ready', 3, 'none', ${until}, ${now}, ${now})`)
  await p.database.query(sql`
    insert into workspace_file_pieces (workspace_id, file_id, place, bytes)
    values (${workspaceId}, ${exportId}, 0, ${Buffer.from('zip')}::bytea)`)
  return { workspaceId, exportId }
}

/** Somebody whom an import brought, of the caller's address, in a workspace of somebody else. */
export async function claimOf({ p }: Pick<World, 'p'>, { userId }: Pick<TestCaller, 'userId'>) {
  const { workspaceId } = await p.user()
  const [id, now] = [newId(UserId), p.now()]
  await p.database.query(sql`
    insert into users (id, forename, verified_at, created, updated) values (${id}, 'Ada', ${now}, ${now}, ${now})`)
  await p.database.query(sql`
    insert into placeholders (user_id, workspace_id, address, created)
    select ${id}, ${workspaceId}, lower(proven_email), ${now} from users where id = ${userId}`)
  await p.database.query(sql`
    insert into workspace_members (workspace_id, user_id, position, created, updated)
    values (${workspaceId}, ${id}, 'member', ${now}, ${now})`)
  return { id, workspaceId }
}

const claimed = async (w: World, caller: TestCaller) => ({ id: (await claimOf(w, caller)).id })
const stranger = ({ p }: World) => p.user()

let small: Promise<Buffer> | undefined

/** Of a workspace with nobody but its owner: made once, and good wherever it is sent. */
function smallArchive({ p }: World): Promise<Buffer> {
  small ??= (async () => {
    const owner = await p.user()
    return await exported({ p, workspaceId: owner.workspaceId }, owner)
  })()
  return small
}

export const calls = {
  'workspaces.exports.post': { input: ({ workspaceId }: World) => ({ workspaceId }) },
  'workspaces.exports.list': { input: ({ workspaceId }: World) => ({ workspaceId }) },
  'workspaces.exports.get': { input: exportOf },
  'workspaces.exports.file': { input: exportOf },
  'workspaces.import': { input: async w => ({ content: { kind: 'zip', bytes: await smallArchive(w) } }) },
  'workspaces.imports.get': { input: () => ({}) },
  'workspaces.claims.list': { input: () => ({}) },
  'workspaces.claims.accept': { input: claimed, by: stranger },
  'workspaces.claims.del': { input: claimed, by: stranger },
} satisfies Record<string, CallRow>
