// Webhooks of automations: the address that starts one, and a new one in its place.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { object, secret } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { ExecutionId } from '../fields/contract.ts'
import { AutomationWithSecret, automationKey } from '../records/contract.ts'

export const hooks = area('automations', {
  'automations.rotateHook': {
    summary: 'Give an automation a new webhook address and secret',
    description: 'The old ones end at once.',
    past: 'gave a new webhook address to',
    route: 'POST /v1/automations/{workspaceId}/{id}/hook/rotate',
    words: 'renew secret token webhook url',
    access: ['automations:write'],
    restricted: agentCallers,
    path: object(automationKey),
    result: AutomationWithSecret,
    errors: ['not_found'],
  },
  'automations.hook': {
    summary: 'Start an automation by its webhook',
    description: 'The token in the address says which. Answers 202 with the execution; a wrong signature is 401.',
    route: 'POST /v1/hooks/automations/{token}',
    access: 'public',
    path: object({
      token: secret({
        minLength: 10,
        maxLength: 100,
        pattern: '^ahk_[A-Za-z0-9_-]+$',
        examples: ['ahk_0123456789abcdefghijklmnopqrstuvwxyz0123456'],
      }),
    }),
    consumes: ['any'],
    hearsHeaders: true,
    bodyLimit: 256 * 1024,
    result: object({ executionId: ExecutionId, status: Type.String() }),
    status: 202,
    errors: ['not_found', 'unauthorized'],
    audit: false,
    tool: false,
  },
})
