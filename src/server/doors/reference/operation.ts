// One operation of the document as HTML: who may call it, what goes in, what comes out, and how to try it.
import type { TSchema } from 'typebox'
import { example } from '../../../contract/examples.ts'
import { escapeHtml } from '../../../kit/html.ts'
import { field, fields, inline, type Schema } from './schemas.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
}

type Content = Readonly<Record<string, { schema: Schema; example?: unknown }>>

export type OperationObject = {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  'x-required-scopes': readonly string[]
  'x-restricted-callers'?: readonly string[]
  'x-reach'?: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, { $ref?: string; description?: string; content?: Content }>>
}

export type Place = { method: string; path: string; publicUrl: string }

export function operationHtml(operation: OperationObject, place: Place): string {
  const { operationId: id, summary, description } = operation
  return `<details class="operation" id="${id}">
<summary><h3><span class="method ${place.method}">${place.method.toUpperCase()}</span> <code class="path">${escapeHtml(place.path)}</code> <span class="what">${escapeHtml(summary)}</span></h3></summary>
<p class="id"><a href="#${id}">${id}</a> · <code>atrium ${escapeHtml(id.replaceAll('.', ' '))}</code></p>
${description ? `<p>${inline(description)}</p>` : ''}
<p>${callersOf(operation)}</p>
${parametersOf(operation)}
${bodyOf(operation)}
<h4>Example</h4>
<pre><code>${escapeHtml(curlOf(operation, place))}</code></pre>
${answersOf(operation)}
</details>`
}

function callersOf(operation: OperationObject): string {
  const { 'x-required-scopes': scopes, 'x-restricted-callers': restricted = [], security } = operation
  const words: string[] = []
  if (isPublic(security)) words.push('No credential is needed.')
  else if (scopes.length > 0) words.push(`Needs ${scopes.map(scope => `<code>${scope}</code>`).join(' and ')}.`)
  else if (takesTelemetry(security)) words.push('Needs a telemetry token.')
  else words.push(takesKeys(security) ? 'Needs a credential; no scope.' : 'Needs a signed-in person.')
  if (operation['x-reach'] === 'own') words.push('Members reach their own records only.')
  if (restricted.length > 0) words.push(`Refused to agents of the kind ${restricted.join(', ')}.`)
  return words.join(' ')
}

const isPublic = (security: OperationObject['security']) =>
  security.length === 0 || security.some(one => Object.keys(one).length === 0)
const takesTelemetry = (security: OperationObject['security']) => security.some(one => 'telemetryToken' in one)
const takesKeys = (security: OperationObject['security']) => security.some(one => 'apiKey' in one)

function parametersOf({ parameters = [] }: OperationObject): string {
  const places = { path: 'Path', query: 'Query', header: 'Headers' } as const
  return Object.entries(places)
    .map(([place, title]) => {
      const own = parameters.filter(parameter => parameter.in === place)
      if (own.length === 0) return ''
      const entries = own.map(({ name, schema, required, description }) => field(name, schema, required, description))
      return `<h4>${title}</h4><dl class="fields">${entries.join('\n')}</dl>`
    })
    .join('\n')
}

function bodyOf({ requestBody }: OperationObject): string {
  return Object.entries(requestBody?.content ?? {})
    .map(([type, { schema }]) => `<h4>Body <span class="type">${escapeHtml(type)}</span></h4>${fields(schema)}`)
    .join('\n')
}

/** Ready for a shell, with the examples of the document. */
function curlOf(
  { parameters = [], requestBody, security }: OperationObject,
  { method, path, publicUrl }: Place,
): string {
  const exampleOf = (schema: Schema) => encodeURIComponent(String(example(schema as TSchema)))
  const named = (name: string) => parameters.find(parameter => parameter.in === 'path' && parameter.name === name)
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = named(name)
    return parameter ? exampleOf(parameter.schema) : whole
  })
  const query = parameters
    .filter(parameter => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${exampleOf(schema)}`)
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${publicUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}'`,
  ]
  if (!isPublic(security)) {
    const bearer = takesTelemetry(security) ? 'tt_…' : 'sess_…'
    lines.push(takesKeys(security) ? `-H 'x-api-key: atr_…'` : `-H 'authorization: Bearer ${bearer}'`)
  }
  const [body] = Object.entries(requestBody?.content ?? {})
  if (body) {
    const [type, { example: sent }] = body
    // What is not JSON comes from a file.
    const from = sent === undefined ? '--data-binary @file' : `-d '${JSON.stringify(sent).replaceAll("'", `'\\''`)}'`
    lines.push(`-H 'content-type: ${type}'`, from)
  }
  return lines.join(' \\\n  ')
}

function answersOf({ responses }: OperationObject): string {
  const entries = Object.entries(responses)
  const isGood = (status: string) => Number(status) < 400
  const refused = entries.map(([status]) => status).filter(status => !isGood(status))
  const good = entries.filter(([status]) => isGood(status)).map(([status, response]) => successHtml(status, response))
  return `${good.join('\n')}
<h4>Refusals</h4>
<p>${refused.map(status => `<a href="#status-${status}">${status}</a>`).join(', ')}</p>`
}

function successHtml(status: string, { description = '', content = {} }: OperationObject['responses'][string]): string {
  const title = `<h4>Answer ${status} <span class="type">${escapeHtml(description)}</span></h4>`
  const json = content['application/json']
  const result = json?.schema.properties?.result
  if (!result) return `${title}<p>${Object.keys(content).map(escapeHtml).join(', ')}</p>`
  return `${title}<dl class="fields">${field('result', result, true)}</dl>
<pre><code>${escapeHtml(JSON.stringify(json.example, null, 2))}</code></pre>`
}
