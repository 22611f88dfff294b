// Tells people of what names them: entries in their inboxes, and mails, one by one or gathered into one a day.
import { Type } from 'typebox'
import { choice, nullable, object, Reference } from '../../../contract/records.ts'
import { type JobContext, type Jobs, job } from '../../../kit/jobs.ts'
import { newId } from '../../../kit/random.ts'
import { readable } from '../../../kit/references.ts'
import { directory, notifications } from '../../../operations.ts'
import { peopleIn } from '../../teams/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import { InboxEntryId } from './contract.ts'
import { ring } from './handlers.ts'
import { mailDigest, mailEntry } from './mails.ts'
import { readerOf } from './reading.ts'
import * as store from './store.ts'

/** Of one person; the oldest make room. */
const mostKept = 1_000
const pieceOfUsers = 500

const ids = Type.Array(Type.String(), { maxItems: 1_000 })

/** What `kit/notify.ts` makes of a notice. */
const notice = object({
  type: choice(Object.keys(notifications)),
  userIds: ids,
  teamIds: ids,
  except: nullable(Type.String()),
  actorId: nullable(Type.String()),
  workspaceId: Type.String(),
  target: nullable(Reference),
  facts: Type.Record(Type.String(), Type.String({ maxLength: 1_000 })),
  once: nullable(Type.String({ maxLength: 256 })),
})

export default {
  'auth.notify': job({
    payload: notice,
    async run(ctx, { type, userIds, teamIds, except, actorId, workspaceId, target, facts, once }) {
      const { db, now } = ctx
      const declared = notifications[type]
      if (!declared) return
      const named = [...userIds, ...(teamIds.length > 0 ? await peopleIn(db, workspaceId, teamIds) : [])]
      const people = [...new Set(named)].filter(id => id !== except)
      const readers = declared.outside ? people : await membersWhoMayRead(ctx, workspaceId, people, target)
      if (readers.length === 0) return
      const name = declared.outside ? (await workspaces.find(db, workspaceId))?.name : undefined
      const entry: store.NewEntry = {
        workspaceId,
        type,
        isOutside: declared.outside === true,
        object: declared.outside ? null : (target?.object ?? null),
        recordId: declared.outside ? null : (target?.id ?? null),
        actorId: declared.outside ? null : actorId,
        facts: name === undefined ? facts : { ...facts, workspace: name },
        source: [type, target?.id ?? '', once ?? ctx.id].join(' '),
        mayMail: declared.ownMail !== true,
      }
      const to = readers.map(userId => ({ id: newId(InboxEntryId), userId }))
      await ctx.transaction(async tx => {
        await store.insertEntries(tx, entry, to, now())
        await store.trim(tx, readers, mostKept)
      })
      for (const { id, userId, isShown, mail } of await store.told(db, entry.source)) {
        if (isShown) ring(ctx.feed, userId)
        if (mail === 'single') await ctx.enqueue('auth.mailNotification', { userId, entryId: id })
      }
    },
  }),

  'auth.mailNotification': job({
    payload: object({ userId: Type.String(), entryId: Type.String() }),
    key: ({ entryId }) => entryId,
    run: (ctx, { userId, entryId }) => mailEntry(ctx, userId, entryId),
  }),

  'auth.startDigests': job({
    payload: object({}),
    schedule: '30 6 * * *',
    due: () => [store.usersWithDigest('', 1)],
    timeoutSeconds: 900,
    async run({ db, enqueue }) {
      for (let after = ''; ; ) {
        const users = await db.query<{ userId: string }>(store.usersWithDigest(after, pieceOfUsers))
        for (const one of users) await enqueue('auth.mailDigest', one)
        if (users.length < pieceOfUsers) return
        after = users.at(-1)?.userId ?? ''
      }
    },
  }),

  'auth.mailDigest': job({
    payload: object({ userId: Type.String() }),
    key: ({ userId }) => userId,
    run: (ctx, { userId }) => mailDigest(ctx, userId),
  }),
} satisfies Jobs

/** Who may not read the record learns nothing of it, whoever names them there. */
async function membersWhoMayRead(
  { db }: JobContext,
  workspaceId: string,
  people: readonly string[],
  target: { object: string; id: string } | null,
): Promise<string[]> {
  const readers: string[] = []
  for (const membership of await workspaces.standingsIn(db, workspaceId, people)) {
    const may =
      target === null || (await readable(db, directory, readerOf(membership), workspaceId, [target])).length > 0
    if (may) readers.push(membership.userId)
  }
  return readers
}
