// The states that an automation has had: read, compared, brought back.
import { Type } from 'typebox'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { object } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { Automation, AutomationVersion, automationKey } from '../records/contract.ts'

const version = Type.String({ pattern: '^[1-9][0-9]{0,8}$', examples: ['1'] })

export const versions = area('automations', {
  'automations.versions.list': {
    summary: 'List the versions of an automation',
    route: 'GET /v1/automations/{workspaceId}/{id}/versions',
    words: 'history past changes previous revisions',
    access: ['automations:read'],
    path: object(automationKey),
    query: list({ sort: ['version'], filter: ['version'] }),
    result: page(AutomationVersion),
    errors: ['not_found'],
  },
  'automations.versions.get': {
    summary: 'Show a version of an automation',
    route: 'GET /v1/automations/{workspaceId}/{id}/versions/{version}',
    words: 'history past definition revision compare',
    access: ['automations:read'],
    path: object({ ...automationKey, version }),
    result: AutomationVersion,
    errors: ['not_found'],
  },
  'automations.versions.revert': {
    summary: 'Bring back an earlier version of an automation',
    description: 'As a new version, with what it was granted then: you must hold all of it.',
    past: 'brought back a version of',
    route: 'POST /v1/automations/{workspaceId}/{id}/versions/{version}/revert',
    words: 'undo restore roll back previous',
    access: ['automations:write'],
    restricted: agentCallers,
    path: object({ ...automationKey, version }),
    result: Automation,
    errors: ['not_found'],
  },
})
