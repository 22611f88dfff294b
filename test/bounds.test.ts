// Every text, list and object that anybody may send has an end, on every door: what has none can hold up everyone else.
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../src/contract/operation.ts'
import { searchTools } from '../src/contract/tool_search.ts'
import { catalogueOf } from '../src/mcp/catalogue.ts'
import { everydayTools } from '../src/mcp/everyday.ts'
import { toolsetOf } from '../src/mcp/toolset.ts'
import { operation as lookUp, operationIds, operations } from '../src/operations.ts'
import { compileQuery } from '../src/server/request/validation.ts'
import { connect, textOf } from './helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

type Plain = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  maxLength?: number
  pattern?: string
  format?: string
  maxItems?: number
  maxProperties?: number
  propertyNames?: { maxLength?: number }
  properties?: Record<string, Plain>
  patternProperties?: Record<string, Plain>
  additionalProperties?: boolean | Plain
  items?: Plain
  anyOf?: Plain[]
  allOf?: Plain[]
}

/** Objects whose fields the platform does not know: the body's 1 MiB and the depth of all bodies bound them. */
const freeForm: Record<string, string> = {
  'agent_tools.run.args': 'checked by the operation that it is for',
  'agent_tools.dryRun.args': 'checked by the operation that it is for',
  'automations.post.steps.with': 'checked by the operation that it is for',
  'automations.post.steps.steps.with': 'checked by the operation that it is for',
  'automations.post.steps.else.with': 'checked by the operation that it is for',
  'automations.post.steps.steps.steps.with': 'checked by the operation that it is for',
  'automations.post.steps.steps.else.with': 'checked by the operation that it is for',
  'automations.post.steps.else.steps.with': 'checked by the operation that it is for',
  'automations.post.steps.else.else.with': 'checked by the operation that it is for',
  'automations.patch.steps.with': 'checked by the operation that it is for',
  'automations.patch.steps.steps.with': 'checked by the operation that it is for',
  'automations.patch.steps.else.with': 'checked by the operation that it is for',
  'automations.patch.steps.steps.steps.with': 'checked by the operation that it is for',
  'automations.patch.steps.steps.else.with': 'checked by the operation that it is for',
  'automations.patch.steps.else.steps.with': 'checked by the operation that it is for',
  'automations.patch.steps.else.else.with': 'checked by the operation that it is for',
  'automations.post.triggers.form': 'a schema, 16 KiB in all',
  'automations.patch.triggers.form': 'a schema, 16 KiB in all',
  'automations.check.definition': 'checked as `automations.post` is',
  'automations.dryRun.input': 'checked by the form of the trigger',
  'automations.trigger.input': 'checked by the form of the trigger',
  'automations.trigger.payload': 'checked by the form of the trigger',
  'automations.templates.install.inputs': 'checked by the schema of the template',
  'call_read_operation.input': 'checked by the operation that it is for',
  'call_write_operation.input': 'checked by the operation that it is for',
  'call_delete_operation.input': 'checked by the operation that it is for',
  'integrations.call.input': 'rendered into a template of at most 1 MiB',
  'integrations.tools.call.arguments': 'checked against the schema of the tool',
  'messages.post.parts.args': 'counted with the whole message, 256 KiB',
  'messages.patch.parts.args': 'counted with the whole message, 256 KiB',
  'skills.post.parametersSchema': '16 KiB in all',
  'skills.patch.parametersSchema': '16 KiB in all',
  'threads.runs.post.steps.call.input': 'checked by the operation that it is for',
  'threads.runs.post.steps.hypothesis.steps.call.input': 'checked by the operation that it is for',
}

/** Longer than any text here has to be: a patch is the longest. */
const longestText = 1_048_576

/** Anchored at both ends, and nothing in it repeats without an end. */
function hasEnd(pattern: string): boolean {
  const bare = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return /^\^.*\$$/.test(bare) && !/[*+]|\{\d+,\}/.test(bare)
}

