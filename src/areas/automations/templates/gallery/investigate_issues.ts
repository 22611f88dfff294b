// A new critical issue is investigated at once.
import { usual } from '../../definition/usual.ts'
import { asked, type Template } from '../template.ts'

const where = 'trigger.record.severity == "critical"'

export const investigateIssues: Template = {
  slug: 'investigate-critical-issues',
  name: 'Investigate critical issues',
  description: 'Starts an investigation of each new critical issue, whether a person or an alert opened it.',
  inputs: asked({
    prompt: {
      title: 'Instructions',
      description: 'What the investigation is told beside the issue itself.',
      type: 'string',
      minLength: 1,
      maxLength: 8_000,
      default: 'Find the cause. Say what shows it, and what to do first.',
    },
  }),
  definition: {
    ...usual,
    triggers: [
      { on: 'event', event: 'issues.post', where },
      { on: 'event', event: 'issues.opened', where },
    ],
    steps: [
      {
        id: 'investigation',
        do: 'investigate',
        with: { id: '{{ trigger.record.id }}', prompt: '{{ inputs.prompt }}' },
      },
    ],
    grants: ['threads:write', 'issues:read', 'issues:write'],
    maxPerHour: 10,
  },
}
