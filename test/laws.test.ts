// What is true of every operation, whoever wrote its area.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'
import { example } from '../src/contract/examples.ts'
import { errorsOf, hasBody, methodOf, type Operation, pathOf } from '../src/contract/operation.ts'
import { roleScopes } from '../src/contract/permissions.ts'
import { agentCallers, type Scope, scopes } from '../src/contract/scopes.ts'
import { isTool } from '../src/contract/tools.ts'
import { areas, operation as lookUp, operationIds } from '../src/operations.ts'
import { compileBody, compileQuery } from '../src/server/request/validation.ts'
import { areasIn } from './example/areas_in.ts'

/** Operations whose scope is not the one of their method, each with its reason. */
const otherScopes: Record<string, string> = {
  'agent_tools.run': 'may be a read; what does more asks for `agent_tools:write` when it runs',
  'analytics.dashboards.put': 'the area has no right to write; who may take numbers out may say what others see first',
  'analytics.dashboards.putMine': 'a person says what they see first; nothing of the workspace changes',
  'analytics.export': 'a file in bulk, which has a right of its own',
  'analytics.publish': 'the area has no right to write; who may take numbers out may publish them',
  'analytics.query': 'only computes: questions about figures',
  'automations.check': 'only computes: nothing is saved',
  'automations.dryRun': 'only computes: nothing is done',
  'datasets.detection.test': 'only computes: a dry run changes nothing',
  'datasets.purge': 'removes rows for good, so it needs the right to delete',
  'datasets.query': 'only computes: questions about rows',
  'integrations.people.put': 'a person says who they are elsewhere; nothing of the integration changes',
  'integrations.tools.call': 'may be a read; what does more asks for `agent_tools:write` when it runs',
  'issues.rules.test': 'only computes: a dry run changes nothing',
  'skills.validate': 'only computes: nothing is saved',
  'skills.prompt': 'only computes: a text with its arguments',
  'subscriptions.preview': 'only computes: nothing is changed',
  'workspaces.restore': 'takes back a deletion, so it needs the right to delete',
}

/** Routes that are not under their area, each with its reason. */
const otherPlaces: Record<string, readonly [place: string, reason: string]> = {
  'billing.provider_webhook.post': ['billing', 'its address stands in the settings of the provider and has no secret'],
  'subscriptions.plans': ['plans', 'prices are read by people who know no subscription yet'],
}

/** Lists that are not paged, each with its reason. */
const wholeLists: Record<string, string> = {
  'scopes.list': 'a fixed list that is the same for everyone and always wanted whole',
}

/** Fields that are named like a secret and are none, each with its reason. */
const notSecret: Record<string, string> = {
  'auth.logout.token': 'always empty: it says that there is no token any more',
  ...Object.fromEntries(
    [
      'list.items.lastError.code',
      'get.lastError.code',
      'post.lastError.code',
      'patch.lastError.code',
      'validate.lastError.code',
      'syncs.list.items.errors.code',
      'sync.errors.code',
      'state.put.errors.code',
    ].map(place => [`cloud_accounts.${place}`, 'names a kind of error']),
  ),
  'cloud_infra.snapshots.post.errors.code': 'names a kind of error',
  'repositories.list.items.error.code': 'names a kind of error',
  'repositories.get.error.code': 'names a kind of error',
  'repositories.post.error.code': 'names a kind of error',
  'repositories.patch.error.code': 'names a kind of error',
  'repositories.sync.error.code': 'names a kind of error',
}

/** The operations that the specification gives in full. */
const specified: Record<string, string> = {
  'auth.verifyEmail': 'POST /v1/auth/verify_email 200',
  'auth.signup': 'POST /v1/auth/signup 200',
  'auth.logout': 'POST /v1/auth/logout 200',
  'auth.whoami': 'GET /v1/auth/whoami 200',
  'auth.del': 'DELETE /v1/auth/me 200',
  'auth.patch': 'PATCH /v1/auth/me 200',
  'auth.generatePasswordResetCode': 'POST /v1/auth/generate_password_reset 202',
  'auth.resetPassword': 'POST /v1/auth/reset_password 202',
  'auth.notification_settings.get': 'GET /v1/auth/notifications 200',
  'auth.notification_settings.put': 'PUT /v1/auth/notifications 200',
  'api_keys.get': 'GET /v1/api_keys/{workspaceId}/{id} 200',
  'api_keys.del': 'DELETE /v1/api_keys/{workspaceId}/{id} 200',
  'api_keys.list': 'GET /v1/api_keys/{workspaceId} 200',
  'api_keys.post': 'POST /v1/api_keys 201',
  'workspaces.list': 'GET /v1/workspaces 200',
}

