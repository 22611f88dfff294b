// Mails of invites.
import { Type } from 'typebox'
import { object } from '../../contract/records.ts'
import { sealedText } from '../../contract/sealed.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { mailOf, said } from '../../kit/mail_text.ts'
import { notify } from '../../kit/notify.ts'
import { type Counting, countTry } from '../../kit/tries.ts'
import * as invites from './invites/store.ts'
import * as mails from './mails.ts'

/** An address may belong to a stranger: few mails and notices, whoever asks for them; the token still works. */
async function mayMail(ctx: Counting, email: string): Promise<boolean> {
  const address = email.toLowerCase()
  return (
    (await countTry(ctx, ['invite mail', 'hour', address], { limit: 5, seconds: 3_600 })) &&
    (await countTry(ctx, ['invite mail', 'day', address], { limit: 20, seconds: 86_400 }))
  )
}

export default {
  'workspace_members.mailInvite': job({
    payload: object({
      inviteId: Type.String(),
      workspaceId: Type.String(),
      token: sealedText('invite mail', 'inviteId'),
    }),
    async run(ctx, { inviteId, workspaceId, token }) {
      const { db, now, settings, sendMail, attempt } = ctx
      const invite = await invites.findInvite(db, workspaceId, inviteId, now())
      if (invite?.status !== 'pending' || invite.email === null) return
      const type = 'workspace_members.invites.post'
      const isWanted = await mails.wantsMail(db, invite.email, type)
      // A mail that the server refused was counted on the first try.
      if (attempt === 0 && !(await mayMail(ctx, invite.email))) return
      const to = await mails.userAt(db, invite.email)
      await notify(ctx, { type, to, workspaceId, facts: { position: invite.position } })
      if (!isWanted) return
      const name = await mails.workspaceName(db, workspaceId)
      const opened = settings.open('invite mail', token, inviteId)
      await sendMail(
        mailOf(invite.email, 'You are invited to a workspace', [
          { paragraph: said`You are invited to join the workspace “${name}” as ${invite.position}.` },
          { link: `${settings.publicUrl}/invite#${opened}`, label: 'Accept the invite' },
          { paragraph: said`Or sign up with this address and send the invite token with it:` },
          { code: opened },
          {
            paragraph: said`It is good until ${invite.expiresAt.slice(0, 10)}. If you do not know the workspace, ignore this mail.`,
          },
        ]),
      )
    },
  }),
} satisfies Jobs
