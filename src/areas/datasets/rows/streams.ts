// Streams of rows that are open: each holds a page in memory or asks the engine every second, so they are few.
import { slowDown } from '../../../contract/errors.ts'

/** Of one workspace, in one process. */
const mostStreams = 20
const open = new Map<string, number>()

export function refuseStream(workspaceId: string): void {
  if ((open.get(workspaceId) ?? 0) < mostStreams) return
  throw slowDown(`The workspace has ${mostStreams} exports and tails open already; wait for one, or close it.`, 10)
}

/** Counted while it is read. Asks again: many may have been let in at the same moment. */
export async function* counted(workspaceId: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  refuseStream(workspaceId)
  open.set(workspaceId, (open.get(workspaceId) ?? 0) + 1)
  try {
    yield* chunks
  } finally {
    const left = (open.get(workspaceId) ?? 1) - 1
    if (left > 0) open.set(workspaceId, left)
    else open.delete(workspaceId)
  }
}
