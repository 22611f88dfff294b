// Skills: instructions that agents follow, in the Agent Skills format.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object } from '../../contract/records.ts'
import { LabelIds } from '../labels/contract.ts'
import { RepositoryId } from '../repositories/fields/contract.ts'
import {
  allowedTools,
  body,
  compatibility,
  description,
  ImportedSkill,
  license,
  markdown,
  metadata,
  mostMarkdown,
  mostTotalBytes,
  parametersSchema,
  Skill,
  SkillId,
  SkillSummary,
  slug,
  Validation,
} from './fields/contract.ts'
import { files } from './files/contract.ts'
import { versions } from './versions/contract.ts'

const skill = { workspaceId: WorkspaceId, id: SkillId }

/** Either these, or the whole as `markdown`. */
const texts = {
  slug: Type.Optional(slug),
  description: Type.Optional(description),
  body: Type.Optional(body),
  license: Type.Optional(nullable(license)),
  compatibility: Type.Optional(nullable(compatibility)),
  metadata: Type.Optional(metadata),
  allowedTools: Type.Optional(allowedTools),
  markdown: Type.Optional(markdown),
}

const beside = {
  parametersSchema: Type.Optional(nullable(parametersSchema)),
  enabled: Type.Optional(Type.Boolean()),
  labels: Type.Optional(LabelIds),
}

