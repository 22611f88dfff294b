// Ready automations: looked at by everybody, installed with a few values.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { object, record } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { Definition } from '../fields/contract.ts'
import { AutomationWithSecret, description, name } from '../records/contract.ts'

const slug = Type.String({ maxLength: 64, pattern: '^[a-z0-9-]+$', examples: ['investigate-critical-issues'] })

export const AutomationTemplate = record('AutomationTemplate', {
  slug,
  name,
  description,
  inputs: Type.Record(Type.String(), Type.Unknown(), {
    description: 'A JSON Schema of the values that it is installed with: an integration, a channel, an hour.',
    examples: [{ type: 'object', properties: {} }],
  }),
  definition: Definition,
})

export const templates = area('automations', {
  'automations.templates': {
    summary: 'List the automations that come ready',
    route: 'GET /v1/public/automations/templates',
    words: 'gallery examples library catalogue',
    access: 'public',
    result: object({ items: Type.Array(AutomationTemplate) }),
  },
  'automations.templates.install': {
    summary: 'Make an automation from a template',
    description: 'Where it has a webhook, the answer shows its address and secret, this once.',
    past: 'installed a template as',
    route: 'POST /v1/automations/{workspaceId}/templates/{template}/install',
    words: 'gallery use add ready example',
    access: ['automations:write'],
    counts: 'automations',
    restricted: agentCallers,
    path: object({ workspaceId: WorkspaceId, template: slug }),
    body: object({
      inputs: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'As the template says.', examples: [{}] }),
      ),
      enabled: Type.Optional(Type.Boolean({ default: true })),
    }),
    result: AutomationWithSecret,
    status: 201,
    errors: ['not_found'],
  },
})
