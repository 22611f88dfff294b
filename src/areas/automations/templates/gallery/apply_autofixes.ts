// An autofix that people approved becomes a pull request, once somebody says so.
import { usual } from '../../definition/usual.ts'
import { asked, type Template } from '../template.ts'

export const applyAutofixes: Template = {
  slug: 'apply-approved-autofixes',
  name: 'Apply approved autofixes',
  description:
    'When an autofix has the approvals that it needs, asks whether to go on, then commits it and asks for its merge. ' +
    'Approving the patch itself stays with people.',
  inputs: asked({
    target: {
      title: 'Target',
      description: 'pull_request asks for a merge, push pushes the branch only, branch keeps it here.',
      type: 'string',
      enum: ['branch', 'push', 'pull_request'],
      default: 'pull_request',
    },
  }),
  definition: {
    ...usual,
    triggers: [
      {
        on: 'event',
        event: 'autofixes.approve',
        where: 'trigger.record.status == "approved" && trigger.record.check.state != "conflict"',
      },
    ],
    steps: [
      {
        id: 'go',
        do: 'approve',
        with: {
          question: 'The autofix is approved. Apply it now?',
          details: {
            autofix: '{{ trigger.record.id }}',
            title: '{{ trigger.record.title }}',
            files: '{{ trigger.record.files }}',
            target: '{{ inputs.target }}',
          },
          expiresSeconds: 86_400,
        },
      },
      {
        id: 'applied',
        do: 'autofixes.apply',
        with: { id: '{{ trigger.record.id }}', target: '{{ inputs.target }}' },
        timeoutSeconds: 120,
      },
      {
        do: 'add_note',
        if: 'trigger.record.issueId != null',
        with: {
          id: '{{ trigger.record.issueId }}',
          text: 'An autofix was applied: {{ trigger.record.title }} {{ steps.applied.output.pullRequestUrl }}',
        },
      },
    ],
    grants: ['autofixes:read', 'autofixes:write', 'issues:write'],
  },
}
