// Carries out the operations on sessions.
import { notFound } from '../../../contract/errors.ts'
import type { Caller } from '../../../kit/context.ts'
import { implement } from '../../../kit/implement.ts'
import { sessions } from './contract.ts'
import * as store from './store.ts'

export default implement(sessions, {
  'auth.sessions.list': async ({ db, caller, now }, query) => {
    const { items, count } = await store.pageOfSessions(db, query, caller.ownerId, now())
    return { items: items.map(row => shownSession(row, caller)), count }
  },

  'auth.sessions.del': async ({ db, caller }, { id }) => {
    if (!(await store.deleteSession(db, caller.ownerId, id))) throw notFound('session')
    return { id, _object: 'session' as const }
  },

  'auth.sessions.delOthers': async ({ db, caller }) => {
    await store.lockUser(db, caller.ownerId)
    return { ended: await store.deleteSessions(db, caller.ownerId, caller.credentialId) }
  },
})

export function shownSession(row: store.SessionRow, caller: Caller) {
  const { userAgent, ...session } = row
  return { ...session, device: deviceOf(userAgent), isCurrent: row.id === caller.credentialId }
}

/** Enough to tell one's own devices apart; never more than what the browser said. */
function deviceOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device'
  const browser = /(Firefox|Edg|OPR|Chrome|Safari|curl|atrium-cli|Node|undici)/.exec(userAgent)?.[1] ?? 'Browser'
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1]
  const name = { Edg: 'Edge', OPR: 'Opera', Node: 'Node.js', undici: 'Node.js' }[browser] ?? browser
  return system ? `${name} on ${system.replace('Mac OS X', 'macOS')}` : name
}
