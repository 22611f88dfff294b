// Whoever wants to know is mailed when a page is published.
import { usual } from '../../definition/usual.ts'
import { asked, people, type Template } from '../template.ts'

export const announcePages: Template = {
  slug: 'announce-pages',
  name: 'Mail new pages',
  description: 'Mails the address of each page that is made from a thread, an issue or an autofix.',
  inputs: asked({ to: people('Members who hear of every page, by id or verified address.') }),
  definition: {
    ...usual,
    triggers: [
      { on: 'event', event: 'threads.publish' },
      { on: 'event', event: 'issues.publish' },
      { on: 'event', event: 'autofixes.publish' },
    ],
    steps: [
      {
        do: 'send_email',
        with: {
          to: '{{ inputs.to }}',
          subject: 'A page was published',
          text: '{{ trigger.record.title }}: {{ trigger.record.url }}',
        },
      },
    ],
    grants: ['workspace_members:read', 'threads:read', 'autofixes:read', 'issues:read', 'pages:read'],
  },
}
