// Carries out the import of a workspace: checked, then written out of sight, then revealed with its first entry.
import { ApiError, badRequest, forbidden, unauthorized } from '../../../contract/errors.ts'
import { answering, implement, staged } from '../../../kit/implement.ts'
import { slugOf } from '../../../kit/slugs.ts'
import { keepUser } from '../store.ts'
import { openArchive } from './archive_file.ts'
import { type Checked, checkArchive, mostPeople } from './checking.ts'
import { imports } from './contract.ts'
import { type Mapping, mapIds } from './mapping.ts'
import * as store from './store.ts'
import { write } from './writing.ts'

/** It costs more than any other call. */
const perMinute = 6
const mostSecretsShown = 1_000

export default implement(imports, {
  'workspaces.import': staged(
    async (ctx, { content, dryRun = false }) => {
      const { db, caller, carriers, take } = ctx
      if (caller.userId === null) throw forbidden('Only a person can own a workspace.')
      if (!content.file) throw badRequest('The body is empty; send application/zip.')
      if (!(await take(`import ${caller.userId}`, perMinute, 1))) {
        throw tooMany()
      }
      const archive = await openArchive(content.file)
      const checked = await checkArchive(db, archive, carriers)
      if (!(await take(`people imported ${caller.userId}`, mostPeople, checked.people.size))) throw tooMany()
      if (!dryRun) await store.removeAbandoned(db, ctx.now())
      const mapping = await mapIds(db, checked, caller.userId)
      const report = reportOf(checked, mapping, caller.userId)
      if (dryRun) {
        const isTaken = await store.findSlug(db, checked.workspace.slug)
        const slug = isTaken ? `${slugOf(checked.workspace.slug)}-…` : checked.workspace.slug
        return { report: { ...report, slug }, suspended: [], mapping }
      }
      const { slug, suspended } = await write(ctx, checked, mapping, caller.userId, carriers)
      return { report: { ...report, slug }, suspended, mapping }
    },
    async (ctx, { dryRun = false }, { report, suspended, mapping }) => {
      const { db, caller, now, note } = ctx
      if (dryRun) {
        note({ unchanged: true })
        return answering(200, { ...report, dryRun: true, imported: null })
      }
      if (!(await keepUser(db, caller.userId ?? ''))) throw unauthorized('The account has ended.')
      if (!(await store.reveal(db, mapping.workspaceId, suspended))) {
        throw new ApiError('unavailable', 'The import took too long; try again.')
      }
      note({ workspaceId: mapping.workspaceId, target: { object: 'workspace', id: mapping.workspaceId } })
      return { ...report, dryRun: false, imported: now().toISOString() }
    },
  ),
})

function tooMany(): ApiError {
  return new ApiError('too_many_requests', 'Import fewer archives in a minute.')
}

function reportOf(checked: Checked, mapping: Mapping, importer: string) {
  const { archive, workspace, tables, files, ledgers, warnings } = checked
  const { manifest } = archive
  const own = manifest.files.filter(({ path }) => path.startsWith('files/'))
  return {
    id: mapping.workspaceId,
    name: workspace.name,
    ownerId: importer,
    source: {
      workspaceId: workspace.id,
      made: manifest.made,
      publicKey: manifest.publicKey,
      ledgerEntries: ledgers.reduce((sum, { check }) => sum + check.checked, 0),
    },
    tables: tables
      .filter(({ rows }) => rows > 0)
      .map(({ shape, rows }) => ({ area: shape.area, table: shape.table, rows })),
    files: { count: files.size, bytes: own.reduce((sum, { size }) => sum + size, 0) },
    ids: { kept: mapping.kept, renewed: mapping.renewed },
    people: { placeholders: mapping.placeholders.length },
    secretsToSet: manifest.secrets
      .slice(0, mostSecretsShown)
      .map(({ table, id, names }) => ({ table, id: mapping.here(id), names })),
    warnings,
    _object: 'workspace_import' as const,
  }
}
