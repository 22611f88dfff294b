// The request of a custom integration: its template, checked when it is saved and filled in when it is called.
import { refused } from '../../../contract/errors.ts'
import type { Fetch } from '../../../kit/context.ts'
import { checkTemplate, renderJson } from '../../../kit/template.ts'
import { call } from '../calling.ts'
import type { Target } from '../kinds.ts'
import { checkUrlTemplate, renderHeader, renderUrl } from '../messages/template_places.ts'

type Config = Readonly<Record<string, unknown>>

const roots = ['input']

export function refuseTemplates(config: Config): void {
  for (const [path, text] of textsIn(config)) {
    const problem = path === 'config.url' ? checkUrlTemplate(text, roots) : checkTemplate(text, roots)
    if (problem) throw refused(path, 'template', `a text with places such as {{ input.name }}: ${problem.message}`)
  }
}

function* textsIn(config: Config): Generator<[path: string, text: string]> {
  yield ['config.url', String(config.url)]
  for (const [name, text] of Object.entries((config.headers ?? {}) as Record<string, string>)) {
    yield [`config.headers.${name}`, text]
  }
  yield* textsOf('config.body', config.body)
}

function* textsOf(path: string, value: unknown): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path, value]
  else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) yield* textsOf(`${path}.${name}`, part)
  }
}

const mostAnswered = 64 * 1024

/** Places that `input` does not fill are empty. `key`: the same whenever the same request is made again. */
export async function request(
  fetch: Fetch,
  { config, secrets }: Target,
  input: Readonly<Record<string, unknown>>,
  key: string | null = null,
) {
  const values = { input }
  const {
    method = 'POST',
    headers = {},
    body,
    timeoutSeconds = 15,
  } = config as {
    method?: string
    headers?: Record<string, string>
    body?: unknown
    timeoutSeconds?: number
  }
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const rendered = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), renderHeader(text, values)])
  const { code, contentType, text, error } = await call(
    fetch,
    {
      url: renderUrl(String(config.url), values),
      method,
      headers: {
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(key !== null && { 'idempotency-key': key }),
        ...Object.fromEntries(rendered),
        ...(secrets.authorization && { authorization: secrets.authorization }),
      },
      ...(hasBody && { body: JSON.stringify(body === undefined ? input : renderJson(body as never, values)) }),
      timeoutSeconds,
      secrets: Object.values(secrets),
    },
    mostAnswered,
  )
  return { code, contentType, text, error }
}

export function jsonOf(contentType: string | null, text: string | null): unknown {
  if (text === null || !/^application\/([\w.-]+\+)?json\b/i.test(contentType ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
