// Mails members, at addresses that they have verified; whoever else is named gets nothing.
import { hash } from 'node:crypto'
import { mailOf, said, unlinked, written } from '../../../kit/mail_text.ts'
import { verifiedOf } from '../../workspace_members/addresses/store.ts'
import { resultOf, send } from './calling.ts'
import type { Place } from './deeds.ts'
import type { Result } from './outcomes.ts'
import type { Work } from './work.ts'

export async function mailed(work: Work, { path, attempt, input }: Place): Promise<Result> {
  const { ctx, execution } = work
  // Whether it may look at members now: the door says so, as for any other step.
  const right = await send(work, 'workspace_members.list', { perPage: 1 }, `${path}.${attempt}`)
  if (right.status >= 300) return resultOf(work, right, 'send_email')
  const named = (Array.isArray(input.to) ? input.to : [input.to]).filter(one => typeof one === 'string')
  const to = await verifiedOf(ctx.db, execution.workspaceId, named.slice(0, 20))
  if (to.length === 0) {
    return { is: 'failed', error: 'None of these is a member with a verified address.', isRetried: false }
  }
  const page = `${ctx.settings.publicUrl}/w/${execution.workspaceId}/automations/${execution.automationId}`
  const paragraphs = String(input.text ?? '').split(/\n{2,}/)
  const { subject, text, html } = mailOf('', unlinked(String(input.subject ?? '')), [
    ...paragraphs.map(paragraph => ({ paragraph: written(paragraph, ctx.settings.publicUrl) })),
    { paragraph: said`You get this mail because the automation “${execution.automationName}” sends it.` },
    { link: page, label: 'Look at the automation' },
  ])
  try {
    // The id is the same whenever the step is done again: a mail program shows it once.
    for (const address of to) {
      const id = `${execution.id}-${path.replace(/[^0-9a-z]+/g, '-')}-${hash('sha256', address, 'hex').slice(0, 12)}`
      await ctx.sendMail({ to: address, id, subject, text, html })
    }
  } catch {
    return { is: 'failed', error: 'The mail server did not take the mail.', isRetried: true }
  }
  return { is: 'succeeded', output: { sent: to.length } }
}
