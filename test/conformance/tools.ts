// The tools that the conformance suite calls; never part of the product.
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Asked, confirmations } from '../../src/mcp/confirmation.ts'

type Codec = ReturnType<typeof confirmations>
type Args = Readonly<Record<string, unknown>>
type ToolRun = (ctx: ServerContext, codec: Codec, args: Args) => Promise<CallToolResult | InputRequiredResult>

export const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const audio = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

export const text = (value: string) => ({ type: 'text' as const, text: value })
const says = (value: string): CallToolResult => ({ content: [text(value)] })
export const picture = { type: 'image' as const, data: image, mimeType: 'image/png' }
export const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
})
const pause = () => new Promise(resolve => setTimeout(resolve, 50))

export function asks(message: string, name: string, type: 'string' | 'boolean' = 'string') {
  const field = type === 'string' ? { type: 'string' as const } : { type: 'boolean' as const }
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: field }, required: [name] },
  })
}

type Form = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']
type Properties = Extract<Form, { type: 'object' }>['properties']

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

/** Asks once, with a form, and says what came of it. */
function form(message: (args: Args) => string, properties: Properties, required: string[] = []): ToolRun {
  return async (ctx, _, args) => {
    const answer = ctx.mcpReq.inputResponses?.form
    if (answer) return says(`Elicitation completed: ${JSON.stringify(answer)}`)
    const requestedSchema = { type: 'object' as const, properties, required }
    return inputRequired({ inputRequests: { form: inputRequired.elicit({ message: message(args), requestedSchema }) } })
  }
}

const options = ['option1', 'option2', 'option3']
const titled = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title }))

/** The same, with a state that must come back as it was. */
function withState(state: string, inputRequests: InputRequests, done: string): ToolRun {
  return async (ctx, codec) => {
    if (ctx.mcpReq.requestState<Asked>()?.asked === state && ctx.mcpReq.inputResponses) return says(done)
    return inputRequired({ inputRequests, requestState: await codec.mint({ asked: state }, ctx) })
  }
}

const name = { user_name: asks('What is your name?', 'name') }
const roots = { client_roots: inputRequired.listRoots() }

export const tools: Record<string, ToolRun> = {
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
  async test_sampling(ctx, codec, { prompt }) {
    const ask = until({ answer: samples(String(prompt)) }, ({ answer }) => `LLM response: ${JSON.stringify(answer)}`)
    return await ask(ctx, codec, {})
  },
  test_elicitation: form(
    ({ message }) => String(message),
    {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    ['username', 'email'],
  ),
  test_elicitation_sep1034_defaults: form(() => 'Please look at the defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: form(() => 'Please choose', {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  }),
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
