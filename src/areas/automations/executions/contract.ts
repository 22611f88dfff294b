// Executions: what an automation did each time, step by step.
import { Type } from 'typebox'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { object } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { automationKey, Execution, ExecutionWithSteps, executionKey } from '../records/contract.ts'

export const executions = area('automations', {
  'automations.executions.list': {
    summary: 'List what an automation did',
    route: 'GET /v1/automations/{workspaceId}/{id}/executions',
    words: 'history runs log past',
    access: ['automations:read'],
    path: object(automationKey),
    query: list({ sort: ['created'], filter: ['status', 'skippedReason', 'version'], also: ['span'] }),
    result: page(Execution),
    errors: ['not_found'],
  },
  'automations.executions.get': {
    summary: 'Show an execution with the input and output of each step',
    description: 'Inputs and outputs are for those who hold all the scopes that the automation was granted.',
    route: 'GET /v1/automations/{workspaceId}/{id}/executions/{executionId}',
    words: 'history run steps log why failed',
    access: ['automations:read'],
    path: object(executionKey),
    result: ExecutionWithSteps,
    errors: ['not_found'],
  },
  'automations.executions.rerun': {
    summary: 'Do an execution again, from the start or from a step',
    description:
      'With the same trigger and the definition of now. What stands before `from` keeps what it gave; that takes the ' +
      'same version.',
    past: 'did an execution again of',
    route: 'POST /v1/automations/{workspaceId}/{id}/executions/{executionId}/rerun',
    words: 'retry repeat again replay resume',
    access: ['automations:write'],
    restricted: agentCallers,
    path: object(executionKey),
    body: object({
      from: Type.Optional(
        Type.String({
          maxLength: 100,
          pattern: '^[0-9]{1,2}$',
          description: 'The place of a step: `1` is the second.',
          examples: ['1'],
        }),
      ),
    }),
    result: Execution,
    status: 202,
    errors: ['not_found'],
  },
  'automations.executions.cancel': {
    summary: 'Cancel an execution',
    description: 'No further step is begun; one that is being made ends first. What was done stays done.',
    past: 'cancelled an execution of',
    route: 'POST /v1/automations/{workspaceId}/{id}/executions/{executionId}/cancel',
    words: 'stop abort kill end',
    access: ['automations:write'],
    path: object(executionKey),
    result: Execution,
    errors: ['not_found'],
  },
})