const table = operationIds.map(id => [id, lookUp(id) as Operation] as const)
const scopesOf = ({ access }: Operation): readonly Scope[] => (typeof access === 'string' ? [] : access)
const areaOf = (name: string) => name.slice(0, name.search(/[.:]/))
const fieldsOf = (schema: TSchema | undefined) =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})

/** Every schema inside a schema, with where it stands. */
function* walk(schema: TSchema, path = ''): Generator<[path: string, schema: Record<string, unknown>]> {
  const plain = schema as unknown as Record<string, unknown>
  yield [path, plain]
  for (const word of ['properties', 'patternProperties']) {
    for (const [name, part] of Object.entries((plain[word] ?? {}) as Record<string, TSchema>)) {
      yield* walk(part, `${path}.${name}`)
    }
  }
  for (const part of [plain.items, plain.additionalProperties, plain.anyOf, plain.allOf].flat()) {
    if (typeof part === 'object' && part !== null) yield* walk(part as TSchema, path)
  }
}

describe('the registry', () => {
  it('gives every area a folder of its name, with handlers', () => {
    const homeless = areas.filter(({ name }) => !areasIn.some(folder => existsSync(join(folder, name, 'handlers.ts'))))
    expect(homeless).toEqual([])
  })

  it('says of every area what it is for, in one sentence', () => {
    const wordless = areas.filter(({ about }) => !/^[A-Z][^.]{9,118}\.$/.test(about)).map(({ name }) => name)
    expect(wordless).toEqual([])
  })

  it('names no area, route or tool twice', () => {
    const twice = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index)
    expect(twice(areas.map(({ name }) => name))).toEqual([])
    expect(twice(table.map(([, { route }]) => route.replace(/\{\w+\}/g, '{}')))).toEqual([])
    expect(twice(operationIds.map(id => id.replaceAll('.', '_')))).toEqual([])
  })

  it('uses every scope, except those of areas still to come', () => {
    const used = new Set(table.flatMap(([, operation]) => scopesOf(operation)))
    const unused = scopes.filter(scope => !used.has(scope))
    expect(unused).toEqual([])
  })

  it('has the 70 scopes of the specification, once each, and the five caller kinds', () => {
    expect(new Set(scopes).size).toBe(70)
    expect(scopes).toHaveLength(70)
    expect(agentCallers).toEqual(['private', 'hypothesis', 'investigation', 'automation', 'autofix'])
  })

  it('has the operations of the specification as it gives them', () => {
    const found = Object.keys(specified).map(id => [id, `${lookUp(id)?.route} ${lookUp(id)?.status ?? 200}`])
    expect(Object.fromEntries(found)).toEqual(specified)
    expect(lookUp('auth.del')?.restricted).toEqual(agentCallers)
    expect(lookUp('api_keys.del')?.restricted).toEqual(agentCallers)
  })
})

