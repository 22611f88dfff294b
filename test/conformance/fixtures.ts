// What the conformance suite expects a server to have, laid over the platform's own server; never part of the product.
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type Asked, confirmations } from '../../src/mcp/confirmation.ts'
import { type BuildServer, buildServer, callTool, type McpOptions, toolList, type Visit } from '../../src/mcp/server.ts'
import { operations } from '../../src/operations.ts'

type Codec = ReturnType<typeof confirmations>
type ToolRun = (ctx: ServerContext, codec: Codec) => Promise<CallToolResult | InputRequiredResult>

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const audio = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const text = (value: string) => ({ type: 'text' as const, text: value })
const says = (value: string): CallToolResult => ({ content: [text(value)] })
const picture = { type: 'image' as const, data: image, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
})
const pause = () => new Promise(resolve => setTimeout(resolve, 50))

function asks(message: string, name: string, type: 'string' | 'boolean' = 'string') {
  const field = type === 'string' ? { type: 'string' as const } : { type: 'boolean' as const }
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: field }, required: [name] },
  })
}

const samples = (question: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens: 100 })

function capabilitiesOf(ctx: ServerContext): ClientCapabilities {
  const envelope = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

/** Asks until every answer is there. */
function until(inputRequests: InputRequests, done: (answers: Record<string, unknown>) => string): ToolRun {
  return async ctx => {
    const answers = ctx.mcpReq.inputResponses ?? {}
    const isComplete = Object.entries(inputRequests).every(([key, { method }]) =>
      method === 'elicitation/create' ? acceptedContent(answers, key) !== undefined : answers[key] !== undefined,
    )
    return isComplete ? says(done(answers)) : inputRequired({ inputRequests })
  }
}

/** The same, with a state that must come back as it was. */
function withState(state: string, inputRequests: InputRequests, done: string): ToolRun {
  return async (ctx, codec) => {
    if (ctx.mcpReq.requestState<Asked>()?.asked === state && ctx.mcpReq.inputResponses) return says(done)
    return inputRequired({ inputRequests, requestState: await codec.mint({ asked: state }, ctx) })
  }
}

const name = { user_name: asks('What is your name?', 'name') }
const roots = { client_roots: inputRequired.listRoots() }

const tools: Record<string, ToolRun> = {
  test_simple_text: async () => says('This is a simple text response for testing.'),
  test_image_content: async () => ({ content: [picture] }),
  test_audio_content: async () => ({ content: [{ type: 'audio', data: audio, mimeType: 'audio/wav' }] }),
  test_embedded_resource: async () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: async () => ({
    content: [
      text('Multiple content types test:'),
      picture,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: async () => ({
    ...says('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_logging: logs,
  test_logging_tool: logs,
  async test_tool_with_progress(ctx) {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      }
      await pause()
    }
    return says('Done.')
  },
  async test_missing_capability(ctx) {
    if (capabilitiesOf(ctx).sampling) return says('The client can sample.')
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_streaming_elicitation: until(name, () => 'Thank you.'),
  test_input_required_result_elicitation: until(name, answers => {
    return `Hello, ${acceptedContent<{ name: string }>(answers, 'user_name')?.name}!`
  }),
  test_input_required_result_sampling: until({ capital_question: samples('What is the capital of France?') }, answers =>
    JSON.stringify(answers.capital_question),
  ),
  test_input_required_result_list_roots: until(roots, answers => JSON.stringify(answers.client_roots)),
  test_input_required_result_request_state: withState(
    'one',
    { confirm: asks('Please confirm', 'ok', 'boolean') },
    'state-ok',
  ),
  test_input_required_result_tampered_state: withState(
    'two',
    { confirm: asks('Please confirm', 'ok', 'boolean') },
    'state-ok',
  ),
  test_input_required_result_multiple_inputs: withState(
    'three',
    { ...name, greeting: samples('Generate a greeting'), ...roots },
    'All there.',
  ),
  async test_input_required_result_multi_round(ctx, codec) {
    const step = ctx.mcpReq.requestState<Asked>()?.asked
    if (step === 'second') return says('Done.')
    const next = step === 'first' ? 'second' : 'first'
    const inputRequests: InputRequests =
      next === 'first'
        ? { step1: asks('Step 1: What is your name?', 'name') }
        : { step2: asks('Step 2: What is your favorite color?', 'color') }
    return inputRequired({ inputRequests, requestState: await codec.mint({ asked: next }, ctx) })
  },
  async test_input_required_result_capabilities(ctx) {
    const can = capabilitiesOf(ctx)
    return inputRequired({
      inputRequests: { ...(can.elicitation && name), ...(can.sampling && { greeting: samples('Hello?') }) },
    })
  },
}

async function logs(ctx: ServerContext): Promise<CallToolResult> {
  for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await ctx.mcpReq.log('info', line)
    await pause()
  }
  return says('Done.')
}

type Prompt = {
  arguments?: string[]
  get: (args: Record<string, string>, ctx: ServerContext) => GetPromptResult | InputRequiredResult
}

const user = (...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: contents.map(content => ({ role: 'user', content })),
})

const prompts: Record<string, Prompt> = {
  test_simple_prompt: { get: () => user(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri = '' }) =>
      user(
        resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: { get: () => user(picture, text('Please analyze the image above.')) },
  test_input_required_result_prompt: {
    get: (_, ctx) => {
      const content = acceptedContent<{ context: string }>(ctx.mcpReq.inputResponses, 'user_context')
      if (content) return user(text(`Use ${content.context}.`))
      return inputRequired({ inputRequests: { user_context: asks('What context should the prompt use?', 'context') } })
    },
  },
}

const resources = [
  { uri: 'test://static-text', name: 'static-text', description: 'A text.', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'An image.', mimeType: 'image/png' },
]

function read(uri: string): ReadResourceResult {
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  if (id) {
    const value = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: 'application/json', text: value }] }
  }
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: image }] }
  if (uri !== 'test://static-text') throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] }
}

/** The platform's own server, with more to list and to call. */
export const withFixtures: BuildServer = (visit: Visit, options: McpOptions) => {
  const server = buildServer(visit, options)
  const codec = confirmations(options.stateKey)
  server.registerCapabilities({ prompts: {}, completions: {}, logging: {}, resources: { subscribe: true } })
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...toolList(operations, visit.view),
      ...Object.keys(tools).map(tool => ({ name: tool, description: tool, inputSchema: { type: 'object' as const } })),
    ],
  }))
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const run = tools[params.name]
    return run ? await run(ctx, codec) : await callTool(visit, params.name, params.arguments ?? {}, ctx, codec)
  })
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'By id.' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([prompt, { arguments: names = [] }]) => ({
      name: prompt,
      description: prompt,
      arguments: names.map(argument => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const prompt = prompts[params.name]
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    return prompt.get(params.arguments ?? {}, ctx)
  })
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
  return server
}