export const ownSkills = area('skills', {
  'skills.list': {
    summary: 'List the skills of a workspace',
    description: 'By name and description; `skills.get` has the text and the files.',
    route: 'GET /v1/skills/{workspaceId}',
    words: 'instructions prompts playbooks runbooks agent skill',
    access: ['skills:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'slug', 'id'],
      filter: ['id', 'slug', 'enabled', 'source', 'ownerId', 'labels'],
      also: ['q', 'span'],
    }),
    result: page(SkillSummary),
  },
  'skills.get': {
    summary: 'Show a skill with its text and the list of its files',
    route: 'GET /v1/skills/{workspaceId}/{id}',
    words: 'instructions prompt playbook runbook details read',
    access: ['skills:read'],
    path: object(skill),
    result: Skill,
    etag: true,
    errors: ['not_found'],
  },
  'skills.post': {
    summary: 'Create a skill',
    description:
      'From `slug`, `description` and `body` with what else the format knows, or from a whole SKILL.md as `markdown`.',
    route: 'POST /v1/skills',
    words: 'new instructions prompt playbook runbook write teach',
    access: ['skills:write'],
    body: object({
      workspaceId: WorkspaceId,
      ...texts,
      ...beside,
      source: Type.Optional(choice(['manual', 'template', 'generated'])),
    }),
    result: Skill,
    status: 201,
  },
  'skills.patch': {
    summary: 'Change, enable or disable a skill',
    description:
      'What changes its text or parameters is a new version. Only the changed lines of SKILL.md are written anew; ' +
      'with `markdown` it is replaced whole. To rename it with `markdown`, send the new `slug` too.',
    route: 'PATCH /v1/skills/{workspaceId}/{id}',
    words: 'edit instructions prompt rename enable disable turn off',
    access: ['skills:write'],
    path: object(skill),
    body: object({
      ...texts,
      ...beside,
      repositoryId: Type.Optional(
        Type.Null({ description: 'The skill no longer follows its repository; import it again to follow it.' }),
      ),
    }),
    result: Skill,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'skills.del': {
    summary: 'Delete a skill with its files and versions',
    description: 'To keep agents from using it only, disable it.',
    route: 'DELETE /v1/skills/{workspaceId}/{id}',
    words: 'remove erase instructions prompt',
    access: ['skills:delete'],
    reach: 'own',
    path: object(skill),
    result: deleted('skill', skill),
    errors: ['not_found'],
  },
  'skills.validate': {
    summary: 'Check a SKILL.md without saving it',
    description: 'Errors are what would be refused, each with its line; advice is what would make the skill better.',
    route: 'POST /v1/skills/{workspaceId}/validate',
    words: 'lint verify front matter yaml test format',
    access: ['skills:read'],
    audit: false,
    path: object({ workspaceId: WorkspaceId }),
    body: object({ markdown: Type.String({ maxLength: mostMarkdown, examples: ['# No front matter yet'] }) }),
    result: Validation,
  },
  'skills.prompt': {
    summary: 'Show the prompt that a skill makes of arguments',
    description:
      'What agents get over MCP: the instructions, with `{{name}}` replaced by its argument, and arguments that are ' +
      'nowhere named in a list at the end.',
    route: 'POST /v1/skills/{workspaceId}/{id}/prompt',
    words: 'try render preview instructions with arguments parameters use follow',
    access: ['skills:read'],
    audit: false,
    path: object(skill),
    body: object({
      arguments: Type.Optional(
        Type.Unsafe<Record<string, string>>({
          type: 'object',
          additionalProperties: Type.String({ maxLength: 16_384 }),
          propertyNames: { maxLength: 64 },
          maxProperties: 32,
          examples: [{ service: 'checkout' }],
          description: 'By the names of the parameters; numbers and the like as text.',
        }),
      ),
    }),
    result: object({
      slug,
      description,
      text: Type.String(),
      allowedTools,
      files: Type.Array(Type.String({ description: 'A path.' })),
    }),
    errors: ['not_found'],
  },
  'skills.import': {
    summary: 'Create or update skills from a zip or a repository',
    description:
      'Folders with a SKILL.md each, or one at the top. A skill that is there already gets a new version where anything ' +
      'differs. All are taken, or none. As JSON, `{repositoryId, path, ref}` names a folder of a repository, which takes ' +
      '`repositories:read` too; what comes from there follows the repository at each sync.',
    route: 'POST /v1/skills/{workspaceId}/import',
    past: 'imported',
    words: 'upload zip folder install add skills from git repository follow sync',
    access: ['skills:write'],
    path: object({ workspaceId: WorkspaceId }),
    consumes: ['zip', 'json'],
    jsonContent: object({
      repositoryId: RepositoryId,
      path: Type.Optional(
        Type.String({
          maxLength: 1_024,
          description:
            'The folder of a skill, or one with several below it; all of the repository where it is left out.',
          examples: ['skills'],
        }),
      ),
      ref: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: 'The default branch where it is left out.',
          examples: ['main'],
        }),
      ),
    }),
    bodyLimit: mostTotalBytes + 2 * 1024 * 1024,
    result: object({ items: Type.Array(ImportedSkill) }),
    errors: ['not_found'],
  },
  'skills.export': {
    summary: 'Download a skill as a zip',
    description: 'Its folder: SKILL.md and the files, byte for byte as they were sent.',
    route: 'GET /v1/skills/{workspaceId}/{id}/export',
    words: 'download backup zip folder',
    access: ['skills:read'],
    path: object(skill),
    result: Type.String({ description: 'The zip itself, not the envelope.' }),
    produces: ['application/zip'],
    errors: ['not_found'],
  },
})

export const skills = area(
  'skills',
  { ...ownSkills.operations, ...files.operations, ...versions.operations },
  {
    about: 'Instructions that agents follow, in the Agent Skills format.',
    carries: { skills: {}, skill_versions: {}, skill_files: { hasFiles: true } },
    records: {
      skill: {
        id: SkillId,
        table: 'skills',
        title: 'slug',
        search: ['slug', 'description', 'markdown'],
        owned: true,
        labels: true,
        ratings: true,
      },
    },
    events: {
      'skills.followed': 'A skill got a new version from the repository that it follows.',
    },
    refers: {
      'skill_versions.author_user_id': 'workspace_member',
      'skill_versions.author_team_id': 'team',
      'skill_versions.author_client_id': 'oauth_client',
    },
  },
)
