// Run tokens: the credential of one agent run, which carries a caller kind. Threads will mint them.
import { type Standing, scopesHeld } from '../../contract/permissions.ts'
import type { CallerKind, Scope } from '../../contract/scopes.ts'
import type { Db } from '../../kit/db.ts'
import { newId } from '../../kit/random.ts'
import { newToken, tokenHash } from '../../kit/tokens.ts'
import { AgentRunId } from './contract.ts'
import * as store from './store.ts'

const lifeMinutes = 15

/** `expires`: when what starts the run ends by itself; a session's end is no bound for the work it began. */
type Starter = Pick<Standing, 'scopes' | 'role'> & { ownerId: string; expires?: string | null }

/** Never more than whoever starts the run holds now, nor longer. */
export async function mintRunToken(
  db: Db,
  starter: Starter,
  run: { workspaceId: string; callerKind: CallerKind; scopes: readonly Scope[] },
  now: Date,
): Promise<{ id: string; token: string }> {
  const held = new Set(scopesHeld(starter))
  const id = newId(AgentRunId)
  const token = newToken('run')
  const scopes = run.scopes.filter(scope => held.has(scope))
  const end = starter.expires ? Date.parse(starter.expires) : Number.POSITIVE_INFINITY
  const expires = new Date(Math.min(end, now.getTime() + lifeMinutes * 60_000))
  await store.insertRun(db, { id, ownerId: starter.ownerId, ...run, scopes, expires }, tokenHash(token), now)
  return { id, token }
}
