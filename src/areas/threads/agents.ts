// What an agent may do in threads: its own work in its own thread, and hypotheses beneath it.
import { forbidden } from '../../contract/errors.ts'
import { scopesHeld } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Caller } from '../../kit/context.ts'

function refusal(detail: string) {
  return forbidden(detail, { reason: 'thread' })
}

/** True where the caller works in one thread alone: what it does elsewhere would be in another's name. */
function isBound({ callerKind }: Caller): boolean {
  return callerKind === 'hypothesis' || callerKind === 'investigation' || callerKind === 'autofix'
}

function threadOf({ run }: Caller): string | null {
  return run?.threadId ?? null
}

/** Messages are written by people, and by the run that works in the thread; an automation where it is granted more. */
export function refuseForeignWriter(caller: Caller, threadId: string, granted: Scope): void {
  if (caller.callerKind === null || threadOf(caller) === threadId) return
  if (caller.callerKind === 'automation' && scopesHeld(caller).includes(granted)) return
  throw refusal('An agent writes in the thread that its run works in; this is another.')
}

/** Hypotheses beneath its own thread, and nothing else. */
export function refuseForeignChild(
  caller: Caller,
  { type, parentThreadId }: { type: string; parentThreadId: string | null },
): void {
  if (!isBound(caller)) return
  if (type === 'hypothesis' && parentThreadId !== null && parentThreadId === threadOf(caller)) return
  throw refusal('A run makes hypotheses beneath its own thread, and works in those; this is something else.')
}

const ofAgents: readonly string[] = ['hypothesis', 'outcome', 'summary']

/** Its own thread or a hypothesis beneath it; what it found, and not who sees it. */
export function refuseForeignChange(
  caller: Caller,
  thread: { id: string; type: string; parentThreadId: string | null },
  fields: object,
): void {
  if (!isBound(caller)) return
  if (threadOf(caller) !== thread.id) refuseForeignChild(caller, thread)
  const other = Object.entries(fields).find(([name, value]) => value !== undefined && !ofAgents.includes(name))
  if (other) throw refusal(`A run changes ${ofAgents.join(', ')} of a thread; a person must change "${other[0]}".`)
}
