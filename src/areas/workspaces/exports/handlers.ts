// Carries out the operations on exports.
import { conflict, forbidden } from '../../../contract/errors.ts'
import type { Caller } from '../../../kit/context.ts'
import { implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { newId } from '../../../kit/random.ts'
import { enter } from '../entering/store.ts'
import { readPieces } from '../files/store.ts'
import { exports, WorkspaceExportId } from './contract.ts'
import * as store from './store.ts'

const keptMs = 86_400_000

export default implement(exports, {
  'workspaces.exports.post': async ({ db, caller, now, note, enqueue }, { workspaceId }) => {
    const userId = personBehind(caller)
    await enter(db, caller, workspaceId)
    const earlier = await store.findUnfinished(db, workspaceId, userId)
    if (earlier) {
      note({ unchanged: true })
      return earlier
    }
    const id = newId(WorkspaceExportId)
    const expiresAt = new Date(now().getTime() + keptMs)
    const made = await store.insertExport(db, { id, workspaceId, userId, expiresAt }, now())
    await enqueue('workspaces.export', { id })
    note({ target: { object: 'workspace_export', id } })
    return made
  },

  'workspaces.exports.list': ({ db, caller, now }, { workspaceId, ...query }) =>
    store.pageOfExports(db, query, { workspaceId, userId: personBehind(caller), now: now() }),

  'workspaces.exports.get': ({ db, caller }, { workspaceId, exportId }) =>
    found(store.findExport(db, workspaceId, exportId, personBehind(caller)), 'export'),

  'workspaces.exports.file': staged(
    async ({ db, caller }, { workspaceId, exportId }) => {
      const one = await found(store.findExport(db, workspaceId, exportId, personBehind(caller)), 'export')
      if (one.status !== 'ready') throw conflict('The export is not ready yet.', { state: one.status })
      const slug = (await store.findCarried(db, workspaceId)).record.slug
      return { one, chunks: readPieces(db, workspaceId, exportId), fileName: `${slug}.atrium.zip` }
    },
    async ({ note }, { exportId }, { one, chunks, fileName }) => {
      note({ target: { object: 'workspace_export', id: exportId } })
      const headers = { 'content-length': String(one.size) }
      return { contentType: 'application/zip', fileName, headers, chunks }
    },
  ),
})

function personBehind({ userId }: Caller): string {
  if (userId === null) throw forbidden('Only a person can export a workspace.')
  return userId
}
