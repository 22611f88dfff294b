// Telling people of what names them: in their inbox and by mail, as each of them has set it.
import type { Caller, Enqueue } from './context.ts'

export type Notice = {
  /** Declared under `notifies` of an area. */
  type: string
  /** Users, and teams for all of their members; anything else, such as `system`, is passed over. */
  to: string | null | readonly (string | null)[]
  workspaceId: string
  /** What it is about. Who may not read it is not told; its title is looked up when the notice is read. */
  target?: { object: string; id: string }
  /** Further places of the type's text. They are stored: nothing that the reader may not know for ever. */
  facts?: Readonly<Record<string, string>>
  /** Says the same each time the same is told, where it may be told twice: only the first one counts. */
  once?: string
}

/** The context of a handler, of a job or of a follower. */
type Telling = { enqueue: Enqueue } & ({ caller: Caller | null } | { id: string })

/**
 * In a handler the notice goes out exactly when its transaction commits; in a job or follower, once for all its tries.
 * Nobody is told of what they did themselves; what an agent does for somebody is not their own doing.
 */
export async function notify(ctx: Telling, notice: Notice): Promise<void> {
  const { type, to, workspaceId, target = null } = notice
  const facts = Object.fromEntries(Object.entries(notice.facts ?? {}).map(([name, text]) => [name, cut(text)]))
  const caller = 'caller' in ctx ? ctx.caller : null
  const self = caller?.callerKind === null ? caller.userId : null
  const named = new Set([to].flat().filter(id => id !== null && id !== self))
  const userIds = [...named].filter(id => id?.startsWith('usr_'))
  const teamIds = [...named].filter(id => id?.startsWith('team_'))
  if (userIds.length + teamIds.length === 0) return
  const once = notice.once ?? ('id' in ctx ? ctx.id : null)
  const actorId = caller?.userId ?? null
  const payload = { type, teamIds, except: self, actorId, workspaceId, target, facts, once }
  await ctx.enqueue('auth.notify', { ...payload, userIds: userIds.slice(0, atOnce) })
  for (let place = atOnce; place < userIds.length; place += atOnce) {
    await ctx.enqueue('auth.notify', { ...payload, teamIds: [], userIds: userIds.slice(place, place + atOnce) })
  }
}

/** As many as one job takes. */
const atOnce = 1_000

const longestFact = 200

function cut(text: string): string {
  const letters = [...text]
  return letters.length > longestFact ? `${letters.slice(0, longestFact).join('')}…` : text
}
