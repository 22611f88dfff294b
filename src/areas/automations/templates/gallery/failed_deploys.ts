// What deploys sends a webhook; a failed deploy becomes an issue.
import { usual } from '../../definition/usual.ts'
import { asked, severity, type Template } from '../template.ts'

export const failedDeploys: Template = {
  slug: 'failed-deploys',
  name: 'Open issues for failed deploys',
  description:
    'Takes signed webhooks such as {"service": "checkout", "status": "failed", "version": "1.4.2", "url": "https://…"} ' +
    'and opens an issue where the status is failed. The answer to the installation has the address and the secret.',
  inputs: asked({ severity: severity('high', 'Of the issue.') }),
  definition: {
    ...usual,
    triggers: [{ on: 'webhook', signed: true }],
    condition: 'trigger.body.status == "failed"',
    steps: [
      {
        id: 'issue',
        do: 'create_issue',
        with: {
          title: 'The deploy of {{ trigger.body.service }} failed',
          body: 'Version {{ trigger.body.version }} did not get out.',
          severity: '{{ inputs.severity }}',
          source: { type: 'automation', url: '{{ trigger.body.url }}' },
        },
      },
    ],
    grants: ['issues:write'],
  },
}
