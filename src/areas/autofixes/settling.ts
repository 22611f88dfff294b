// What a check found is written down: where it applies, where not any more, and what turns out to be merged.
import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { isSha } from '../../kit/git.ts'
import type { JobContext } from '../../kit/jobs.ts'
import type { ReadingContext } from '../repositories/reading/mirrors.ts'
import { type Judged, judge, newestOf, patchMarksBetween } from './checking.ts'
import * as store from './store.ts'

export type Look = { row: store.AutofixRow; judged: Judged; mergedSha: string | null }

type Commits = Map<string, Promise<Map<string, string>>>

/** Outside any transaction. `known`: commits between two that were looked at already. */
export async function lookAt(ctx: ReadingContext, row: store.AutofixRow, known: Commits = new Map()): Promise<Look> {
  const { workspaceId, repositoryId, baseRef, baseSha } = row
  const inner = await store.findInner(ctx.db, workspaceId, row.id)
  const { mirror } = await newestOf(ctx, row)
  const patch = inner?.patch ?? ''
  const judged = await judge(ctx, { workspaceId, repositoryId: repositoryId ?? '', baseRef, baseSha, patch })
  const head = judged.check.headSha
  if (judged.isThere) return { row, judged, mergedSha: head }
  const from = row.check.headSha ?? baseSha
  if (judged.patchMark === null || head === null || head === from) return { row, judged, mergedSha: null }
  const between = `${from}..${head}`
  const looking = known.get(between) ?? patchMarksBetween(mirror, from, head)
  known.set(between, looking)
  return { row, judged, mergedSha: (await looking).get(judged.patchMark) ?? null }
}

/** What happened to it, or null. Nothing is written where it is another patch by now. */
export async function settle(db: Db, { row, judged, mergedSha }: Look, now: Date) {
  await store.lock(db, row.workspaceId, row.id)
  const before = await store.find(db, row.workspaceId, row.id)
  if (!before || before.patchSha256 !== row.patchSha256 || before.status !== row.status) return null
  if (before.baseRef !== row.baseRef || before.baseSha !== row.baseSha) return null
  await store.keepCheck(db, row.id, judged)
  if (mergedSha !== null) {
    await store.update(db, row.id, { status: 'merged', mergedSha, updated: now })
    return 'autofixes.merged' as const
  }
  const isBad = (state: string) => state === 'conflict' || state === 'invalid'
  if (isBad(judged.check.state) === isBad(before.check.state)) return null
  return isBad(judged.check.state) ? ('autofixes.conflicted' as const) : ('autofixes.cleared' as const)
}

/**
 * The host says that a pull request was merged. One that was opened is what `apply` knows already, and one that was
 * closed may be opened again: what was applied stays so.
 */
export async function settlePullRequest(
  ctx: JobContext,
  { workspaceId, url, state, mergeSha }: { workspaceId: string; url: string; state: string; mergeSha: string | null },
): Promise<void> {
  if (state !== 'merged') return
  const mergedSha = mergeSha !== null && isSha(mergeSha) ? mergeSha : null
  for (const id of await store.askedForBy(ctx.db, workspaceId, url)) {
    await ctx.transaction(async tx => {
      await store.lock(tx, workspaceId, id)
      const before = await store.find(tx, workspaceId, id)
      if (before?.status !== 'applied' || before.pullRequestUrl !== url) return
      await store.update(tx, id, { status: 'merged', mergedSha, updated: ctx.now() })
      await ctx.record(tx, { chain: workspaceId, action: 'autofixes.merged', target: { object: 'autofix', id } })
    })
  }
}

const mostAtOnce = 50

/** All of a repository that are not done with, after it was found changed. */
export async function lookAtAll(ctx: JobContext, workspaceId: string, repositoryId: string): Promise<void> {
  const reading = { ...ctx, origin: { requestId: ctx.id, ifNoneMatch: null } }
  const known: Commits = new Map()
  let after = ''
  let failure: unknown
  for (;;) {
    const ids = await store.unsettled(ctx.db, workspaceId, repositoryId, { after, most: mostAtOnce })
    for (const id of ids) {
      await lookAtOne(ctx, reading, workspaceId, id, known).catch(error => {
        failure = error
      })
    }
    if (ids.length < mostAtOnce) break
    after = ids.at(-1) ?? ''
  }
  // The others had their look; the job is tried again for the ones that had none.
  if (failure !== undefined) throw failure
}

async function lookAtOne(ctx: JobContext, reading: ReadingContext, workspaceId: string, id: string, known: Commits) {
  const row = await store.find(ctx.db, workspaceId, id)
  if (!row || row.repositoryId === null) return
  const look = await lookAt(reading, row, known).catch(error => {
    // The repository is disabled or gone, or has no such branch any more: the next sync asks for another look.
    if (error instanceof ApiError && ['not_found', 'conflict', 'bad_request'].includes(error.kind)) return null
    throw error
  })
  if (!look) return
  await ctx.transaction(async tx => {
    const action = await settle(tx, look, ctx.now())
    if (action) await ctx.record(tx, { chain: workspaceId, action, target: { object: 'autofix', id } })
  })
}
