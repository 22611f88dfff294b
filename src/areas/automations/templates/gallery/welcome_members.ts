// Whoever joins the workspace gets a mail.
import { usual } from '../../definition/usual.ts'
import { asked, type Template } from '../template.ts'

export const welcomeMembers: Template = {
  slug: 'welcome-new-members',
  name: 'Welcome new members',
  description: 'Mails everybody who accepts an invitation to the workspace.',
  inputs: asked({
    text: {
      title: 'Text',
      description: 'What the mail says after the greeting.',
      type: 'string',
      minLength: 1,
      maxLength: 8_000,
      default: 'Good to have you here. Open issues and the newest digest are the best places to begin.',
    },
  }),
  definition: {
    ...usual,
    triggers: [{ on: 'event', event: 'workspace_members.invites.accept' }],
    steps: [
      {
        do: 'send_email',
        with: {
          to: ['{{ trigger.record.userId }}'],
          subject: 'Welcome',
          text: 'Hello {{ trigger.record.forename }},\n\n{{ inputs.text }}',
        },
      },
    ],
    grants: ['workspace_members:read'],
  },
}
