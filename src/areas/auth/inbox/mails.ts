// Mails of notifications: what happened, where to look, and how to turn it off.
import type { JobContext } from '../../../kit/jobs.ts'
import { mailOf, said, saidOf, unlinked } from '../../../kit/mail_text.ts'
import { countTry } from '../../../kit/tries.ts'
import { directory, notifications } from '../../../operations.ts'
import * as workspaces from '../../workspaces/store.ts'
import { idsOf } from './handlers.ts'
import { type Told, told } from './reading.ts'
import * as store from './store.ts'

/** Beyond this, what happens to one person waits for the daily mail: a busy day is no reason for a full mailbox. */
const singleMails = { limit: 20, seconds: 3_600 }

export async function mailEntry(ctx: JobContext, userId: string, entryId: string): Promise<void> {
  const { db, attempt, settings, sendMail } = ctx
  const to = await store.mailAddressOf(db, userId)
  const [one] = to === undefined ? [] : await waiting(ctx, userId, 'single', entryId)
  if (to === undefined || !one) return await store.setMail(db, [entryId], 'single', null)
  // A mail that the server refused was counted on the first try.
  if (attempt === 0 && !(await countTry(ctx, ['notification mail', userId], singleMails))) {
    return await store.setMail(db, [entryId], 'single', 'digest')
  }
  const mail = mailOf(to, unlinked(one.entry.text), [
    ...partsOf(settings.publicUrl, one),
    { paragraph: said`You get this mail because your notification settings say so. Change them here:` },
    { link: `${settings.publicUrl}/me/notifications`, label: 'Notification settings' },
  ])
  await sendMail({ ...mail, names: namedIn([one]) })
  await store.setMail(db, [entryId], 'single', null)
}

/** All that has waited until now in one mail; where nothing is left to tell, none. */
export async function mailDigest(ctx: JobContext, userId: string): Promise<void> {
  const { db, settings, sendMail } = ctx
  const ids = await store.idsToMail(db, userId, 'digest')
  const to = await store.mailAddressOf(db, userId)
  const all = to === undefined ? [] : await waiting(ctx, userId, 'digest')
  if (to !== undefined && all.length > 0) {
    const more = ids.length > store.mostMailed ? said` There is more in your inbox.` : said``
    const mail = mailOf(to, all.length === 1 ? 'One notification today' : `${all.length} notifications today`, [
      { paragraph: said`This is what happened since the last summary.${more}` },
      ...all.flatMap(one => partsOf(settings.publicUrl, one)),
      { paragraph: said`You get one mail a day because your notification settings say so. Change them here:` },
      { link: `${settings.publicUrl}/me/notifications`, label: 'Notification settings' },
    ])
    await sendMail({ ...mail, names: namedIn(all) })
  }
  await store.setMail(db, ids, 'digest', null)
}

function partsOf(publicUrl: string, one: Told) {
  return [{ paragraph: said`${saidOf(one.text, one.values)}.` }, { link: linkTo(publicUrl, one), label: 'Look at it' }]
}

function namedIn(all: readonly Told[]): string[] {
  return [...new Set(all.flatMap(({ entry: { actor } }) => (actor ? [actor.id] : [])))]
}

/** What may be mailed to the user now, of what waits for it. */
async function waiting({ db }: JobContext, userId: string, mail: store.Mailing, entryId?: string): Promise<Told[]> {
  const memberships = await workspaces.standingsOf(db, userId)
  const rows = await store.entriesToMail(db, userId, idsOf(memberships), mail, entryId)
  const types = rows.map(({ type }) => type)
  const wanted = await store.typesWanted(db, userId, types)
  const all = await told(
    db,
    rows.filter(({ type }) => wanted.has(type)),
    memberships,
  )
  return all.filter(({ isGone }) => !isGone)
}

/** The record's own page in the console, the page of the type, or the inbox where there is neither. */
function linkTo(publicUrl: string, { entry: { type, target, workspace } }: Told): string {
  const kind = target && directory.kinds.get(target.object)
  const page = notifications[type]?.page
  if (page !== undefined && workspace) return `${publicUrl}/w/${workspace.id}/${page}`
  if (!kind || !workspace || kind.at !== undefined) return `${publicUrl}/me/inbox`
  return `${publicUrl}/w/${workspace.id}/${kind.area}/${target.id}`
}
