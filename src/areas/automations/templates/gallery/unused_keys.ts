// API keys that nobody uses are named once a week.
import { usual } from '../../definition/usual.ts'
import { asked, hour, hours, type Template, timezone } from '../template.ts'

const used = 'item.lastActive == null ? item.created : item.lastActive'
const span = 'duration("{{ inputs.hours }}h")'

export const unusedKeys: Template = {
  slug: 'unused-api-keys',
  name: 'Report unused API keys',
  description:
    'Every Monday, opens an issue for each API key that is enabled and was not used for some time. A key that was ' +
    'named before is counted on its issue.',
  inputs: asked({
    hours: hours(720, 'For how long a key was not used. 720 hours are 30 days.'),
    hour: hour(7),
    timezone,
  }),
  definition: {
    ...usual,
    triggers: [{ on: 'schedule', cron: '0 {{ inputs.hour }} * * 1', timezone: '{{ inputs.timezone }}' }],
    steps: [
      { id: 'keys', do: 'api_keys.list', with: { orderBy: 'lastActive', order: 'asc', perPage: 100 } },
      {
        do: 'forEach',
        with: { items: '{{ steps.keys.output.items }}' },
        steps: [
          {
            // By alert, so that the fingerprint keeps one issue for each key. The name of a key can be as long as a title.
            do: 'issues.alerts.post',
            if: `item.enabled && timestamp(now) - timestamp(${used}) > ${span}`,
            with: {
              alerts: [
                {
                  title: 'An API key is unused: {{ item.hint }}',
                  fingerprint: 'unused-{{ item.id }}',
                  severity: 'low',
                  body: 'The key {{ item.name }} ({{ item.id }}) was not used for {{ inputs.hours }} hours. Delete it, or say here why it stays.',
                  source: { type: 'automation' },
                },
              ],
            },
            onError: 'continue',
          },
        ],
      },
    ],
    grants: ['api_keys:read', 'issues:write'],
    missed: 'run_once',
  },
}
