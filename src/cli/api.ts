// `atrium api <path>`: any request to the service, with the stored login, for what the document does not say.
import { readResult } from '../client/transport.ts'
import { usage } from './failures.ts'
import { parseJson, readInput } from './fields.ts'
import { filter, type OutputOptions, print } from './output.ts'
import { type Session, send } from './session.ts'
import { readAll } from './terminal.ts'

type ApiOptions = OutputOptions & {
  method?: string
  field?: string[]
  body?: string
  all?: boolean
  include?: boolean
}

export async function api(session: Session, given: string, options: ApiOptions): Promise<void> {
  const path = pathOf(given, session.settings.baseUrl)
  const body = await bodyOf(session, options)
  const method = (options.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  if (!/^[A-Z]+$/.test(method)) throw usage(`${options.method} is no method.`, 'Give one such as GET or POST.')
  if (options.all) return await printAll(session, method, path, options)
  const answer = await send(session, {
    method,
    path,
    body,
    contentType: body === undefined ? undefined : 'application/json',
  })
  const { stdout } = session.terminal
  const text = await answer.text()
  if (!answer.ok) await readResult({ ...pick(answer), text: async () => text } as Response)
  const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json')
  if (!isJson) return void stdout.write(text)
  const parsed: unknown = JSON.parse(text)
  if (options.jq !== undefined) return void stdout.write(await filter(parsed, options.jq))
  await print(session.terminal, parsed, { ...options, output: options.output ?? 'json' })
}

function pick({ status, ok, headers, url }: Response) {
  return { status, ok, headers, url }
}

/** The credential goes to its own service and nowhere else. */
function pathOf(given: string, baseUrl: string): string {
  const isPath = given.startsWith('/') && !given.startsWith('//')
  if (isPath) return given
  if (URL.canParse(given) && new URL(given).origin === new URL(baseUrl).origin) {
    const { pathname, search } = new URL(given)
    return pathname + search
  }
  throw usage(`${given} is no path of ${baseUrl}.`, 'Begin with a slash: atrium api /v1/workspaces')
}

async function bodyOf({ terminal }: Session, { body, field = [] }: ApiOptions): Promise<string | undefined> {
  if (body === undefined && field.length === 0) return undefined
  const text = body === '@-' ? await readAll(terminal.stdin) : body?.startsWith('@') ? readInput(body.slice(1)) : body
  const whole = text === undefined ? {} : parseJson('--body', text)
  const fields = field.map(one => {
    const [, name, isJson, value] = /^([^=:]+)(:?)=(.*)$/s.exec(one) ?? []
    if (name === undefined || value === undefined) throw usage(`${one} is not name=text or name:=json.`)
    return [name, isJson ? parseJson(`--field ${name}`, value) : value]
  })
  return JSON.stringify(fields.length > 0 ? { ...(whole as object), ...Object.fromEntries(fields) } : whole)
}

/** A list to its end, as one. */
async function printAll(session: Session, method: string, path: string, options: ApiOptions): Promise<void> {
  if (method !== 'GET') throw usage('--all is for lists, which are read with GET.')
  const items: unknown[] = []
  const address = new URL(path, session.settings.baseUrl)
  address.searchParams.set('perPage', address.searchParams.get('perPage') ?? '100')
  for (let page = 1; ; page++) {
    address.searchParams.set('page', String(page))
    const request = { method, path: address.pathname + address.search, body: undefined, contentType: undefined }
    const result = (await readResult(await send(session, request))) as { items?: unknown[]; count?: number }
    if (!Array.isArray(result.items)) throw usage(`${path} is no list; --all is for lists.`)
    items.push(...result.items)
    if (result.items.length < Number(address.searchParams.get('perPage'))) {
      return await print(session.terminal, { items, count: result.count ?? items.length }, options)
    }
  }
}
