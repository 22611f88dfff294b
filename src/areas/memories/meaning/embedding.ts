// Embeds what is not embedded yet, in batches, outside any transaction.
import { EmbeddingsFailure, embed } from '../../../kit/embeddings.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { oneByOne } from '../../../kit/one_by_one.ts'
import { clearFault, findEmbeddings, findFault, noteFault } from '../../workspaces/embeddings/store.ts'
import { dimensionsOf, putVectors, removeOthers, sourceOf, type Unembedded, unembedded } from './store.ts'

const mostTexts = 64
const mostRemoved = 1_000
const timeoutMs = 30_000

/** About what endpoints take of one text; the beginning says what a memory is about. */
const longestText = 8_000

/** The job that comes back after a failure; one waits for each workspace. */
export const again = 'again'

/** Jobs of one workspace follow each other: the second finds done what the first has sent. */
const inTurn = oneByOne()

/** Without a memory, all that are not embedded yet: the settings have changed, or an earlier try has failed. */
export function embedMemories(ctx: JobContext, workspaceId: string, memoryId: string | null): Promise<void> {
  return inTurn(workspaceId, async () => {
    const setup = await findEmbeddings(ctx, workspaceId)
    if (setup === undefined) return
    const source = setup && sourceOf(setup.endpoint)
    const isChanged = await removeAllOthers(ctx, workspaceId, source)
    // Nothing is sent that no search would use.
    if (!setup || !source || !(await ctx.settings.vectors?.ready())) return
    const fault = await findFault(ctx.db, workspaceId)
    const waitMs = fault ? Date.parse(fault.retryAt) - ctx.now().getTime() : 0
    if (waitMs > 0) return await comeBack(ctx, workspaceId, Math.ceil(waitMs / 1000))
    const wanted = { workspaceId, memoryId: isChanged || fault ? null : memoryId }
    try {
      for (;;) {
        const batch = await unembedded(ctx.db, wanted, source, mostTexts)
        if (batch.length === 0) break
        const vectors = await embed(ctx.fetch, setup.endpoint, batch.map(textOf), { timeoutMs, signal: ctx.signal })
        await refuseOtherLength(ctx, workspaceId, source, vectors[0]?.length ?? 0)
        const embedded = batch.map(({ id, version }, index) => ({ id, version, vector: vectors[index] ?? [] }))
        await putVectors(ctx.db, workspaceId, source, embedded)
      }
      if (fault) await clearFault(ctx.db, workspaceId)
    } catch (error) {
      if (!(error instanceof EmbeddingsFailure)) throw error
      ctx.log.warn({ workspaceId, reason: error.message }, 'memories could not be embedded; it is tried again later')
      await comeBack(ctx, workspaceId, await noteFault(ctx.db, workspaceId, error.message, ctx.now()))
    }
  })
}

/** Whether there were any. */
async function removeAllOthers({ db, signal }: JobContext, workspaceId: string, source: string | null) {
  for (let isChanged = false; ; isChanged = true) {
    const removed = await removeOthers(db, workspaceId, source, mostRemoved)
    if (removed < mostRemoved) return isChanged || removed > 0
    signal.throwIfAborted()
  }
}

/** A second more, so that the time to wait is over when it starts. */
async function comeBack({ enqueue }: JobContext, workspaceId: string, seconds: number): Promise<void> {
  await enqueue('memories.embed', { workspaceId, cause: again }, { startAfterSeconds: seconds + 1 })
}

function textOf({ title, markdown }: Unembedded): string {
  return `${title}\n\n${markdown}`.slice(0, longestText)
}

/** Vectors of two lengths come of two models, whatever they call themselves. */
async function refuseOtherLength({ db }: JobContext, workspaceId: string, source: string, length: number) {
  const known = await dimensionsOf(db, workspaceId, source)
  if (known === undefined || known === length) return
  throw new EmbeddingsFailure(
    `The embeddings endpoint answers with vectors of ${length} numbers, and those from before have ${known}: ` +
      'name the model that it is now, or take the endpoint out and name it anew.',
  )
}
