// What the conformance suite expects a server to have, laid over the platform's own server; never part of the product.
import {
  acceptedContent,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { confirmations } from '../../src/mcp/confirmation.ts'
import { type BuildServer, buildServer, callTool, type McpOptions, type Visit } from '../../src/mcp/server.ts'
import { toolList } from '../../src/mcp/tools.ts'
import { operations } from '../../src/operations.ts'
import { asks, image, picture, resource, text, tools } from './tools.ts'

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

/** Everything of it must come through as it is. */
const muchOfJsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
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
      { name: 'json_schema_2020_12_tool', description: 'Much of JSON Schema.', inputSchema: muchOfJsonSchema },
    ],
  }))
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const run = tools[params.name]
    const args = params.arguments ?? {}
    return run ? await run(ctx, codec, args) : await callTool(visit, params.name, args, ctx, codec)
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