describe.each(table)('%s', (id, operation) => {
  const method = methodOf(operation)
  const path = pathOf(operation)
  const inputs = [operation.path, operation.query, operation.body].filter(schema => schema !== undefined)

  it('has an id of its area, in snake_case with a camelCase verb', () => {
    expect(id).toMatch(/^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)*\.[a-z]+([A-Z][a-z]+)*$/)
    expect(id.length).toBeLessThanOrEqual(64)
    expect(areas.find(({ operations }) => id in operations)?.name).toBe(areaOf(id))
  })

  it('has a route under its area, in snake_case, whose fields are those of its path', () => {
    expect(path.replace('/otlp/v1/', '/otlp/')).toMatch(/^\/v1(\/([a-z]+(_[a-z]+)*|\{[a-z][A-Za-z]*\}))+$/)
    // What needs no credential to be read may stand in public.
    const place = path.replace('/public/', '/').split('/')[2]
    // Senders put the rest of the address behind what they are given.
    const usual = operation.signal ? 'otlp' : operation.hearsHeaders ? 'hooks' : areaOf(id)
    expect(place).toBe(otherPlaces[id]?.[0] ?? usual)
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    expect(fieldsOf(operation.path)).toEqual(named)
  })

  it('has the method of its verb', () => {
    const methods: Record<string, string> = { list: 'GET', get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH' }
    const verb = id.slice(id.lastIndexOf('.') + 1)
    const expected = methods[verb] ?? (/^del([A-Z]|$)/.test(verb) ? 'DELETE' : method)
    expect(method).toBe(expected)
  })

  it('has a body of fields or content, and says more of it only where there is one', () => {
    const { body, consumes, path, query, bodyLimit, gzip } = operation
    if (consumes)
      expect([body, path?.properties.content, query?.properties.content]).toEqual([undefined, undefined, undefined])
    if (bodyLimit !== undefined || gzip) expect(hasBody(operation)).toBe(true)
    // What is larger than memory should hold goes to the disk, and nothing else does.
    expect((bodyLimit ?? 1) > 64 * 1024 * 1024).toBe(operation.bodyOnDisk === true)
    if (operation.bodyOnDisk) expect([consumes !== undefined, gzip]).toEqual([true, undefined])
    if (operation.envelope === false) expect(operation.produces).toBeUndefined()
  })

  it('answers without content only where it has nothing to say, and is no tool: those promise a result', () => {
    const { 204: nothing } = operation.also ?? {}
    expect(operation.status).not.toBe(204)
    if (nothing) expect([(nothing as { type?: string }).type, isTool(operation)]).toEqual(['null', false])
  })

  it('takes no body where the method has none', () => {
    if (method === 'GET' || method === 'DELETE') expect(hasBody(operation)).toBe(false)
  })

  it('uses no name twice among path, query and body', () => {
    const names = inputs.flatMap(fieldsOf)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('is closed: inputs take and results give what is declared, and nothing else', () => {
    const open = [...inputs, operation.result].flatMap(schema =>
      [...walk(schema)].filter(([, part]) => part.properties && part.additionalProperties !== false),
    )
    expect(open.map(([place]) => place)).toEqual([])
  })

  it('asks for the scope of its method', () => {
    const wanted = scopesOf(operation)
    expect(wanted.filter(scope => !scopes.includes(scope))).toEqual([])
    if (wanted.length === 0 || otherScopes[id]) return
    const verbs = { GET: ['read', 'export'], DELETE: ['delete', 'write'] }[method as string] ?? ['write']
    expect(verbs).toContain(wanted[0]?.split(':')[1])
    // `write` stands in for `delete` only where the area has no such scope.
    const own = scopes.find(scope => scope === `${areaOf(wanted[0] as string)}:delete`)
    if (method === 'DELETE' && own) expect(wanted[0]).toBe(own)
  })

  it('says that members reach only what is theirs, where they may delete and where it is about keys', () => {
    const wanted = scopesOf(operation)
    const isMembers = wanted.length > 0 && wanted.every(scope => roleScopes.member.has(scope))
    const names = fieldsOf(operation.path)
    const isOnRecords = names.length > 1 || (method === 'GET' && names.length === 1)
    const isOwn = isMembers && (method === 'DELETE' || (areaOf(id) === 'api_keys' && isOnRecords))
    if (isOwn) expect(operation.reach).toBe('own')
    // Where nobody's reach is cut, nothing is promised either.
    if (operation.reach) expect({ isMembers, isOnRecords }).toEqual({ isMembers: true, isOnRecords: true })
  })

  it('names the workspace that its scopes are about, unless it is about workspaces themselves', () => {
    const names = [...fieldsOf(operation.path), ...fieldsOf(operation.body)]
    if (scopesOf(operation).length > 0 && areaOf(id) !== 'workspaces') expect(names).toContain('workspaceId')
  })

  it('has a summary that is a menu entry', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.summary.length).toBeLessThanOrEqual(70)
    if (operation.description) expect(operation.description).toMatch(/[.)`]$/)
  })

  it('lists no failure that the registry adds by itself, nor one of the transport', () => {
    const { errors, ...rest } = operation
    const added = errorsOf(rest as Operation)
    expect((errors ?? []).filter(kind => added.includes(kind))).toEqual([])
    expect(errorsOf(operation)).not.toContain('payload_too_large')
    expect(errorsOf(operation)).not.toContain('unavailable')
  })

  it('pages by the list grammar exactly when it is a list', () => {
    const fields = fieldsOf(operation.query).includes('after') ? 'items,count,next' : 'items,count'
    const isPage = fieldsOf(operation.result).join() === fields
    const isQuery = ['orderBy', 'order', 'perPage', 'page'].every(name => fieldsOf(operation.query).includes(name))
    expect(isQuery).toBe(isPage && !wholeLists[id])
    if (isQuery) expect(id).toMatch(/\.list[A-Z]?/)
  })

  it('marks what opens something as secret', () => {
    const opens = /(^|\.)(\w*[tT]oken|\w*[pP]assword|\w*[sS]ecret|code)$/
    const inputsAndResult = [operation.query, operation.body, operation.result].filter(part => part !== undefined)
    const bare = inputsAndResult.flatMap(schema =>
      [...walk(schema)].filter(
        ([place, part]) => opens.test(place) && [part.type].flat().includes('string') && !part['x-secret'],
      ),
    )
    const places = bare.map(([place]) => id + place)
    expect(places.filter(place => !notSecret[place])).toEqual([])
  })

  it('has examples that it accepts itself', () => {
    for (const schema of [operation.path, operation.body, operation.result]) {
      if (!schema) continue
      const isValid = compileBody(schema)
      expect(isValid(example(schema)), JSON.stringify(isValid.errors)).toBe(true)
    }
    if (operation.query) compileQuery(operation.query)(example(operation.query) as Record<string, unknown>)
  })
})
