// What the list of tools costs a model before it has done anything.
import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { list, page } from '../../src/contract/list.ts'
import type { Operation, Operations } from '../../src/contract/operation.ts'
import { object, record } from '../../src/contract/records.ts'
import { scopes } from '../../src/contract/scopes.ts'
import { toolList } from '../../src/mcp/tools.ts'
import { toolsetOf } from '../../src/mcp/toolset.ts'
import { operations } from '../../src/operations.ts'

/** Every operation that there is, and as many more as make four hundred. */
function fourHundred(): Operations {
  const table: Record<string, Operation> = { ...operations }
  const areas = ['issues', 'threads', 'datasets', 'automations', 'repositories', 'cloud_accounts']
  for (let index = 0; Object.keys(table).length < 400; index++) {
    const area = areas[index % areas.length] as 'issues'
    const name = `part${index}`
    const fields = { id: Type.String(), title: Type.String(), body: Type.String() }
    table[`${area}.${name}.list`] = {
      summary: `List the parts of kind ${index} of a workspace, with all that is known of them`,
      description: 'A longer text that says who may see what, and in which order things come.',
      route: `GET /v1/${area}/{workspaceId}/${name}`,
      access: [`${area}:read`],
      path: object({ workspaceId: Type.String() }),
      query: list({ sort: ['id', 'title'], filter: ['id', 'title'] }),
      result: page(record(`Part${index}`, fields)),
    }
  }
  return table
}

const standing = {
  credential: 'key',
  callerKind: null,
  scopes,
  userId: 'usr_1',
  boundTo: 'ws_1',
  role: 'owner',
  workspaceId: 'ws_1',
  workspaceStatus: 'active',
  unverified: false,
} as const

function tokensAt(path: string, table: Operations): number {
  const toolset = toolsetOf(path, {})
  if (!toolset) throw new Error(path)
  return JSON.stringify({ tools: toolList(table, { toolset, standing, policies: new Map() }) }).length / 4
}

it('costs at most 4,000 tokens at /mcp, with 400 operations as well', () => {
  const table = fourHundred()
  expect(Object.keys(table)).toHaveLength(400)
  expect(tokensAt('/mcp', operations)).toBeLessThanOrEqual(4000)
  expect(tokensAt('/mcp', table)).toBeLessThanOrEqual(4000)
  expect(tokensAt('/mcp/all', table)).toBeGreaterThan(4000)
})

it('is the same list for the same address, headers, scopes and policy, and made once', () => {
  const view = { toolset: toolsetOf('/mcp/all', {})!, standing, policies: new Map() }
  const first = toolList(operations, view)
  expect(toolList(operations, structuredClone(view))).toBe(first)
  expect(toolList(operations, { ...view, standing: { ...standing, scopes: [...scopes].reverse() } })).toBe(first)
  expect(toolList(operations, { ...view, standing: { ...standing, scopes: [] } })).not.toEqual(first)
  const denied = new Map([
    ['api_keys_list', { mode: 'deny' as const, perKind: {}, maxCallsPerRun: null, argRules: [] }],
  ])
  expect(toolList(operations, { ...view, policies: denied })).toHaveLength(first.length - 1)
})

it('reads an address, and headers where the address leaves it open', () => {
  expect(toolsetOf('/mcp', {})).toEqual({ areas: 'everyday', isReadonly: false })
  expect(toolsetOf('/mcp/readonly', {})).toEqual({ areas: 'everyday', isReadonly: true })
  expect(toolsetOf('/mcp/all', { 'x-mcp-toolsets': 'teams' })).toEqual({ areas: 'all', isReadonly: false })
  expect(toolsetOf('/mcp/x/teams,%20api_keys%2cteams', {})?.areas).toEqual(['teams', '%20api_keys'])
  expect(toolsetOf('/mcp/x/teams,api_keys/readonly', {})).toEqual({ areas: ['api_keys', 'teams'], isReadonly: true })
  expect(toolsetOf('/mcp', { 'x-mcp-toolsets': 'teams, scopes', 'x-mcp-readonly': 'true' })).toEqual({
    areas: ['scopes', 'teams'],
    isReadonly: true,
  })
  expect(toolsetOf('/mcp/elsewhere', {})).toBe(null)
  expect(toolsetOf('/mcp/x/teams/writable', {})).toBe(null)
})
