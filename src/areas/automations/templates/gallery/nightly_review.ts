// Every night an agent looks at what a repository depends on.
import { usual } from '../../definition/usual.ts'
import { asked, hour, type Template, timezone } from '../template.ts'

export const nightlyReview: Template = {
  slug: 'nightly-dependency-review',
  name: 'Nightly dependency review',
  description:
    'Every night, a thread in which an agent looks for outdated and unsafe dependencies of a repository, and opens ' +
    'issues for what should not wait. It needs a runner in the settings of the workspace.',
  inputs: asked({
    repositoryId: {
      title: 'Repository',
      description: 'The id of the repository.',
      type: 'string',
      pattern: '^repo_[0-9a-z]{24}$',
    },
    hour: hour(2),
    timezone,
  }),
  definition: {
    ...usual,
    triggers: [
      { on: 'schedule', cron: '0 {{ inputs.hour }} * * *', timezone: '{{ inputs.timezone }}', jitterSeconds: 600 },
    ],
    steps: [
      {
        id: 'review',
        do: 'thread',
        with: {
          name: 'Dependency review',
          instructions:
            'Review the dependencies of the repository {{ inputs.repositoryId }}: read its manifests and lock files, ' +
            'and what changed in them lately. Name what is outdated, abandoned or known to be unsafe, most urgent ' +
            'first, with file and version. Open an issue for what should not wait, unless there is one already.',
          waitSeconds: 7_200,
        },
      },
    ],
    // What the agent in the thread reads and opens, beside the thread itself.
    grants: ['threads:read', 'threads:write', 'repositories:read', 'messages:write', 'issues:read', 'issues:write'],
    concurrency: 'skip',
  },
}
