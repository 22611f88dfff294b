// Carries out what looks for something in repositories.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { pathsMeant, shownPath } from '../../../kit/git_paths.ts'
import { asRead, implement, staged } from '../../../kit/implement.ts'
import { idsBySlug } from '../../teams/store.ts'
import { commitAt, inWords, mirrorOf, readAt } from '../reading/mirrors.ts'
import * as store from '../store.ts'
import { codeownersOf, type Owner, ruleFor } from './codeowners.ts'
import { finding } from './contract.ts'
import { type Hit, hitsIn } from './grep.ts'

const grepMs = 10_000
const usualHits = 100
const mostRepositories = 100
const mostParts = 128

type SearchHit = Hit & { repositoryId: string; repository: string; sha: string }

export default implement(finding, {
  'repositories.grep': staged(
    (ctx, input) =>
      readAt(ctx, input, async ({ mirror, sha }) => {
        const { limit = usualHits } = input
        return { sha, ...(await hitsIn(mirror, sha, { ...input, limit }, grepMs)) }
      }),
    asRead,
  ),

  'repositories.search': staged(async (ctx, { workspaceId, limit = usualHits, ...wanted }) => {
    await ctx.git.ready()
    const rows = await store.allForReading(ctx.db, workspaceId, mostRepositories + 1)
    const until = performance.now() + grepMs
    const hits: SearchHit[] = []
    let searched = 0
    let truncated = rows.length > mostRepositories
    for (const row of rows.slice(0, mostRepositories)) {
      const leftMs = Math.floor(until - performance.now())
      if (hits.length >= limit || leftMs < 100) {
        truncated = true
        break
      }
      const sha = row.headSha ?? ''
      const found = await inWords(async () => {
        const mirror = await mirrorOf(ctx, row, leftMs)
        return await hitsIn(mirror, sha, { ...wanted, limit: limit - hits.length }, leftMs)
      }).catch(error => {
        // One that cannot be read now does not hide the others.
        if (error instanceof ApiError && error.kind === 'unavailable') return null
        throw error
      })
      if (!found) {
        truncated = true
        continue
      }
      searched++
      truncated ||= found.truncated
      hits.push(...found.hits.map(hit => ({ repositoryId: row.id, repository: row.name, sha, ...hit })))
    }
    return { hits, searched, truncated }
  }, asRead),

  'repositories.owners': staged(async (ctx, input) => {
    const { mirror, row, sha } = await commitAt(ctx, input)
    const [bytes = Buffer.alloc(0)] = pathsMeant(input)
    const { path, pathBytes } = shownPath(bytes)
    if (path === '') throw badRequest('"path" must name a file or a folder.')
    if (path.split('/').length > mostParts) throw badRequest(`"path" must have at most ${mostParts} parts.`)
    const file = await inWords(() => codeownersOf(mirror, row.id, sha))
    const rule = file && ruleFor(file.rules, path)
    const about = { line: rule?.line ?? null, pattern: rule?.pattern ?? null }
    const owners = rule?.owners ?? []
    const teams = await idsBySlug(ctx.db, input.workspaceId, owners.flatMap(slugOf))
    const shown = owners.map(owner => ({ ...owner, teamId: teams.get(slugOf(owner)[0] ?? '') ?? null }))
    return { sha, path, pathBytes, file: file?.path ?? null, ...about, owners: shown }
  }, asRead),
})

/** `@organisation/slug`. */
function slugOf({ name, type }: Owner): string[] {
  return type === 'team' ? [name.slice(name.indexOf('/') + 1).toLowerCase()] : []
}
