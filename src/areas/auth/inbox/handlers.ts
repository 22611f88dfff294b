// Carries out the operations on the inbox.
import { notFound } from '../../../contract/errors.ts'
import type { Feed } from '../../../kit/context.ts'
import { implement } from '../../../kit/implement.ts'
import * as workspaces from '../../workspaces/store.ts'
import { inbox } from './contract.ts'
import { type Shown, shown } from './reading.ts'
import * as store from './store.ts'

export default implement(inbox, {
  'auth.inbox.list': async ({ db, caller }, query) => {
    const memberships = await workspaces.standingsOf(db, caller.ownerId)
    const page = await store.pageOfEntries(db, query, caller.ownerId, idsOf(memberships))
    return { ...page, items: await shown(db, page.items, memberships) }
  },

  'auth.inbox.patch': async ({ db, caller, now, feed }, { id, isRead }) => {
    const memberships = await workspaces.standingsOf(db, caller.ownerId)
    const row = await store.setRead(db, caller.ownerId, idsOf(memberships), id, isRead ? now() : null)
    if (!row) throw notFound('notification')
    ring(feed, caller.ownerId)
    const [entry] = await shown(db, [row], memberships)
    return entry as Shown
  },

  'auth.inbox.readAll': async ({ db, caller, now, feed }, { until }) => {
    const memberships = await workspaces.standingsOf(db, caller.ownerId)
    const last = until === undefined ? now() : new Date(until)
    const read = await store.readAll(db, caller.ownerId, idsOf(memberships), last, now())
    if (read > 0) ring(feed, caller.ownerId)
    return { read }
  },
})

export function idsOf(memberships: readonly workspaces.Membership[]): string[] {
  return memberships.map(({ workspaceId }) => workspaceId)
}

/** Whoever has a console open hears that there is something to look at; what it is, they ask for. */
export function ring(feed: Pick<Feed, 'tell'>, userId: string): void {
  feed.tell(userId, { action: 'auth.inbox.changed', target: { object: 'user', id: userId }, data: null })
}