function isTextBounded({ enum: values, const: only, maxLength, pattern, format }: Plain): boolean {
  if (values !== undefined || only !== undefined) return true
  if (maxLength !== undefined) return maxLength <= longestText
  return (pattern !== undefined && hasEnd(pattern)) || format === 'date-time'
}

/** The places of a schema that take anything without an end. */
function* endless(schema: Plain, place: string): Generator<string> {
  const types = [schema.type ?? []].flat()
  if (types.includes('string') && !isTextBounded(schema) && !freeForm[place]) yield place
  if (types.includes('array') && schema.maxItems === undefined) yield `${place}[]`
  if (types.includes('object')) yield* endlessObject(schema, place)
  for (const part of [schema.items, schema.anyOf, schema.allOf].flat()) {
    if (part) yield* endless(part, place)
  }
}

function* endlessObject(schema: Plain, place: string): Generator<string> {
  const parts = { ...schema.properties, ...schema.patternProperties }
  for (const [name, part] of Object.entries(parts)) yield* endless(part, `${place}.${name}`)
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined
  const isMap = schema.maxProperties !== undefined && schema.propertyNames?.maxLength !== undefined
  if (!isClosed && !isMap && !freeForm[place]) yield `${place}{}`
}

const table = operationIds.map(id => [id, lookUp(id) as Operation] as const)

describe('every input', () => {
  it.each(table)('of %s has an end', (id, { path, query, body }) => {
    const inputs = [path, query, body].filter((part): part is NonNullable<typeof part> => part !== undefined)
    expect(inputs.flatMap(schema => [...endless(schema as Plain, id)])).toEqual([])
  })

  it('of the tools that stand for several operations has an end', () => {
    const found = everydayTools.flatMap(({ tool }) => [...endless(tool.inputSchema as Plain, tool.name)])
    expect(found).toEqual([])
  })

  it('that is a time has one too', () => {
    const { query } = lookUp('audit_logs.list') as Operation
    const check = compileQuery(query as TSchema)
    expect(() => check({ from: '2026-11-15T09:30:00.000Z' })).not.toThrow()
    expect(() => check({ from: `2026-11-15T09:30:00.${'0'.repeat(1_000)}Z` })).toThrow('"from"')
  })
})

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform({ env: { OAUTH_DYNAMIC_REGISTRATION: 'true' } })
  owner = await p.user()
})
afterAll(() => p.close())

describe('a text that is too long', () => {
  it('is refused in a filter, whichever way it is given, and says how long it may be', async () => {
    const long = 'x'.repeat(60_000)
    for (const query of [`name=${long}`, `name=a&name=${long}`, `name[]=${long}`]) {
      const answer = await p.request({
        url: `/v1/api_keys/${owner.workspaceId}?${query}`,
        headers: owner.headers,
      })
      expect(answer.status).toBe(400)
      expect(answer.error.detail).toMatch(/at most \d+ characters/)
    }
  })

  it('is refused by each tool that stands for several operations', async () => {
    const client = await connect(p, await p.key(owner))
    const long = 'invite a member '.repeat(50_000)
    for (const { tool } of everydayTools) {
      for (const [name, part] of Object.entries((tool.inputSchema as Plain).properties ?? {})) {
        if (part.type !== 'string') continue
        const result = await client.callTool({ name: tool.name, arguments: { [name]: long } })
        expect([tool.name, result.isError]).toEqual([tool.name, true])
        expect(textOf(result)).toMatch(new RegExp(`"${name}" .*at most \\d+ characters`))
      }
    }
    const unknown = await client.callTool({ name: 'api_keys_list', arguments: { [long]: 1 } })
    expect(textOf(unknown).length).toBeLessThan(1_000)
    await client.close()
  })

  it('costs a search no more than a short one', () => {
    const { tools } = catalogueOf(operations)
    const words = Array.from({ length: 100_000 }, (_, index) => `word${index}`).join(' ')
    // What is looked for is the beginning: the rest is passed over.
    expect(searchTools(tools, `invite ${words}`).map(({ id }) => id)).toEqual(
      searchTools(tools, `invite ${words}`.slice(0, 200)).map(({ id }) => id),
    )
  })

  it('in an address is cut to what a refusal can name', () => {
    const areas = toolsetOf(`/mcp/x/api_keys,${'x'.repeat(50_000)},teams`, {})?.areas
    expect(areas).toEqual(['api_keys', 'teams', 'x'.repeat(64)])
  })
})

