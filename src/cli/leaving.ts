// `workspaces export` into a file, and large files to the service: both with how far it is.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { type OperationRequest, spell } from '../client/request.ts'
import { ConnectionError, readResult } from '../client/transport.ts'
import type { Entry } from './digest.ts'
import { CliError, usage } from './failures.ts'
import { type OutputOptions, print } from './output.ts'
import { call, credentialOf, find, outgoing, type Session, send, senderOf } from './session.ts'

/** Whether the service that is asked can export. */
export function canLeave({ digest }: Session): boolean {
  return find(digest, 'workspaces.exports.post') !== undefined
}

export function addLeaving(group: Command, session: Session): void {
  group
    .command('export [workspaceId]')
    .summary('Export a workspace into a file, and wait for it')
    .description('Export a workspace into a file, and wait for it.')
    .option('--out <file>', 'where to write it; <slug>.atrium.zip in this folder where nothing is said')
    .action((workspaceId: string | undefined, _, command: Command) =>
      exportTo(session, workspaceId ?? session.settings.workspaceId, command.optsWithGlobals()),
    )
}

type Exported = {
  id: string
  status: 'waiting' | 'running' | 'ready' | 'failed'
  part: string | null
  done: number
  total: number
  size: number | null
  sha256: string | null
  error: string | null
}

const pollMs = 500

async function exportTo(session: Session, workspaceId: string | undefined, options: OutputOptions & { out?: string }) {
  if (!workspaceId) throw usage('Which workspace?', 'Name it: atrium workspaces export ws_…')
  const { terminal } = session
  let one = (await call(session, 'workspaces.exports.post', { path: { workspaceId } })) as Exported
  const path = { workspaceId, exportId: one.id }
  while (one.status === 'waiting' || one.status === 'running') {
    show(session, `packing ${one.part ?? '…'}`, one.done, one.total)
    await wait(pollMs, undefined, { signal: terminal.signal })
    one = (await call(session, 'workspaces.exports.get', { path })) as Exported
  }
  clear(session)
  if (one.status === 'failed') throw new CliError('failed', `The export failed: ${one.error}`)
  const file = await download(session, path, one, options.out)
  await print(terminal, { ...one, file }, options)
}

/** Beside its place first: a file of that name is always whole. */
async function download(session: Session, path: Record<string, string>, one: Exported, out?: string): Promise<string> {
  const entry = find(session.digest, 'workspaces.exports.file')
  if (!entry) throw new CliError('failed', 'The service has no operation workspaces.exports.file.')
  const answer = await send(session, spell(entry.method, entry.path, { path, query: {}, body: undefined }))
  if (!answer.ok) await readResult(answer)
  const named = /filename="([\w.-]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  const file = out ?? named ?? `${path.workspaceId}.atrium.zip`
  const [part, digest] = [`${file}.part`, createHash('sha256')]
  const writing = createWriteStream(part, { mode: 0o600 })
  try {
    let got = 0
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      digest.update(chunk)
      got += chunk.length
      show(session, 'downloading', got, one.size ?? 0)
      if (!writing.write(chunk)) await once(writing, 'drain')
    }
    writing.end()
    await once(writing, 'finish')
    clear(session)
    if (digest.digest('hex') !== one.sha256) throw new CliError('failed', 'The file was cut off.', 'Try again.')
    renameSync(part, file)
    return file
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** What is sent as a stream, with how far it is; less is gone before anybody could look. */
const largeBytes = 8 * 1024 * 1024

/** Whether `--content` names a file that is too large to be read into memory. */
export function isLarge(content: string | undefined): content is string {
  if (!content?.startsWith('@') || content === '@-') return false
  return (statSync(content.slice(1), { throwIfNoEntry: false })?.size ?? 0) > largeBytes
}

/** It cannot be sent again by itself: whoever is refused for now tries again. */
export async function sendLarge(session: Session, request: OperationRequest, content: string): Promise<Response> {
  const file = content.slice(1)
  const { size } = statSync(file)
  const { method, url, headers } = outgoing(session, request, await credentialOf(session))
  const body = sending(session, file, size)
  const init = {
    method,
    headers: { ...headers, 'content-length': String(size) },
    body,
    signal: session.terminal.signal,
  }
  return await watched(session, async () => {
    try {
      return await senderOf(session)(url, init as unknown as RequestInit)
    } catch (error) {
      // A file that cannot be read says so itself.
      throw (error as NodeJS.ErrnoException).path === undefined ? new ConnectionError(url, error) : error
    }
  })
}

/** Whether what is sent takes the service a while, which it tells of. */
export function isImport({ digest }: Session, entry: Entry): boolean {
  return find(digest, 'workspaces.import') === entry
}

/** A small archive is gone at once; it is checked and written all the same. */
export function sendWithProgress(session: Session, request: OperationRequest): Promise<Response> {
  return watched(session, () => send(session, request))
}

type ImportProgress = { phase: 'none' | 'checking' | 'writing'; part: string | null; done: number; total: number }

/** Asks how far the import is until it is answered; where that cannot be told, nothing is shown. */
async function watched(session: Session, sending: () => Promise<Response>): Promise<Response> {
  const over = new AbortController()
  const watching = (async () => {
    while (session.terminal.stderr.isTTY && find(session.digest, 'workspaces.imports.get')) {
      await wait(pollMs, undefined, { signal: over.signal })
      const { phase, part, done, total } = (await call(session, 'workspaces.imports.get', {})) as ImportProgress
      if (phase !== 'none' && !over.signal.aborted) {
        show(session, `${phase} ${part ?? ''}: part ${Math.min(done + 1, total)} of ${total}`, done, total)
      }
    }
  })().catch(() => {})
  try {
    return await sending()
  } finally {
    over.abort()
    await watching
    clear(session)
  }
}

async function* sending(session: Session, file: string, size: number): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    yield chunk
    sent += chunk.length
    show(session, 'sending', sent, size)
  }
  show(session, 'checking and writing', 0, 0)
}

function show({ terminal: { stderr } }: Session, what: string, done: number, total: number): void {
  if (!stderr.isTTY) return
  const share = total > 0 ? ` ${Math.floor((done / total) * 100)} %` : ''
  stderr.write(`\r${what}${share}\x1b[K`)
}

function clear({ terminal: { stderr } }: Session): void {
  if (stderr.isTTY) stderr.write('\r\x1b[K')
}
