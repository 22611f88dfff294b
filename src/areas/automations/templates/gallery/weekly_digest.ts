// Once a week: what happened, as a page that people are mailed.
import { usual } from '../../definition/usual.ts'
import { asked, hour, people, type Template, timezone } from '../template.ts'

export const weeklyDigest: Template = {
  slug: 'weekly-digest',
  name: 'Weekly digest',
  description:
    'Every Monday, an agent writes what happened last week; it is published as a page and mailed. It needs a runner in ' +
    'the settings of the workspace.',
  inputs: asked({ to: people('Members who get the digest, by id or verified address.'), hour: hour(8), timezone }),
  definition: {
    ...usual,
    triggers: [{ on: 'schedule', cron: '0 {{ inputs.hour }} * * 1', timezone: '{{ inputs.timezone }}' }],
    steps: [
      {
        id: 'digest',
        do: 'thread',
        with: {
          name: 'Weekly digest',
          instructions:
            'Write a digest of the last seven days for the whole team, in at most one page: issues that were opened ' +
            'and resolved, what is still open and critical, autofixes that were merged. Link what you name. Facts ' +
            'only; leave out what you cannot find.',
          waitSeconds: 3_600,
        },
      },
      {
        id: 'page',
        do: 'publish_page',
        with: {
          id: '{{ steps.digest.output.threadId }}',
          title: 'Weekly digest',
          visibility: 'workspace',
          ttlDays: 365,
        },
      },
      {
        do: 'send_email',
        with: {
          to: '{{ inputs.to }}',
          subject: 'The weekly digest',
          text: 'What happened last week: {{ steps.page.output.url }}',
        },
      },
    ],
    // What the agent in the thread reads, beside what the steps use.
    grants: [
      'workspace_members:read',
      'threads:read',
      'threads:write',
      'messages:write',
      'autofixes:read',
      'issues:read',
    ],
    concurrency: 'skip',
    missed: 'run_once',
  },
}