describe('a body that is nested too deep', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const tooDeep = /nested more than 64 levels deep/

  it('is refused by every operation that takes one, in words, and is no fault of ours', async () => {
    for (const [id, operation] of table) {
      if (!operation.body) continue
      const url = operation.route.slice(operation.route.indexOf(' ') + 1).replace(/\{(\w+)\}/g, (_, name: string) => {
        return name === 'workspaceId' ? owner.workspaceId : name === 'name' ? 'scopes_list' : 'x'
      })
      const method = operation.route.slice(0, operation.route.indexOf(' ')) as 'POST'
      const headers = { ...owner.headers, 'content-type': 'application/json' }
      for (const levels of [66, 10_000, 400_000]) {
        const answer = await p.request({ method, url, headers, payload: `{"args":${nested(levels)}}` })
        expect([id, answer.status]).toEqual([id, 400])
        expect(answer.error.detail).toMatch(tooDeep)
      }
    }
  })

  it('is refused as the arguments of a tool, at /mcp and at a registration', async () => {
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    const run = `/v1/agent_tools/${owner.workspaceId}/api_keys_list/run`
    const args = (levels: number) => `{"args":{"name":${nested(levels)}}}`
    const deep = await p.request({ method: 'POST', url: run, headers, payload: args(10_000) })
    expect([deep.status, deep.error.detail]).toEqual([400, expect.stringMatching(tooDeep)])
    expect((await p.request({ method: 'POST', url: run, headers, payload: args(60) })).status).toBeLessThan(500)
    const key = await p.key(owner)
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"api_keys_list","arguments":${args(10_000)}}}`
    const mcp = await p.request({
      method: 'POST',
      url: '/mcp',
      headers: { ...key.headers, ...{ host: '127.0.0.1', 'content-type': 'application/json' } },
      payload: message,
    })
    expect([mcp.status, mcp.error.message]).toEqual([400, expect.stringMatching(tooDeep)])
    const registration = await p.request({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: `{"redirect_uris":["https://a.example/cb"],"x":${nested(10_000)}}`,
    })
    expect(registration.status).toBe(400)
    expect(registration.body).toEqual({ error: 'invalid_request', error_description: expect.stringMatching(tooDeep) })
  })

  it('is only what is nested: brackets in a text do not count', async () => {
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    const forename = `${'[{'.repeat(60)}\\"${'['.repeat(60)}`
    const answer = await p.request({
      method: 'PATCH',
      url: '/v1/auth/me',
      headers,
      payload: `{"forename":"${forename}"}`,
    })
    expect(answer.status).toBe(200)
  })

  it('cannot be made of a query', async () => {
    const url = `/v1/api_keys/${owner.workspaceId}?name${'[x]'.repeat(5_000)}=1`
    expect((await p.request({ url, headers: owner.headers })).status).toBe(200)
  })
})

describe('what an application asks for', () => {
  it('is refused where its address is longer than any that is meant', async () => {
    const answer = await p.request({ url: `/oauth/authorize?client_id=atrium-cli&state=${'x'.repeat(10_000)}` })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('invalid_request')
  })

  it('may still register', async () => {
    const answer = await p.request({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: { client_name: 'An application', redirect_uris: ['https://a.example/cb'] },
    })
    expect(answer.status).toBe(201)
  })
})
