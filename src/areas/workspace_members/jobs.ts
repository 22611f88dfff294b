// Mails of invites.
import { Type } from 'typebox'
import { object } from '../../contract/records.ts'
import type { Db } from '../../kit/db.ts'
import { type Jobs, job } from '../../kit/implement.ts'
import { mailOf } from '../../kit/mail_text.ts'
import { countTry } from '../../kit/tries.ts'
import * as store from './store.ts'

/** An address that nobody has proven belongs to a stranger: few mails, whoever asks for them; the token still works. */
async function mayMail(db: Db, email: string, now: Date): Promise<boolean> {
  const place = `invite mail:${email.toLowerCase()}`
  return (
    (await countTry(db, `${place}:hour`, { limit: 5, seconds: 3_600 }, now)) &&
    (await countTry(db, `${place}:day`, { limit: 20, seconds: 86_400 }, now))
  )
}

export default {
  'workspace_members.mailInvite': job({
    payload: object({ inviteId: Type.String(), workspaceId: Type.String(), token: Type.String() }),
    async run({ db, now, settings, sendMail, attempt }, { inviteId, workspaceId, token }) {
      const invite = await store.findInvite(db, workspaceId, inviteId, now())
      if (invite?.status !== 'pending' || invite.email === null) return
      if (!(await store.wantsMail(db, invite.email, 'workspace_members.invites.post'))) return
      // A mail that the server refused was counted on the first try.
      if (attempt === 0 && !(await mayMail(db, invite.email, now()))) return
      const name = await store.workspaceName(db, workspaceId)
      const opened = settings.open('invite mail', token)
      await sendMail(
        mailOf(invite.email, 'You are invited to a workspace', [
          { paragraph: `You are invited to join the workspace “${name}” as ${invite.position}.` },
          { link: `${settings.publicUrl}/invite#${opened}`, label: 'Accept the invite' },
          { paragraph: 'Or sign up with this address and send the invite token with it:' },
          { code: opened },
          {
            paragraph: `It is good until ${invite.expiresAt.slice(0, 10)}. If you do not know the workspace, ignore this mail.`,
          },
        ]),
      )
    },
  }),
} satisfies Jobs
