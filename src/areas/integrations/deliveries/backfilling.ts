// Sends a part of the ledger: what was missed for the first time, what was sent before once more.
import type { JobContext } from '../../../kit/jobs.ts'
import { newId } from '../../../kit/random.ts'
import { shownAfter } from '../../audit_logs/store.ts'
import * as integrations from '../store.ts'
import { DeliveryId } from './contract.ts'
import { keepMessages, messagesFor } from './fanning.ts'
import * as store from './store.ts'

const atOnce = 100

/** May run again after a crash: then what was sent again already is sent once more, with the same message id. */
export async function backfill(
  ctx: JobContext,
  { id, fromSeq, toSeq }: { id: string; fromSeq: number; toSeq: number },
): Promise<void> {
  const one = await integrations.listeningById(ctx.db, id)
  if (!one || one.status === 'disabled') return
  for (let after = fromSeq - 1; after < toSeq && !ctx.signal.aborted; ) {
    const entries = (await shownAfter(ctx.db, one.workspaceId, after, atOnce)).filter(({ seq }) => seq <= toSeq)
    if (entries.length === 0) break
    after = entries.at(-1)?.seq ?? toSeq
    const made = await messagesFor(ctx, one, entries)
    const known = await store.known(
      ctx.db,
      id,
      made.map(({ eventSeq }) => eventSeq),
    )
    await keepMessages(
      ctx,
      made.filter(({ eventSeq }) => !known.has(eventSeq)),
    )
    const ids = [...known.values()]
    if (ids.length > 0)
      await store.replay(
        ctx.db,
        id,
        { ids },
        ids.map(() => newId(DeliveryId)),
        ctx.now(),
      )
  }
  await ctx.enqueue('integrations.send', { id })
}
