// A workspace in which every area has something, made by the calls that every suite makes.
import { FileId } from '../../src/areas/threads/fields/contract.ts'
import { isWrite } from '../../src/contract/operation.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../../src/operations.ts'
import { rowOf, type World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

/** These end what the rest needs, or are about people and installations. */
const apart = /^(auth|workspaces)\.|^workspace_members\.(patch|del)$/

export async function fillEverything(w: World, by: TestCaller): Promise<void> {
  for (const id of operationIds) {
    const operation = lookUp(id)
    if (!operation || !isWrite(operation) || apart.test(id)) continue
    const answer = await w.p.call(id, await rowOf(id).input(w, by), operation.access === 'public' ? null : by)
    if (answer.status >= 500) throw new Error(`${id}: ${answer.cause}`)
  }
  // Another call of the walk takes it back.
  await w.p.call('agent_tools.patch', await rowOf('agent_tools.patch').input(w, by), by)
  const agent = {
    runner: 'external',
    baseUrl: 'https://models.example.com/v1',
    model: 'large-1',
    key: 'key-of-a-model',
  }
  const settings = { timezone: 'Europe/London', agent, embeddings: { threshold: 0.5, key: 'key-of-embeddings' } }
  const set = await w.p.call('workspaces.settings.patch', { workspaceId: w.workspaceId, ...settings }, by)
  if (set.status !== 200) throw new Error(`workspaces.settings.patch: ${set.error?.detail}`)
  // Uploads are somebody's own until a message has them.
  await w.p.database.query(sql`
    insert into message_files (id, workspace_id, message_id, name, mime_type, size, sha256)
    select ${newId(FileId)}, f.workspace_id, m.id, f.name, f.mime_type, f.size, f.sha256
    from message_files f join messages m on m.workspace_id = f.workspace_id
    where f.workspace_id = ${w.workspaceId} order by f.id, m.id limit 1`)
}
