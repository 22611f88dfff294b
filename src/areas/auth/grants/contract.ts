// The applications that a user has let in.
import { Type } from 'typebox'
import { GrantId, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, deleted, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { scopes } from '../../../contract/scopes.ts'

export const Grant = record('Grant', {
  id: GrantId,
  clientId: Type.String({ examples: ['atrium-cli'] }),
  clientName: Type.String({ examples: ['Atrium command line'] }),
  workspaceId: nullable(WorkspaceId),
  scopes: Type.Array(choice(scopes, { title: 'Scope' })),
  scopeUse: Type.Record(Type.String(), timestamp, { description: 'When each scope was last used.', examples: [{}] }),
  created: timestamp,
  lastUsedAt: nullable(timestamp),
  expiresAt: timestamp,
  _object: choice(['grant']),
})

export const grants = area(
  'auth.grants',
  {
    'auth.grants.list': {
      summary: 'List the applications I have let in',
      route: 'GET /v1/auth/grants',
      words: 'apps connected applications authorized account consent',
      access: 'user',
      query: list({
        sort: ['created', 'clientName', 'lastUsedAt', 'expiresAt'],
        filter: ['id', 'clientId', 'clientName', 'workspaceId'],
      }),
      result: page(Grant),
    },
    'auth.grants.del': {
      summary: 'Shut out an application: its tokens and keys end at once',
      route: 'DELETE /v1/auth/grants/{id}',
      words: 'revoke app access disconnect application',
      access: 'user',
      path: object({ id: GrantId }),
      result: deleted('grant', { id: GrantId }),
      errors: ['not_found'],
    },
  },
  { events: { 'auth.grants.post': 'A user let an application in at the consent page' } },
)
