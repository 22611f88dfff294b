// The platform as an MCP server: one small server per request, over lists that are built once and kept.
import {
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import type { Kind } from '../contract/directory.ts'
import { documentVersion } from '../contract/openapi.ts'
import type { OperationTool } from '../contract/tools.ts'
import { operations as allOperations, directory } from '../operations.ts'
import { catalogueOf, isOffered, type View } from './catalogue.ts'
import { confirm, confirmations } from './confirmation.ts'
import { readRecord, recordTemplates } from './records.ts'
import { listed, read, resourcesOf } from './resources.ts'
import { failed } from './results.ts'
import { type Arguments, type Call, type Running, runOperation } from './run.ts'
import { hasSkills, type Skills, skillsFor, skillTemplate } from './skills.ts'
import { toolCall, toolList } from './tools.ts'

/** One request: who asks, what they see, and how to reach the platform as them. */
export type Visit = {
  view: View
  credentialId: string
  call: Call
  /** Of a 2025 client's session; newer clients declare theirs with each request. */
  capabilities?: ClientCapabilities
  /** The client can hear of changes while it is connected: only the newest revision has a way here. */
  canHear?: boolean
}

export type McpOptions = {
  publicUrl: string
  /** At least 32 bytes: signs a question to a person until the answer comes back. */
  stateKey: string
}

export type BuildServer = (visit: Visit, options: McpOptions) => Server

const instructions =
  'Atrium: workspaces with members, teams and API keys. Every operation of its REST API can be called here. ' +
  'workspaceId may be left out: it is the workspace of your credential. ' +
  'At the plain address, find operations with search_operations, read what they take with describe_operation, ' +
  'then call them. Lists take perPage, page and filters; a filter value that begins with ! is left out.'

const minuteMs = 60_000

export function buildServer(visit: Visit, options: McpOptions): Server {
  const codec = confirmations(options.stateKey)
  const skills = hasSkills(visit.view) ? skillsFor(visit.view, visit.call) : null
  const announced = visit.canHear ? { listChanged: true } : {}
  const server = new Server(
    { name: 'atrium', title: 'Atrium', version: documentVersion },
    {
      capabilities: {
        tools: {},
        resources: skills ? announced : {},
        ...(skills && { prompts: announced, completions: {} }),
      },
      instructions,
      requestState: { verify: codec.verify },
      cacheHints: {
        'tools/list': { ttlMs: minuteMs, cacheScope: 'private' },
        'prompts/list': { ttlMs: minuteMs, cacheScope: 'private' },
        'resources/list': { ttlMs: minuteMs, cacheScope: 'private' },
        'resources/read': { ttlMs: minuteMs, cacheScope: 'private' },
        'server/discover': { ttlMs: minuteMs, cacheScope: 'private' },
      },
    },
  )
  const resources = resourcesOf(allOperations, options.publicUrl)
  server.setRequestHandler('tools/list', ({ params }) => pageOf(toolList(allOperations, visit.view), params?.cursor))
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    callTool(visit, params.name, params.arguments ?? {}, ctx, codec),
  )
  server.setRequestHandler('resources/list', async ({ params }) => {
    const own = params?.cursor === undefined ? resources.map(listed) : []
    const ofSkills = await skills?.resources(params?.cursor)
    return { ...ofSkills, resources: [...own, ...(ofSkills?.resources ?? [])] }
  })
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...recordTemplates(kindsFor(visit.view)), ...(skills ? [skillTemplate] : [])],
  }))
  server.setRequestHandler('resources/read', ({ params }) => {
    const resource = resources.find(({ uri }) => uri === params.uri)
    if (resource) return read(resource)
    if (skills && params.uri.startsWith('skill://')) return skills.read(params.uri)
    return readRecord(kindsFor(visit.view), visit.call, params.uri)
  })
  if (skills) offerPrompts(server, skills)
  return server
}

function offerPrompts(server: Server, skills: Skills): void {
  server.setRequestHandler('prompts/list', ({ params }) => skills.prompts(params?.cursor))
  server.setRequestHandler('prompts/get', ({ params }) => skills.prompt(params.name, params.arguments ?? {}))
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    skills.complete(ref, argument.name, argument.value),
  )
}

const toolsPerPage = 100

/** Part of a list, and where to go on; the cursor is the name of the last tool, since lists keep their order. */
export function pageOf(tools: readonly Tool[], cursor: string | undefined, size = toolsPerPage) {
  const place = cursor === undefined ? -1 : tools.findIndex(({ name }) => btoa(name) === cursor)
  if (cursor !== undefined && place < 0) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'This cursor is not known; ask for tools/list without one.',
    )
  }
  const page = tools.slice(place + 1, place + 1 + size)
  const isLast = place + 1 + size >= tools.length
  return { tools: page, ...(!isLast && { nextCursor: btoa(page.at(-1)?.name ?? '') }) }
}

/** The kinds of record that can be read at this address by this credential. */
function kindsFor(view: View): Kind[] {
  const { tools } = catalogueOf(allOperations)
  return [...directory.kinds.values()].filter(({ read }) => {
    const tool = tools.find(({ operation }) => operation === read)
    return tool !== undefined && isOffered(view, tool)
  })
}

type Codec = ReturnType<typeof confirmations>

export async function callTool(
  visit: Visit,
  name: string,
  args: Arguments,
  ctx: ServerContext,
  codec: Codec,
): Promise<CallToolResult | InputRequiredResult> {
  const { view, call } = visit
  const running = { call, workspaceId: view.standing.boundTo, signal: ctx.mcpReq.signal }
  const called = toolCall(view, name, args)
  if ('unknown' in called) throw new ProtocolError(ProtocolErrorCode.InvalidParams, called.unknown)
  if ('wrong' in called) return failed(called.wrong)
  const { target } = called
  const stopped = target && (await confirmed(visit, target.operation, target.input, ctx, codec, running))
  return stopped ?? (await called.run(running))
}

/** Only what would be carried out is asked about: a refusal needs no confirmation. */
async function confirmed(
  { view, capabilities }: Visit,
  tool: OperationTool,
  input: Arguments,
  ctx: ServerContext,
  codec: Codec,
  running: Running,
): Promise<CallToolResult | InputRequiredResult | null> {
  if (tool.effect !== 'destructive' || !isOffered(view, tool)) return null
  const answer = await confirm(codec, tool, input, ctx, capabilities, () => titleOf(view, tool, input, running))
  return answer === 'declined' ? failed(`${tool.id} was not called: the person said no. Do not try again.`) : answer
}

/** What a person knows the record by, where it can be read. */
async function titleOf(view: View, tool: OperationTool, input: Arguments, running: Running): Promise<string | null> {
  const getter = catalogueOf(allOperations).byId.get(tool.id.replace(/del$/, 'get'))
  if (!getter || getter === tool || !isOffered(view, getter)) return null
  const names = Object.keys(getter.inputSchema.properties)
  const args = Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)))
  // A name that cannot be read is no reason not to ask.
  const found: CallToolResult = await runOperation(getter, args, running).catch(() => failed('no name'))
  const { title, name, email, forename, username } = (found.structuredContent ?? {}) as Record<string, unknown>
  const known = [title, name, email, username, forename].find(text => typeof text === 'string' && text !== '')
  return found.isError || known === undefined ? null : String(known).slice(0, 200)
}
