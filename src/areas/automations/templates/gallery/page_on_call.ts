// Many errors at once page whoever is on call, through an integration.
import { usual } from '../../definition/usual.ts'
import { asked, type Template } from '../template.ts'

// Counting alone is no event: an issue is opened or brought back when a threshold of a dataset or rule is reached.
const where = 'trigger.record.occurrences >= {{ inputs.occurrences }}'

export const pageOnCall: Template = {
  slug: 'page-on-error-spike',
  name: 'Page on-call on an error spike',
  description:
    'When alerts open an issue, or bring one back, that was counted often, calls an integration of the type custom: ' +
    'Slack, a pager or any address. Thresholds of datasets and rules say how many errors make an issue.',
  inputs: asked({
    integrationId: {
      title: 'Integration',
      description: 'The id of an integration of the type custom. Its body can use input.text, input.title and more.',
      type: 'string',
      pattern: '^int_[0-9a-z]{24}$',
    },
    occurrences: {
      title: 'Occurrences',
      description: 'From how many on.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10,
    },
  }),
  definition: {
    ...usual,
    triggers: [
      { on: 'event', event: 'issues.opened', where },
      { on: 'event', event: 'issues.reopened', where },
    ],
    steps: [
      {
        id: 'page',
        do: 'call_integration',
        with: {
          id: '{{ inputs.integrationId }}',
          input: {
            text: '{{ trigger.record.title }}: {{ trigger.record.occurrences }} times, {{ trigger.record.severity }}',
            title: '{{ trigger.record.title }}',
            severity: '{{ trigger.record.severity }}',
            occurrences: '{{ trigger.record.occurrences }}',
            issueId: '{{ trigger.record.id }}',
          },
        },
        retry: { max: 3, backoffSeconds: 10 },
      },
      {
        do: 'add_note',
        if: '!steps.page.output.ok',
        with: {
          id: '{{ trigger.record.id }}',
          text: 'Nobody was paged: the integration answered {{ steps.page.output.status }}.',
        },
      },
    ],
    grants: ['integrations:write', 'issues:read', 'issues:write'],
  },
}
