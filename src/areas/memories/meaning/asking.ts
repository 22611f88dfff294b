// What a search means, asked for while somebody waits: soon, or not at all.
import type { BeforeContext, Context } from '../../../kit/context.ts'
import { EmbeddingsFailure, embed } from '../../../kit/embeddings.ts'
import { findEmbeddings } from '../../workspaces/embeddings/store.ts'
import { sourceOf } from './store.ts'

const timeoutMs = 2_000

/** After a failure, searches of this workspace wait for nothing for so long. */
const restMs = 10_000
const mostResting = 1_000
/** By workspace, as long as the last search has failed. */
const restedUntil = new Map<string, number>()

export type Meaning = { vector: readonly number[]; source: string; threshold: number }

type Asking = Pick<Context, 'db' | 'settings' | 'enqueue' | 'log'> & Pick<BeforeContext, 'fetch'>

/** Null where a search goes by words alone. */
export async function meaningOf(ctx: Asking, workspaceId: string, q: string): Promise<Meaning | null> {
  const text = meantBy(q)
  if (ctx.settings.vectors === null || isExact(q) || text === '') return null
  const setup = await findEmbeddings(ctx, workspaceId)
  if (!setup || isResting(workspaceId) || !(await ctx.settings.vectors.ready())) return null
  const { endpoint, threshold } = setup
  try {
    const [vector] = await embed(ctx.fetch, endpoint, [text], { timeoutMs })
    if (restedUntil.delete(workspaceId)) await ctx.enqueue('memories.askedMeaning', { workspaceId, error: null })
    return vector ? { vector, source: sourceOf(endpoint), threshold } : null
  } catch (error) {
    if (!(error instanceof EmbeddingsFailure)) throw error
    rest(workspaceId)
    // A reading writes nothing itself.
    await ctx.enqueue('memories.askedMeaning', { workspaceId, error: error.message })
    return null
  }
}

/** Whoever writes "phrases" and `-not` asks for these words and no others. */
function isExact(q: string): boolean {
  return /"|(^|\s)-/.test(q)
}

/** `or` is said to the search by words; it is no part of what is meant. */
function meantBy(q: string): string {
  const words = q.split(/\s+/).filter(word => word.toLowerCase() !== 'or')
  return words.join(' ').trim()
}

function isResting(workspaceId: string): boolean {
  return (restedUntil.get(workspaceId) ?? 0) > performance.now()
}

function rest(workspaceId: string): void {
  if (restedUntil.size >= mostResting) restedUntil.clear()
  restedUntil.set(workspaceId, performance.now() + restMs)
}
