// How much a dataset holds, asked before a change of it begins: engines are not waited for inside a transaction.
import type { BeforeContext, Context } from '../../../kit/context.ts'
import { find } from '../store.ts'
import type { Volume } from './row_store.ts'
import { rowStoreOf } from './writing.ts'

/** Undefined where it is not there or holds nothing. */
export async function volumeOf(
  ctx: Pick<Context, 'db'> & Pick<BeforeContext, 'clickhouse'>,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Volume | undefined> {
  const row = await find(ctx.db, workspaceId, id)
  return row && (await rowStoreOf(ctx).volumes([row])).get(row.no)
}
