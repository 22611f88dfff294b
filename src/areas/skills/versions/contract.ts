// The states that a skill has had: read, compared, brought back.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { object } from '../../../contract/records.ts'
import { Skill, SkillId, SkillVersion } from '../fields/contract.ts'

const skill = { workspaceId: WorkspaceId, id: SkillId }

export const versions = area('skills', {
  'skills.versions.list': {
    summary: 'List the versions of a skill, with their files and use',
    description: 'The one that counts now included. A rating is counted for the version that it was given to.',
    route: 'GET /v1/skills/{workspaceId}/{id}/versions',
    words: 'history past changes previous revisions of instructions',
    access: ['skills:read'],
    path: object(skill),
    query: list({ sort: ['version'], filter: ['version'] }),
    result: page(SkillVersion),
    errors: ['not_found'],
  },
  'skills.versions.revert': {
    summary: 'Bring back an earlier version of a skill',
    description: 'Text, parameters and files as they were then, as a new version.',
    route: 'POST /v1/skills/{workspaceId}/{id}/versions/{version}/revert',
    past: 'brought back a version of',
    words: 'undo restore roll back previous instructions',
    access: ['skills:write'],
    path: object({ ...skill, version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', examples: ['1'] }) }),
    result: Skill,
    errors: ['not_found'],
  },
})
