// What the calling credential may do, and why not.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { nullable, object, record } from '../../contract/records.ts'

const Explanation = record('AccessExplanation', {
  operation: Type.String(),
  allowed: Type.Boolean(),
  scopes: Type.Array(Type.String({ description: 'The scopes that the operation needs.' })),
  role: nullable(Type.String({ description: 'What the owner of the credential is in the workspace.' })),
  reach: nullable(Type.String({ description: 'all, or own: only records of the credential’s owner.' })),
  reason: nullable(
    Type.String({ description: 'credential, caller_kind, unverified, membership, deleting, scope, role or policy' }),
  ),
  missing: Type.Array(Type.String({ description: 'The scopes that are missing.' })),
  detail: nullable(Type.String()),
})

export const access = area(
  'access',
  {
    'access.explain': {
      summary: 'Explain whether the calling credential may do something',
      route: 'GET /v1/access',
      words: 'permission allowed denied forbidden why may check can',
      access: 'credential',
      query: object({
        operation: Type.String({ maxLength: 128, examples: ['api_keys.list'] }),
        workspaceId: Type.Optional(WorkspaceId),
      }),
      result: Explanation,
    },
  },
  { about: 'Why a credential may or may not do something.' },
)
