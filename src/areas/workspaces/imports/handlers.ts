// Carries out the import of a workspace: checked, then written out of sight, then revealed with its first entry.
import { ApiError, badRequest, forbidden, unauthorized } from '../../../contract/errors.ts'
import { answering, implement, staged } from '../../../kit/implement.ts'
import { slugOf } from '../../../kit/slugs.ts'
import { keepUser } from '../store.ts'
import { openArchive } from './archive_file.ts'
import { checkArchive, mostPeople } from './checking.ts'
import { imports } from './contract.ts'
import { beyondLimits, refuseBeyond } from './limits.ts'
import { mapIds } from './mapping.ts'
import { silentMs, telling, whileTold } from './progress/progress.ts'
import { findProgress } from './progress/store.ts'
import { reportOf } from './reporting.ts'
import * as store from './store.ts'
import { write } from './writing.ts'

/** It costs more than any other call. */
const perMinute = 6

export default implement(imports, {
  'workspaces.import': staged(
    async (ctx, { content, dryRun = false }) => {
      const { db, caller, take, settings } = ctx
      if (caller.userId === null) throw forbidden('Only a person can own a workspace.')
      if (!content.file) throw badRequest('The body is empty; send application/zip.')
      if (!(await take(`import ${caller.userId}`, perMinute, 1))) {
        throw tooMany()
      }
      const { file } = content
      const userId = caller.userId
      const tell = telling(db, userId, ctx.now)
      return await whileTold(db, userId, async () => {
        const archive = await openArchive(file)
        const checked = await checkArchive(ctx, archive, tell)
        if (!(await take(`people imported ${userId}`, mostPeople, checked.people.size))) throw tooMany()
        const beyond = await beyondLimits(db, settings.billing, checked)
        if (!dryRun) refuseBeyond(beyond)
        if (!dryRun) await store.removeAbandoned(db, ctx.now())
        const mapping = await mapIds(db, checked, userId)
        const report = reportOf(checked, mapping, userId, beyond)
        if (dryRun) {
          const isTaken = await store.findSlug(db, checked.workspace.slug)
          const slug = isTaken ? `${slugOf(checked.workspace.slug)}-…` : checked.workspace.slug
          return { report: { ...report, slug }, suspended: [], mapping }
        }
        const { slug, suspended } = await write(ctx, checked, mapping, userId, tell)
        return { report: { ...report, slug }, suspended, mapping }
      })
    },
    async (ctx, { dryRun = false }, { report, suspended, mapping }) => {
      const { db, caller, now, note } = ctx
      if (dryRun) {
        note({ unchanged: true })
        return answering(200, { ...report, dryRun: true, imported: null })
      }
      if (!(await keepUser(db, caller.userId ?? ''))) throw unauthorized('The account has ended.')
      if (!(await store.reveal(db, mapping.workspaceId, suspended, now()))) {
        throw new ApiError('unavailable', 'The import took too long; try again.')
      }
      note({ workspaceId: mapping.workspaceId, target: { object: 'workspace', id: mapping.workspaceId } })
      return { ...report, dryRun: false, imported: now().toISOString() }
    },
  ),

  'workspaces.imports.get': async ({ db, caller, now }) => {
    const since = new Date(now().getTime() - silentMs)
    const found = await findProgress(db, caller.ownerId, since)
    const none = { phase: 'none' as const, part: null, done: 0, total: 0 }
    return { ...none, ...found, _object: 'import_progress' as const }
  },
})

function tooMany(): ApiError {
  return new ApiError('too_many_requests', 'Import fewer archives in a minute.')
}
