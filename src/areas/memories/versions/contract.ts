// The texts that a memory has had: read, compared, brought back.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { object } from '../../../contract/records.ts'
import { Memory, MemoryId, MemoryVersion } from '../fields/contract.ts'

const memory = { workspaceId: WorkspaceId, id: MemoryId }

export const versions = area('memories', {
  'memories.versions.list': {
    summary: 'List the texts that a memory has had',
    description: 'Each with who wrote it and when, the one that counts now included.',
    route: 'GET /v1/memories/{workspaceId}/{id}/versions',
    words: 'history past changes previous revisions of a fact',
    access: ['memories:read'],
    path: object(memory),
    query: list({ sort: ['version'], filter: ['version'] }),
    result: page(MemoryVersion),
    errors: ['not_found'],
  },
  'memories.versions.revert': {
    summary: 'Bring back an earlier text of a memory',
    description:
      'Title and text as they were then, as a new version. Where another active memory that you can see says the ' +
      'same, it is 409 with its id as `existingId`.',
    route: 'POST /v1/memories/{workspaceId}/{id}/versions/{version}/revert',
    past: 'brought back a version of',
    words: 'undo restore roll back previous text of a fact',
    access: ['memories:write'],
    agents: ['investigation', 'autofix'],
    path: object({ ...memory, version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', examples: ['1'] }) }),
    result: Memory,
    errors: ['not_found'],
  },
})
