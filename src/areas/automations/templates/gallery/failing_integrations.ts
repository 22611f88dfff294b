// An integration that does not get through becomes an issue.
import { usual } from '../../definition/usual.ts'
import { asked, severity, type Template } from '../template.ts'

export const failingIntegrations: Template = {
  slug: 'failing-integrations',
  name: 'Open issues for failing integrations',
  description:
    'When nothing gets through to an integration, or it was disabled, opens an issue. While that issue is open, the ' +
    'same integration is counted on it.',
  inputs: asked({ severity: severity('high', 'Of the issue.') }),
  definition: {
    ...usual,
    triggers: [
      { on: 'event', event: 'integrations.failing' },
      { on: 'event', event: 'integrations.disabled' },
    ],
    steps: [
      {
        do: 'issues.alerts.post',
        with: {
          alerts: [
            {
              title: 'The integration {{ trigger.record.name }} fails',
              fingerprint: 'integration-{{ trigger.record.id }}',
              severity: '{{ inputs.severity }}',
              body: 'It is {{ trigger.record.status }}. The last error: {{ trigger.record.lastError }}',
              resources: ['integration/{{ trigger.record.slug }}'],
              source: { type: 'automation' },
            },
          ],
        },
      },
    ],
    grants: ['integrations:read', 'issues:write'],
  },
}
