// What an import tells of an archive: bounded, however much somebody has put into it.
import type { Manifest } from '../carrying/archive.ts'
import type { Checked } from './checking.ts'
import type { Beyond } from './limits.ts'
import type { Mapping } from './mapping.ts'

const [mostShown, mostNames, longestWarning] = [100, 10, 300]

export function reportOf(checked: Checked, mapping: Mapping, importer: string, beyondPlan: readonly Beyond[]) {
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
    beyondPlan: [...beyondPlan],
    secretsToSet: secretsOf(manifest.secrets, checked, mapping),
    warnings: shortened(warnings),
    _object: 'workspace_import' as const,
  }
}

/** By table: how many, and the first of them. */
function secretsOf(secrets: Manifest['secrets'], { tables }: Checked, { here }: Mapping) {
  const known = ['workspaces', ...tables.map(({ shape }) => shape.table)]
  let left = mostShown
  return known.flatMap(table => {
    const own = secrets.filter(one => one.table === table)
    if (own.length === 0) return []
    const first = own.slice(0, left).map(({ id, names }) => ({ id: here(id), names: names.slice(0, mostNames) }))
    left -= first.length
    return [{ table, count: own.length, first }]
  })
}

function shortened(warnings: readonly string[]): string[] {
  const cut = (text: string) => (text.length > longestWarning ? `${text.slice(0, longestWarning)}…` : text)
  const first = warnings.slice(0, mostShown).map(cut)
  return warnings.length > mostShown ? [...first, `And ${warnings.length - mostShown} more like these.`] : first
}
