// One operation, carried out: input, confirmation, request, answer.
import { readFileSync } from 'node:fs'
import { type OperationRequest, type Parts, spell } from '../client/request.ts'
import { readResult } from '../client/transport.ts'
import type { Entry } from './digest.ts'
import { CliError, usage } from './failures.ts'
import { parseJson, partsOf, type Values } from './fields.ts'
import { formatOf, type OutputOptions, print, projectItem, toLine } from './output.ts'
import { credentialOf, outgoing, type Session, send } from './session.ts'
import { ask, readAll, type Terminal } from './terminal.ts'

export type Options = OutputOptions & {
  query?: string
  body?: string
  bodyFile?: string
  bodyTemplate?: boolean
  dryRun?: boolean
  curl?: boolean
  all?: boolean
  limit?: string
  yes?: boolean
}

export async function invoke(
  session: Session,
  entry: Entry,
  positionals: readonly string[],
  options: Options & Values,
): Promise<void> {
  const { terminal, settings } = session
  if (options.bodyTemplate) return printTemplate(terminal, entry)
  const parts = partsOf(entry, {
    positionals,
    flags: options,
    workspaceId: settings.workspaceId,
    query: options.query === undefined ? undefined : parseJson('--query', options.query),
    body: await bodyFrom(terminal, options),
  })
  const limit = limitFrom(entry, options)
  const request = spell(entry.method, entry.path, limit === null ? parts : withPage(parts, 1, limit))
  if (options.dryRun || options.curl) return await printRequest(session, request, options)
  if (entry.method === 'DELETE') await confirm(terminal, entry, options)
  if (limit !== null) return await printPages(session, entry, parts, limit, options)
  const answer = await send(session, request)
  if (answer.ok && !isJson(answer)) return await pour(terminal, answer)
  await print(terminal, await readResult(answer), options, entry)
}

function printTemplate({ stdout }: Terminal, entry: Entry): void {
  if (!entry.hasBody) throw usage(`${entry.id} takes no body.`)
  stdout.write(`${JSON.stringify(entry.bodyExample ?? {}, null, 2)}\n`)
}

async function bodyFrom({ stdin }: Terminal, { body, bodyFile }: Options): Promise<unknown> {
  if (body !== undefined && bodyFile !== undefined) throw usage('--body and --body-file were both given.', 'Give one.')
  if (body !== undefined) return parseJson('--body', body)
  if (bodyFile === undefined) return undefined
  if (bodyFile === '-') return parseJson('The body on stdin', await readAll(stdin))
  return parseJson(bodyFile, readFile(bodyFile))
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT'
    throw usage(isMissing ? `There is no file ${path}.` : `Cannot read ${path}.`, 'Give its path, or - for stdin.')
  }
}

const mostPerPage = 100

/** How many items are wanted over all pages; null where one page, as the service gives it, is. */
function limitFrom(entry: Entry, { all, limit }: Options): number | null {
  if (!all && limit === undefined) return null
  if (!entry.isPaged) throw usage(`${entry.id} is no list; --all and --limit are for lists.`)
  if (limit === undefined) return Number.POSITIVE_INFINITY
  const number = Number(limit)
  if (!Number.isInteger(number) || number < 1) throw usage('--limit must be a whole number from 1.')
  return number
}

function withPage(parts: Parts, page: number, limit: number): Parts {
  const perPage = Number(parts.query.perPage ?? Math.min(mostPerPage, limit))
  return { ...parts, query: { ...parts.query, perPage, page } }
}

async function printPages(session: Session, entry: Entry, parts: Parts, limit: number, options: Options) {
  const { terminal } = session
  const { stdout, stderr } = terminal
  const isStreamed = formatOf(options, terminal) === 'ndjson' && options.jq === undefined
  const items: unknown[] = []
  let [shown, count] = [0, 0]
  for (let page = 1; shown < limit; page++) {
    const paged = withPage(parts, page, limit)
    const result = await readResult(await send(session, spell(entry.method, entry.path, paged)))
    const found = result as { items: unknown[]; count: number }
    const wanted = found.items.slice(0, limit - shown)
    count = found.count
    shown += wanted.length
    if (isStreamed) stdout.write(wanted.map(item => toLine(projectItem(item, options.columns))).join(''))
    else items.push(...wanted)
    if (found.items.length < Number(paged.query.perPage)) break
    if (stderr.isTTY) stderr.write(`\r${shown} of ${Math.min(count, limit)}\x1b[K`)
  }
  if (stderr.isTTY) stderr.write('\r\x1b[K')
  if (!isStreamed) await print(terminal, { items, count }, options, entry)
}

async function confirm(terminal: Terminal, entry: Entry, { yes }: Options): Promise<void> {
  if (yes) return
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) {
    throw usage(`${entry.id} deletes; nothing was done.`, 'Add --yes to do it.')
  }
  const answer = await ask(terminal, `${entry.summary}. Go on? [y/N] `)
  if (!/^y(es)?$/i.test(answer)) throw new CliError('failed', 'Nothing was done.')
}

/** Secrets are not printed: curl takes them from the environment. */
async function printRequest(session: Session, request: OperationRequest, options: Options): Promise<void> {
  const credential = await credentialOf(session)
  const { method, url, headers, body } = outgoing(session, request, {
    ...(credential.apiKey && { apiKey: '$ATRIUM_API_KEY' }),
    ...(credential.token && { token: '$ATRIUM_TOKEN' }),
  })
  const { stdout } = session.terminal
  if (!options.curl) {
    const sent = body === undefined ? undefined : JSON.parse(body)
    return void stdout.write(`${JSON.stringify({ method, url, headers, body: sent }, null, 2)}\n`)
  }
  const { 'user-agent': _, ...shown } = headers
  const lines = Object.entries(shown).map(([name, value]) => `-H ${quoteOpen(`${name}: ${value}`)}`)
  const parts = [`curl -X ${method} ${quote(url)}`, ...lines, ...(body === undefined ? [] : [`-d ${quote(body)}`])]
  stdout.write(`${parts.join(' \\\n  ')}\n`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** In double quotes, so that the shell fills in the credential. */
function quoteOpen(text: string): string {
  return text.includes('$') ? `"${text}"` : quote(text)
}

function isJson(answer: Response): boolean {
  return (answer.headers.get('content-type') ?? '').startsWith('application/json')
}

/** A file or a stream goes to stdout as it comes. */
async function pour({ stdout, stderr }: Terminal, answer: Response): Promise<void> {
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const part of answer.body ?? []) {
    stdout.write(decoder.decode(part, { stream: true }))
    bytes += part.length
    if (stderr.isTTY && !stdout.isTTY) stderr.write(`\r${Math.ceil(bytes / 1024)} kB`)
  }
  stdout.write(decoder.decode())
  if (stderr.isTTY && !stdout.isTTY) stderr.write('\r\x1b[K')
}
