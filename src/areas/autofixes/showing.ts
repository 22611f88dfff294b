// An autofix as a file: the patch as it was given, a mail for `git am`, or its files with their lines.
import { conflict } from '../../contract/errors.ts'
import type { BeforeContext, Caller, Context } from '../../kit/context.ts'
import type { Report } from '../../kit/report.ts'
import { differences } from '../repositories/reading/diff.ts'
import { inWords } from '../repositories/reading/mirrors.ts'
import { newestOf, treeFor } from './checking.ts'
import { authorOf, partsOf } from './delivering/applying.ts'
import { commitFrom, mailOf } from './delivering/commits.ts'
import type { AutofixRow, Inner } from './store.ts'

type Format = 'patch' | 'mbox' | 'json'
type Showing = Pick<Context, 'db' | 'settings' | 'now' | 'log' | 'origin'> &
  Pick<BeforeContext, 'git' | 'fetch'> & { caller: Caller }

const types = {
  patch: 'text/x-diff; charset=utf-8',
  mbox: 'application/mbox',
  json: 'application/json; charset=utf-8',
} as const

export async function fileOf(ctx: Showing, row: AutofixRow, inner: Inner, format: Format) {
  const bytes = await bytesOf(ctx, row, inner, format)
  async function* chunks() {
    yield bytes
  }
  return { contentType: types[format], fileName: `${row.id}.${format === 'patch' ? 'diff' : format}`, chunks: chunks() }
}

async function bytesOf(ctx: Showing, row: AutofixRow, inner: Inner, format: Format): Promise<Uint8Array> {
  if (format === 'patch') return Buffer.from(inner.patch)
  const { repositoryId, baseSha } = row
  if (repositoryId === null) throw conflict('Its repository was deleted; the format "patch" is left.')
  if (row.check.state === 'invalid') {
    throw conflict('It does not apply to its base; the format "patch" is left.', { state: row.check.state })
  }
  const { mirror, sha } = await newestOf(ctx, row)
  const based = { baseSha, patch: inner.patch }
  return await inWords(() =>
    mirror.scratch({}, async scratch => {
      const onBase = await treeFor(scratch, based, baseSha)
      if (onBase === null) throw conflict('It does not apply to its base; the format "patch" is left.')
      if (format === 'json') {
        const { files, added, removed, isWhole } = await differences(scratch, [baseSha, onBase], {})
        return Buffer.from(JSON.stringify({ baseSha, files, added, removed, truncated: !isWhole }))
      }
      const head = inner.commitParts?.parent ?? sha
      const onHead = await treeFor(scratch, based, head)
      const parts = inner.commitParts ?? partsOf(ctx, row, inner, onHead === null ? baseSha : head)
      const author = await authorOf(ctx, parts)
      return await mailOf(scratch, await commitFrom(scratch, onHead ?? onBase, parts, author))
    }),
  )
}

const mostShown = 200_000

/** For a page: nobody is named. */
export function reportOf(row: AutofixRow, patch: string, repository: string): Report {
  const { check, files } = row
  const facts: [string, string][] = [
    ['Status', row.status],
    ['Repository', repository],
    ['Branch', row.baseRef],
    ['Base', row.baseSha],
    ['Check', check.state],
    ['Files', String(files.length)],
    ['Approvals', `${row.approvals.length} of ${row.requiredApprovals}`],
  ]
  const fence = '`'.repeat(Math.max(3, ...Array.from(patch.matchAll(/`+/g), ([ticks]) => ticks.length + 1)))
  const isWhole = patch.length <= mostShown
  const cut = isWhole ? '' : '\n\nThe patch is longer than what is shown here.'
  return {
    title: row.title,
    source: 'Autofix',
    facts: facts.map(([name, value]) => ({ name, value })),
    sections: [
      ...(row.description ? [{ title: 'Description', entries: [{ markdown: row.description }] }] : []),
      ...(check.conflicts.length > 0
        ? [
            {
              title: 'Conflicts',
              entries: check.conflicts.map(({ path, line, text }) => ({
                heading: line ? `${path}:${line}` : path,
                markdown: text,
              })),
            },
          ]
        : []),
      {
        title: 'Patch',
        entries: [{ markdown: `${fence}diff\n${patch.slice(0, mostShown).trimEnd()}\n${fence}${cut}` }],
      },
    ],
  }
}
