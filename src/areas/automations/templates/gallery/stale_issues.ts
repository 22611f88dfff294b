// Open issues on which nothing happens are asked about.
import { usual } from '../../definition/usual.ts'
import { asked, hour, hours, type Template, timezone } from '../template.ts'

const span = 'duration("{{ inputs.hours }}h")'

export const staleIssues: Template = {
  slug: 'stale-issues',
  name: 'Ask about stale issues',
  description:
    'Every weekday, writes a note on open issues on which nothing happened for some time. The note counts as something ' +
    'that happened, so the next one comes after as long again.',
  inputs: asked({
    hours: hours(336, 'For how long nothing happened. 336 hours are two weeks.'),
    hour: hour(9),
    timezone,
  }),
  definition: {
    ...usual,
    triggers: [{ on: 'schedule', cron: '0 {{ inputs.hour }} * * 1-5', timezone: '{{ inputs.timezone }}' }],
    steps: [
      {
        id: 'issues',
        do: 'issues.list',
        with: { status: ['new', 'triaging', 'open'], orderBy: 'updated', order: 'asc', perPage: 100 },
      },
      {
        do: 'forEach',
        with: { items: '{{ steps.issues.output.items }}' },
        steps: [
          {
            // Notes do not change when an issue was updated: the newest entry of the timeline tells.
            id: 'newest',
            do: 'issues.timeline.list',
            if: `timestamp(now) - timestamp(item.updated) > ${span}`,
            with: { id: '{{ item.id }}', order: 'desc', perPage: 1 },
          },
          {
            do: 'add_note',
            if: `steps.newest.output.items.exists(entry, timestamp(now) - timestamp(entry.at) > ${span})`,
            with: {
              id: '{{ item.id }}',
              text: 'Nothing happened here for {{ inputs.hours }} hours. Is it still a problem? Close it, or say what comes next.',
            },
            onError: 'continue',
          },
        ],
      },
    ],
    grants: ['issues:read', 'issues:write'],
    concurrency: 'skip',
  },
}
