// Claims: who has proven the address of a person whom an import brought may become that person, and nobody is made to.
import { Type } from 'typebox'
import { UserId, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { roles } from '../../../contract/permissions.ts'
import { choice, deleted, nullable, object, personal, record, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'

export const WorkspaceClaim = record('WorkspaceClaim', {
  id: { ...UserId, description: 'The id that the person has in that workspace until it is claimed.' },
  forename: personal(Type.String({ description: 'As whom that workspace knows me.', examples: ['Ada'] })),
  surname: personal(nullable(Type.String({ examples: ['Lovelace'] }))),
  workspaceId: WorkspaceId,
  workspaceName: Type.String({ examples: ['Analytical Engines'] }),
  position: choice(roles),
  created: { ...timestamp, description: 'When the workspace was imported.' },
  _object: choice(['workspace_claim']),
})

const path = object({ id: UserId })

export const claims = area('workspaces', {
  'workspaces.claims.list': {
    summary: 'List the imported workspaces that I may claim a place in',
    description:
      'Whoever imports a workspace names its people by their addresses. Where one is mine, I am no member until I claim ' +
      'the place, and nobody is told whether I have an account.',
    route: 'GET /v1/workspaces/claims',
    words: 'imported placeholder join mine membership',
    access: 'user',
    query: list({ sort: ['created', 'id'], filter: ['id', 'workspaceId'] }),
    result: page(WorkspaceClaim),
  },
  'workspaces.claims.accept': {
    counts: 'members',
    summary: 'Claim my place in an imported workspace',
    description:
      'I am a member at once, as what the person was. What that person wrote and owns is put under my name in the background.',
    past: 'claimed a place in',
    route: 'POST /v1/workspaces/claims/{id}/accept',
    words: 'imported placeholder join membership',
    access: 'user',
    restricted: agentCallers,
    path,
    result: WorkspaceClaim,
    errors: ['not_found'],
  },
  'workspaces.claims.del': {
    summary: 'Leave a place in an imported workspace unclaimed',
    description: 'It is not offered again, and nobody in that workspace is told.',
    past: 'left unclaimed',
    route: 'DELETE /v1/workspaces/claims/{id}',
    words: 'decline ignore imported placeholder',
    access: 'user',
    restricted: agentCallers,
    path,
    result: deleted('workspace_claim', { id: UserId }),
    errors: ['not_found'],
  },
})
