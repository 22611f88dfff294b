// What a skill, its versions and its files are, within the bounds of the Agent Skills format.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { LabelIds } from '../../labels/contract.ts'
import { RatingCounts } from '../../ratings/contract.ts'
import { RepositoryId } from '../../repositories/fields/contract.ts'

export const SkillId = id('skill', 24)
export const SkillVersionId = id('skill_version', 24)
export const SkillFileId = id('skld', 24)

export const mostFiles = 100
export const mostFileBytes = 1024 * 1024
export const mostTotalBytes = 10 * 1024 * 1024
export const mostBodyBytes = 64 * 1024
export const mostParameterBytes = 16 * 1024
export const mostMetadata = 32
/** Of the whole SKILL.md: the body and as much again for what stands above it. */
export const mostMarkdown = 2 * mostBodyBytes
export const longest = { slug: 64, description: 1024, license: 128, compatibility: 500, metadata: 1024, tool: 256 }
export const mostTools = 100

/** The one name of a skill's own text, in its folder and in a zip. */
export const mainFile = 'SKILL.md'

export const slug = Type.String({
  minLength: 1,
  maxLength: longest.slug,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  'x-hint': 'lower case letters, digits and single hyphens between them',
  description: 'The `name` of the format, and of the prompt.',
  examples: ['triage-alerts'],
})
export const description = Type.String({
  minLength: 1,
  maxLength: longest.description,
  pattern: '\\S',
  'x-hint': 'a text that is not only spaces',
  description: 'What it does and when to use it: all that an agent knows before it reads the skill.',
  examples: ['Sorts new alerts by cause. Use when several alerts come at once.'],
})
export const body = shown(
  Type.String({
    maxLength: mostBodyBytes,
    description: 'The instructions.',
    examples: ['Look at the newest first.\n'],
  }),
  { format: 'markdown' },
)
export const license = Type.String({ minLength: 1, maxLength: longest.license, examples: ['Apache-2.0'] })
export const compatibility = Type.String({
  minLength: 1,
  maxLength: longest.compatibility,
  description: 'What it needs to work.',
  examples: ['Needs git'],
})
export const metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: Type.String({ maxLength: longest.metadata }),
  propertyNames: { minLength: 1, maxLength: longest.license },
  maxProperties: mostMetadata,
  examples: [{ author: 'platform-team' }],
})
export const allowedTools = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: longest.tool,
    pattern: '^[^\\s(),]+(\\([^()]*\\))?$',
    'x-hint': 'the name of a tool',
    examples: ['issues_list'],
  }),
  {
    maxItems: mostTools,
    description: 'A run that follows the skill calls these tools only; none: whatever it may call anyway.',
  },
)
export const parametersSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'JSON Schema of an object; its properties are the arguments of the prompt.',
  examples: [{ type: 'object', properties: { service: { type: 'string' } }, required: ['service'] }],
})
export const markdown = shown(
  Type.String({
    minLength: 1,
    maxLength: mostMarkdown,
    description: 'The whole SKILL.md, front matter and all; kept byte for byte.',
    examples: [
      '---\nname: triage-alerts\ndescription: Sorts new alerts by cause. Use when several come at once.\n---\n\nLook at the newest first.\n',
    ],
  }),
  { format: 'markdown' },
)
const version = Type.Integer({ minimum: 1, description: 'Counts the states that text and files have had.' })
const useCount = Type.Integer({ minimum: 0, description: 'How often agents at work took it; people are not counted.' })
export const path = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'In the folder of the skill, with `/` between names.',
  examples: ['references/causes.md'],
})

export const SkillFile = record(
  'SkillFile',
  {
    id: SkillFileId,
    workspaceId: WorkspaceId,
    skillId: SkillId,
    path,
    mimeType: Type.String({ examples: ['text/markdown'] }),
    size: shown(Type.Integer({ minimum: 0 }), { format: 'bytes' }),
    sha256: Type.String({ examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'] }),
    created: timestamp,
    _object: choice(['skill_file']),
  },
  { columns: ['path', 'mimeType', 'size', 'created'] },
)

const told = {
  id: SkillId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  slug,
  description,
  license: nullable(license),
  compatibility: nullable(compatibility),
  metadata,
  allowedTools,
  parametersSchema: nullable(parametersSchema),
  source: choice(['manual', 'template', 'imported', 'generated']),
  repositoryId: nullable({
    ...RepositoryId,
    description: 'Where it was imported from and follows each sync; null: from nowhere, or it no longer follows.',
  }),
  repositoryPath: nullable(Type.String({ description: 'Its folder there.', examples: ['skills/triage-alerts'] })),
  repositoryRef: nullable(
    Type.String({ description: 'The branch or tag; null: the default branch.', examples: ['main'] }),
  ),
  followError: nullable(
    Type.String({
      description: 'Why the last sync did not bring a new version.',
      examples: ['There is no such folder any more.'],
    }),
  ),
  enabled: Type.Boolean({ description: 'Agents find it, as a prompt and as a resource.' }),
  version,
  useCount,
  lastUsedAt: nullable(timestamp),
  labels: LabelIds,
  rating: RatingCounts,
  created: timestamp,
  updated: timestamp,
  _object: choice(['skill']),
}

const columns = ['slug', 'description', 'enabled', 'version', 'source', 'labels', 'useCount', 'updated'] as const

/** As lists show it: without its text and files. */
export const SkillSummary = record('SkillSummary', told, { columns })

export const Skill = record(
  'Skill',
  {
    ...told,
    body,
    markdown,
    files: Type.Array(SkillFile, { description: 'All but SKILL.md.' }),
    warnings: Type.Array(Type.String(), { description: 'What is allowed and may still be wrong.' }),
  },
  { columns },
)

export const SkillVersion = record(
  'SkillVersion',
  {
    id: SkillVersionId,
    workspaceId: WorkspaceId,
    skillId: SkillId,
    version,
    slug,
    markdown,
    parametersSchema: nullable(parametersSchema),
    files: Type.Array(SkillFile, { description: 'All but SKILL.md; each can be read by its id.' }),
    useCount,
    lastUsedAt: nullable(timestamp),
    rating: RatingCounts,
    authorId: nullable(OwnerId),
    callerKind: nullable(choice(agentCallers, { description: 'Where an agent at work wrote it.' })),
    created: timestamp,
    _object: choice(['skill_version']),
  },
  { columns: ['version', 'slug', 'useCount', 'authorId', 'created'] },
)

const Finding = object({
  line: Type.Integer({ minimum: 1 }),
  field: nullable(Type.String({ description: 'Of the front matter; null where it is about none.' })),
  message: Type.String(),
})

export const Validation = record('SkillValidation', {
  valid: Type.Boolean(),
  errors: Type.Array(Finding, { description: 'Why it is not taken.' }),
  advice: Type.Array(Finding, { description: 'What would make it better.' }),
})

export const ImportedSkill = record('ImportedSkill', {
  slug,
  id: SkillId,
  action: choice(['created', 'updated', 'unchanged']),
})
