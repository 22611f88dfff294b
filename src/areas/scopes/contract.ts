// The scopes, told to whoever wants to know.
import { Type } from 'typebox'
import { area } from '../../contract/operation.ts'
import { object, record } from '../../contract/records.ts'

const ScopeUse = record('ScopeUse', {
  scope: Type.String(),
  area: Type.String(),
  effect: Type.String({ description: 'read, write, delete or export' }),
  operations: Type.Array(Type.String({ description: 'Ids of the operations that need it.' })),
  roles: Type.Array(Type.String({ description: 'Roles that include it.' })),
})

export const scopes = area(
  'scopes',
  {
    'scopes.list': {
      summary: 'List every scope and the operations that need it',
      route: 'GET /v1/scopes',
      words: 'permissions rights exist',
      access: 'public',
      result: object({ items: Type.Array(ScopeUse), count: Type.Integer({ minimum: 0 }) }),
    },
  },
  { about: 'The list of scopes and what each opens.' },
)
