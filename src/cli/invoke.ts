// One operation, carried out: input, confirmation, request, answer.
import { type OperationRequest, type Parts, spell } from '../client/request.ts'
import { readResult } from '../client/transport.ts'
import type { Entry } from './digest.ts'
import { CliError, usage } from './failures.ts'
import { hasDryRun, parseJson, partsOf, readFile, readInput, type Values } from './fields.ts'
import { isImport, isLarge, sendLarge, sendWithProgress } from './leaving.ts'
import { linesOf } from './lines.ts'
import { filter, formatOf, type OutputOptions, print, projectItem, toLine } from './output.ts'
import { credentialOf, outgoing, type Session, send } from './session.ts'
import { ask, readAll, readBytes, type Terminal } from './terminal.ts'

export type Options = OutputOptions & {
  query?: string
  body?: string
  bodyFile?: string
  bodyTemplate?: boolean
  content?: string
  dryRun?: boolean
  curl?: boolean
  all?: boolean
  limit?: string
  yes?: boolean
  web?: boolean
}

export async function invoke(
  session: Session,
  entry: Entry,
  positionals: readonly string[],
  options: Options & Values,
): Promise<void> {
  const { terminal, settings } = session
  if (options.web) return await (await import('./web.ts')).openPage(session, entry, positionals)
  refuseForFiles(entry, options)
  if (options.bodyTemplate) return printTemplate(terminal, entry)
  const fields = partsOf(entry, {
    positionals,
    flags: options,
    workspaceId: settings.workspaceId,
    query: options.query === undefined ? undefined : parseJson('--query', options.query),
    body: await bodyFrom(terminal, options),
  })
  const isSent = !options.curl && (!options.dryRun || hasDryRun(entry))
  const parts =
    entry.consumes && !(isSent && isLarge(options.content))
      ? { ...fields, content: await contentFrom(terminal, entry, options) }
      : fields
  const limit = limitFrom(entry, options)
  const request = spell(entry.method, entry.path, limit === null ? parts : withPage(parts, 1, limit))
  if (!isSent) return await printRequest(session, request, options)
  if (entry.method === 'DELETE') await confirm(terminal, entry, options)
  if (limit !== null) return await printPages(session, entry, parts, limit, options)
  const isStreamed = entry.consumes !== undefined && isLarge(options.content)
  const answer = isStreamed
    ? await sendLarge(session, typed(request, entry), options.content ?? '')
    : isImport(session, entry)
      ? await sendWithProgress(session, request)
      : await send(session, request)
  if (answer.status === noContent) return
  if (answer.ok && !isJson(answer)) return await pour(terminal, answer, options)
  await print(terminal, await readResult(answer, entry.isBare), options, entry)
}

function typed(request: OperationRequest, { consumes = [] }: Entry): OperationRequest {
  return { ...request, ...(consumes[0] !== undefined && { contentType: consumes[0] }) }
}

/** There is nothing, and so nothing is printed. */
const noContent = 204

function printTemplate({ stdout }: Terminal, entry: Entry): void {
  if (!entry.hasBody) throw usage(`${entry.id} takes no body.`)
  stdout.write(`${JSON.stringify(entry.bodyExample ?? {}, null, 2)}\n`)
}

async function bodyFrom({ stdin }: Terminal, { body, bodyFile }: Options): Promise<unknown> {
  if (body !== undefined && bodyFile !== undefined) throw usage('--body and --body-file were both given.', 'Give one.')
  if (body !== undefined) return parseJson('--body', body)
  if (bodyFile === undefined) return undefined
  if (bodyFile === '-') return parseJson('The body on stdin', await readAll(stdin))
  return parseJson(bodyFile, readInput(bodyFile))
}

/** The name of the file says what it is, or the text itself; where neither does, it is what the operation takes first. */
async function contentFrom({ stdin }: Terminal, { id, consumes = [] }: Entry, { content }: Options) {
  if (content === undefined) throw usage(`${id} needs --content.`, 'Give a file: --content @path, or @- for stdin.')
  const named = /^\s*\{/.test(content) ? 'application/json' : mediaTypeOf(content)
  const type = named && consumes.includes(named) ? named : (consumes[0] ?? '')
  if (!content.startsWith('@')) return { type, bytes: Buffer.from(content) }
  return { type, bytes: content === '@-' ? await readBytes(stdin) : readFile(content.slice(1)) }
}

const endings: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
  '.zip': 'application/zip',
  '.txt': 'text/plain',
}

function mediaTypeOf(name: string): string | undefined {
  return endings[/\.\w+$/.exec(name)?.[0].toLowerCase() ?? '']
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
    const sent = typeof body === 'string' ? JSON.parse(body) : body && `${body.length} bytes`
    return void stdout.write(`${JSON.stringify({ method, url, headers, body: sent }, null, 2)}\n`)
  }
  const { 'user-agent': _, ...shown } = headers
  const lines = Object.entries(shown).map(([name, value]) => `-H ${quoteOpen(`${name}: ${value}`)}`)
  const parts = [`curl -X ${method} ${quote(url)}`, ...lines, ...bodyOfCurl(body, options)]
  stdout.write(`${parts.join(' \\\n  ')}\n`)
}

function bodyOfCurl(body: OperationRequest['body'], { content }: Options): string[] {
  if (body === undefined) return []
  return [typeof body === 'string' ? `-d ${quote(body)}` : `--data-binary ${quote(content ?? '')}`]
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

/** A file has no columns or formats; records that come line by line can be filtered one by one. */
function refuseForFiles({ id, produces }: Entry, { output, columns }: Options): void {
  if (produces === undefined || (output ?? 'ndjson') === 'ndjson') return
  const why = columns ? '--columns and -o' : `-o ${output}`
  throw usage(`${id} answers with a file or a stream, as it is; ${why} cannot change it.`, 'Use -o ndjson or --jq.')
}

/** A file or a stream goes to stdout as it comes, or record by record where something is to be done with each. */
async function pour(terminal: Terminal, answer: Response, options: Options): Promise<void> {
  const { stdout, stderr } = terminal
  if (options.jq !== undefined || options.output !== undefined || options.columns !== undefined) {
    return await pourRecords(terminal, answer, options)
  }
  const isText = /^(text\/|application\/(x-nd)?json)/.test(answer.headers.get('content-type') ?? '')
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const part of answer.body ?? []) {
    stdout.write(isText ? decoder.decode(part, { stream: true }) : part)
    bytes += part.length
    if (stderr.isTTY && !stdout.isTTY) stderr.write(`\r${Math.ceil(bytes / 1024)} kB`)
  }
  stdout.write(decoder.decode())
  if (stderr.isTTY && !stdout.isTTY) stderr.write('\r\x1b[K')
}

async function pourRecords({ stdout }: Terminal, answer: Response, { jq, columns }: Options): Promise<void> {
  const type = answer.headers.get('content-type') ?? ''
  const isEvents = type.startsWith('text/event-stream')
  if (!isEvents && !type.startsWith('application/x-ndjson')) {
    await answer.body?.cancel()
    throw usage(`This file is ${type}; --jq, -o and --columns are for JSON.`, 'Leave them out.')
  }
  if (!answer.body) return
  for await (const line of linesOf(answer.body)) {
    const text = isEvents ? (/^data: ?(.*)$/.exec(line)?.[1] ?? '') : line
    if (!text) continue
    const record = projectItem(JSON.parse(text), columns)
    stdout.write(jq === undefined ? toLine(record) : await filter(record, jq))
  }
}
