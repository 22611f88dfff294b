// What is asked: the same question to each server, as far as it knows the question.
import type { Person, Rival } from './people.ts'
import type { Request } from './wrk.ts'

export type Case = {
  name: string
  /** The least that the embedded engine must reach of the bare server, where something is promised. */
  least?: number
  leastOnPostgres?: number
  /** As often as Better Auth, at least. */
  leastOfRival?: number
  atrium(person: Person): Request[]
  rival?(person: Rival): Request[]
}

const json = { 'content-type': 'application/json' }

function created({ workspaceId }: Person): string {
  return JSON.stringify({ workspaceId, name: 'Nightly export', scopes: ['workspaces:read'] })
}

function toolCall(name: string): string {
  const prefix = 'io.modelcontextprotocol/'
  const _meta = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientInfo`]: { name: 'bench', version: '1' },
    [`${prefix}clientCapabilities`]: {},
  }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta } })
}

const whoami = '/v1/auth/whoami'
const rivalWhoami = '/api/auth/get-session'

const get = (person: Person): Request => ({
  path: `/v1/api_keys/${person.workspaceId}/${person.keyId}`,
  headers: person.session,
})
const list = (person: Person): Request => ({
  path: `/v1/api_keys/${person.workspaceId}?perPage=20`,
  headers: person.session,
})
const post = (person: Person): Request => ({
  method: 'POST',
  path: '/v1/api_keys',
  headers: { ...person.session, ...json },
  body: created(person),
})

export const cases: readonly Case[] = [
  {
    name: 'whoami by session',
    least: 0.7,
    leastOnPostgres: 0.3,
    atrium: ({ session }) => [{ path: whoami, headers: session }],
    rival: ({ session }) => [{ path: rivalWhoami, headers: session }],
  },
  {
    name: 'whoami by key',
    least: 0.7,
    leastOnPostgres: 0.3,
    atrium: ({ key }) => [{ path: whoami, headers: key }],
    rival: ({ key }) => [{ path: rivalWhoami, headers: key }],
  },
  {
    name: 'whoami by OAuth token',
    atrium: ({ application }) => [{ path: whoami, headers: application }],
  },
  { name: 'api_keys.get', least: 0.4, atrium: person => [get(person)] },
  {
    name: 'api_keys.list, 20 of 1,000',
    least: 0.2,
    atrium: person => [list(person)],
    rival: ({ session }) => [{ path: '/api/auth/api-key/list?limit=20', headers: session }],
  },
  {
    name: 'api_keys.post',
    least: 0.04,
    leastOfRival: 2,
    atrium: person => [post(person)],
    rival: ({ session }) => [
      {
        method: 'POST',
        path: '/api/auth/api-key/create',
        headers: { ...session, ...json },
        body: JSON.stringify({ name: 'Nightly export' }),
      },
    ],
  },
  {
    name: 'workspaces.patch',
    atrium: ({ workspaceId, session }) =>
      ['Engine room', 'Bridge'].map(description => ({
        method: 'PATCH',
        path: `/v1/workspaces/${workspaceId}`,
        headers: { ...session, ...json },
        body: JSON.stringify({ description }),
      })),
  },
  {
    name: 'MCP tools/call whoami',
    least: 0.05,
    atrium: ({ key }) => [
      {
        method: 'POST',
        path: '/mcp/all',
        headers: {
          ...key,
          ...json,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'auth_whoami',
        },
        body: toolCall('auth_whoami'),
      },
    ],
  },
  { name: 'OpenAPI document', atrium: () => [{ path: '/v1/openapi.json' }] },
  {
    name: '90 reads to 10 writes',
    atrium: person => [
      ...Array.from({ length: 9 }, (_, index) =>
        index % 3 === 0 ? list(person) : index % 3 === 1 ? get(person) : { path: whoami, headers: person.key },
      ),
      post(person),
    ],
  },
]
