// What the two wire forms allow in a request, and what it says; anything else is thrown.
import type { IncomingMessage } from 'node:http'

export type Asked = {
  system: string
  /** What was said, in order; results of calls by their text. */
  said: { role: 'user' | 'assistant' | 'result'; text: string; calls: string[]; isError?: boolean }[]
  tools: string[]
  mostOutput: number
}

// biome-ignore lint/suspicious/noExplicitAny: it is the work of this file to look at what came
type Loose = any

function must(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`the request is wrong: ${what}`)
}

function only(value: Loose, where: string, ...names: string[]): void {
  must(typeof value === 'object' && value !== null && !Array.isArray(value), `${where} must be an object`)
  const strange = Object.keys(value).find(name => !names.includes(name))
  must(strange === undefined, `${where} has ${strange}`)
}

function parsed(request: IncomingMessage, body: string, path: string): Loose {
  must(request.method === 'POST' && request.url === path, `${request.method} ${request.url}`)
  must(request.headers['content-type']?.startsWith('application/json'), 'the content type')
  const value = JSON.parse(body)
  must(value.stream === true, 'it must be streamed')
  must(value.model === 'stand-in', `the model ${value.model}`)
  must(Number.isInteger(value.max_tokens) && value.max_tokens > 0, `max_tokens ${value.max_tokens}`)
  must(Array.isArray(value.messages) && value.messages.length > 0, 'no messages')
  return value
}

function checkTool(name: unknown, description: unknown, schema: Loose): string {
  must(typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name), `the tool ${name}`)
  must(typeof description === 'string' && description !== '', `${name} has no description`)
  must(schema?.type === 'object' && typeof schema.properties === 'object', `${name} takes no object`)
  return name
}

export function openaiRequest(request: IncomingMessage, text: string, key: string): Asked {
  const body = parsed(request, text, '/v1/chat/completions')
  must(request.headers.authorization === `Bearer ${key}`, 'the key')
  only(body, 'the body', 'model', 'max_tokens', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options')
  must(body.stream_options?.include_usage === true, 'usage is not asked for')
  const tools = body.tools.map(({ type, function: { name, description, parameters } }: Loose) => {
    must(type === 'function', 'a tool that is no function')
    return checkTool(name, description, parameters)
  })
  const [system, ...messages] = body.messages
  must(system?.role === 'system' && typeof system.content === 'string', 'the first message is not the system’s')
  const said: Asked['said'] = []
  let open: string[] = []
  for (const message of messages) {
    const { role, content = '', tool_calls: calls = [] } = message
    must(role === 'tool' || open.length === 0, `calls without results: ${open.join(', ')}`)
    if (role === 'tool') {
      only(message, 'a result', 'role', 'tool_call_id', 'content')
      must(open.includes(message.tool_call_id), `a result of no call: ${message.tool_call_id}`)
      must(typeof content === 'string', 'a result that is no text')
      open = open.filter(id => id !== message.tool_call_id)
      said.push({ role: 'result', text: content, calls: [] })
    } else if (role === 'assistant') {
      only(message, 'an answer', 'role', 'content', 'tool_calls')
      must((content ?? '') !== '' || calls.length > 0, 'an empty answer')
      for (const call of calls) must(JSON.parse(call.function.arguments), 'arguments')
      open = calls.map(({ id }: Loose) => id)
      must(new Set(open).size === open.length, 'two calls of one id')
      said.push({ role, text: content ?? '', calls: calls.map(({ function: { name } }: Loose) => name) })
    } else {
      only(message, 'a question', 'role', 'content')
      must(role === 'user' && typeof content === 'string' && content !== '', 'a question without a text')
      said.push({ role, text: content, calls: [] })
    }
  }
  must(open.length === 0, 'calls without results at the end')
  must(said.at(-1)?.role !== 'assistant', 'the last word is the model’s')
  return { system: system.content, said, tools, mostOutput: body.max_tokens }
}

export function anthropicRequest(request: IncomingMessage, text: string, key: string): Asked {
  const body = parsed(request, text, '/v1/messages')
  must(request.headers['x-api-key'] === key, 'the key')
  must(request.headers['anthropic-version'] === '2023-06-01', 'the version')
  only(body, 'the body', 'model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'stream')
  const tools = body.tools.map((tool: Loose) => {
    only(tool, 'a tool', 'name', 'description', 'input_schema')
    return checkTool(tool.name, tool.description, tool.input_schema)
  })
  const said: Asked['said'] = []
  let open: string[] = []
  body.messages.forEach(({ role, content }: Loose, index: number) => {
    must(role === (index % 2 === 0 ? 'user' : 'assistant'), 'people and model do not take turns')
    must(Array.isArray(content) && content.length > 0, 'an empty turn')
    const results = content.filter(({ type }: Loose) => type === 'tool_result')
    if (role === 'user') {
      must(
        content.slice(0, results.length).every(({ type }: Loose) => type === 'tool_result'),
        'results come first',
      )
      const ids = results.map(({ tool_use_id: id }: Loose) => id)
      must(JSON.stringify([...ids].sort()) === JSON.stringify([...open].sort()), `results of ${open} are ${ids}`)
    }
    open = []
    for (const block of content) {
      if (block.type === 'text') {
        must(block.text.trim() !== '', 'an empty text')
        said.push({ role, text: block.text, calls: [] })
      } else if (block.type === 'tool_result') {
        const output = typeof block.content === 'string' ? block.content : block.content[0].text
        said.push({ role: 'result', text: output, calls: [], isError: block.is_error === true })
      } else {
        must(block.type === 'tool_use' && role === 'assistant', `a block ${block.type} of the ${role}`)
        only(block, 'a call', 'type', 'id', 'name', 'input')
        must(/^[a-zA-Z0-9_-]+$/.test(block.id) && typeof block.input === 'object', 'a call')
        open.push(block.id)
        const last = said.at(-1)
        if (last?.role === 'assistant') last.calls.push(block.name)
        else said.push({ role: 'assistant', text: '', calls: [block.name] })
      }
    }
  })
  must(open.length === 0, 'calls without results at the end')
  must(body.messages.at(-1).role === 'user', 'the last word is the model’s')
  const system = body.system.map(({ text: part }: Loose) => part).join('\n')
  return { system, said, tools, mostOutput: body.max_tokens }
}
