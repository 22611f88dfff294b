// Mails about accounts, made where nobody can measure them, and what must be cleared away.
import { Type } from 'typebox'
import { choice, object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type JobContext, type Jobs, job } from '../../kit/jobs.ts'
import { mailAddress, mailOf, said } from '../../kit/mail_text.ts'
import { tokenHash } from '../../kit/tokens.ts'
import { endAccounts } from './accounts.ts'
import { codeDigest, codeOf, showCode } from './codes.ts'
import inbox from './inbox/jobs.ts'
import { overSessions, sweepSessions } from './sessions/store.ts'
import * as store from './store.ts'
import { type MailPurpose, mayMail } from './tries.ts'

const minutes = { verify: 30, change: 30, reset: 15 }
const pendingBefore = (now: Date) => new Date(now.getTime() - 30 * 86_400_000)
const address = object({ email: Type.String(), source: Type.String() })
const ignore = said`If this was not you, you can ignore this mail.`

const notices = {
  password_reset: said`Your password was reset, and everyone who was logged in has been logged out.`,
  password_changed: said`Your password was changed, and your other sessions have ended.`,
} as const

export default {
  ...inbox,

  'auth.mailVerification': job({
    payload: address,
    async run(ctx, { email, source }) {
      const [pending] = await store.findPending(ctx.db, email)
      if (!pending || !(await isAllowed(ctx, 'verify', { email, source }))) return
      const code = await makeCode(ctx, 'verify', email, minutes.verify)
      if (code === null) return
      await ctx.sendMail(
        mailOf(email, 'Verify your e-mail address', [
          { paragraph: said`Enter this code to verify your e-mail address:` },
          { code },
          { paragraph: said`It is good for ${minutes.verify} minutes, once. ${ignore}` },
        ]),
      )
    },
  }),

  'auth.mailReset': job({
    payload: address,
    async run(ctx, { email, source }) {
      const user = await store.findVerified(ctx.db, email)
      if (!user?.provenEmail || !(await isAllowed(ctx, 'reset', { email, source }))) return
      const code = await makeCode(ctx, 'reset', email, minutes.reset)
      if (code === null) return
      await ctx.sendMail(
        mailOf(user.provenEmail, 'Reset your password', [
          { paragraph: said`Enter this code with your new password:` },
          { code },
          { paragraph: said`It is good for ${minutes.reset} minutes, once. ${ignore}` },
        ]),
      )
    },
  }),

  'auth.mailChange': job({
    payload: object({ userId: Type.String(), email: Type.String(), source: Type.String() }),
    async run(ctx, { userId, email, source }) {
      const user = await store.findUser(ctx.db, userId)
      // Changed again meanwhile: the newer job mails the newer address.
      if (!user?.email || user.email.toLowerCase() !== email.toLowerCase()) return
      if (user.emailVerified || !(await isAllowed(ctx, 'change', { email, source }))) return
      const code = await makeCode(ctx, `change:${userId}`, email, minutes.change)
      if (code === null) return
      await ctx.sendMail(
        mailOf(user.email, 'Confirm your new e-mail address', [
          { paragraph: said`Enter this code, while logged in, to use this address from now on:` },
          { code },
          { paragraph: said`It is good for ${minutes.change} minutes, once. ${ignore}` },
        ]),
      )
    },
  }),

  'auth.mailUndo': job({
    payload: object({ changeId: Type.String(), userId: Type.String() }),
    async run(ctx, { changeId }) {
      const change = await store.findEmailChange(ctx.db, changeId)
      if (!change) return
      // The same on each try: whichever copy of the mail arrives, its link works.
      const token = `undo_${ctx.settings.sign('undo', changeId)}`
      await store.setUndoHash(ctx.db, changeId, tokenHash(token))
      const what =
        change.newEmail === null ? said`was removed` : said`is being changed to ${mailAddress(change.newEmail)}`
      await ctx.sendMail(
        mailOf(change.oldEmail, 'Your e-mail address is being changed', [
          { paragraph: said`The e-mail address of your account ${what}.` },
          {
            paragraph: said`If this was not you, take the change back within seven days. Everyone will be logged out:`,
          },
          // Behind the #, so that it stands in no log on the way.
          { link: `${ctx.settings.publicUrl}/undo_email_change#${token}`, label: 'Take the change back' },
          { paragraph: said`If it was you, there is nothing to do.` },
        ]),
      )
    },
  }),

  'auth.mailNotice': job({
    payload: object({ userId: Type.String(), notice: choice(['password_reset', 'password_changed']) }),
    async run(ctx, { userId, notice }) {
      const user = await store.findUser(ctx.db, userId)
      const to = user?.provenEmail ?? null
      if (to === null) return
      await ctx.sendMail(
        mailOf(to, 'Your password was changed', [
          { paragraph: notices[notice] },
          {
            paragraph: said`If this was not you, ask for a new password now; your API keys were not touched, so look at them too.`,
          },
        ]),
      )
    },
  }),

  'auth.sweep': job({
    payload: object({}),
    schedule: '7 * * * *',
    due: now => [overSessions(now), store.stalePending(pendingBefore(now))],
    async run({ db, now, transaction }) {
      await sweepSessions(db, now())
      const stale = await db.query<{ id: string }>(store.stalePending(pendingBefore(now())))
      const ids = stale.map(({ id }) => id)
      if (ids.length > 0) await transaction(tx => endAccounts(tx, ids, now()))
    },
  }),
} satisfies Jobs

export const ages: Ages = {
  codes: { column: 'expires' },
  tries: { column: 'until' },
  email_changes: { column: 'expires' },
  inbox_entries: { column: 'created', afterDays: 90 },
}

/** A mail that the server refused was counted on the first try. */
async function isAllowed(
  ctx: JobContext,
  purpose: MailPurpose,
  to: { email: string; source: string },
): Promise<boolean> {
  return ctx.attempt > 0 || (await mayMail(ctx, purpose, to))
}

/** A new code ends the one before it. Null where this one was used already: only the mail's end was not noted down. */
async function makeCode(ctx: JobContext, purpose: string, email: string, lifeMinutes: number): Promise<string | null> {
  const { id, db, now, settings } = ctx
  const code = codeOf(settings, id)
  const digest = codeDigest(settings, purpose, email, code)
  const expires = new Date(now().getTime() + lifeMinutes * 60_000)
  const isLive = await store.putCode(db, { purpose, address: email, id, digest, expires }, now())
  return isLive ? showCode(code) : null
}
