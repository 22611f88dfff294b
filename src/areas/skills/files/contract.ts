// The files of a skill beside its SKILL.md.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { deleted, nullable, object } from '../../../contract/records.ts'
import { mostFileBytes, path, SkillFile, SkillFileId, SkillId } from '../fields/contract.ts'

const skill = { workspaceId: WorkspaceId, id: SkillId }
const file = { ...skill, fileId: SkillFileId }

export const files = area('skills', {
  'skills.files.list': {
    summary: 'List the files of a skill',
    route: 'GET /v1/skills/{workspaceId}/{id}/files',
    words: 'scripts references assets folder contents',
    access: ['skills:read'],
    path: object(skill),
    query: list({ sort: ['path', 'size', 'created'], filter: ['path', 'mimeType', 'sha256'] }),
    result: page(SkillFile),
    errors: ['not_found'],
  },
  'skills.files.get': {
    summary: 'Download a file of a skill',
    description: 'Also one of an earlier version, by its id there.',
    route: 'GET /v1/skills/{workspaceId}/{id}/files/{fileId}',
    words: 'read script reference asset',
    access: ['skills:read'],
    path: object(file),
    result: Type.String({ description: 'The file itself, not the envelope.' }),
    produces: ['application/octet-stream'],
    errors: ['not_found'],
  },
  'skills.files.put': {
    summary: 'Add a file to a skill, or replace it',
    description: 'A new version, unless the file is there already with these bytes.',
    route: 'PUT /v1/skills/{workspaceId}/{id}/files',
    past: 'put a file into',
    words: 'upload script reference asset write',
    access: ['skills:write'],
    path: object(skill),
    query: object({ path }),
    consumes: ['bytes'],
    bodyLimit: mostFileBytes,
    result: SkillFile,
    errors: ['not_found'],
  },
  'skills.files.del': {
    summary: 'Remove a file from a skill',
    description: 'A new version without it; earlier versions keep it.',
    route: 'DELETE /v1/skills/{workspaceId}/{id}/files/{fileId}',
    past: 'removed a file from',
    words: 'delete script reference asset',
    access: ['skills:delete'],
    reach: 'own',
    path: object(file),
    result: deleted('skill_file', { ...file, path }),
    errors: ['not_found'],
  },
  'skills.files.read': {
    summary: 'Read SKILL.md or a file of a skill as text',
    description: 'By its path; what is no text comes in base64.',
    route: 'GET /v1/skills/{workspaceId}/{id}/read',
    words: 'open contents script reference asset instructions',
    access: ['skills:read'],
    path: object(skill),
    query: object({ path }),
    result: object({
      path,
      mimeType: Type.String({ examples: ['text/markdown'] }),
      text: nullable(Type.String()),
      base64: nullable(Type.String()),
    }),
    errors: ['not_found'],
  },
})
