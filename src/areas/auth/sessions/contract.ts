// Sessions of a user: who is logged in where, and how to end it.
import { Type } from 'typebox'
import { id } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { deleted, nullable, object, personal, record, timestamp } from '../../../contract/records.ts'

export const SessionId = id('session', 24)

export const Session = record('Session', {
  id: SessionId,
  device: Type.String({ description: 'Browser and system, as far as they say.', examples: ['Firefox on Linux'] }),
  address: personal(nullable(Type.String())),
  created: timestamp,
  lastUsed: timestamp,
  expires: timestamp,
  isCurrent: Type.Boolean(),
})

export const sessions = area('auth.sessions', {
  'auth.sessions.list': {
    summary: 'List my sessions',
    route: 'GET /v1/auth/sessions',
    words: 'where logged in devices active login',
    access: 'user',
    query: list({ sort: ['created', 'lastUsed', 'id'], filter: ['id'] }),
    result: page(Session),
  },
  'auth.sessions.del': {
    summary: 'End one of my sessions',
    route: 'DELETE /v1/auth/sessions/{id}',
    words: 'sign out log out another device logout',
    access: 'user',
    path: object({ id: SessionId }),
    result: deleted('session', { id: SessionId }),
    errors: ['not_found'],
  },
  'auth.sessions.delOthers': {
    summary: 'End all my sessions but this one',
    route: 'DELETE /v1/auth/sessions',
    words: 'log out sign out everywhere else other devices logout',
    access: 'user',
    result: object({ ended: Type.Integer({ minimum: 0 }) }),
  },
})
