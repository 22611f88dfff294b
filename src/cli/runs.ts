// Any program as a runner: it is given a run as JSON, and each line that it prints becomes a message.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RequestError } from '../client/transport.ts'
import { usage } from './failures.ts'
import { linesOf } from './lines.ts'
import { call, type Session } from './session.ts'

export type WorkOptions = { workspace?: string; kinds?: string; once?: boolean }

type Run = { id: string; threadId: string; attempt: number }
type Claim = { run: Run; token: string; leaseSeconds: number; context: object }

const waitSeconds = 30
/** Of what the program says of its failure. */
const mostError = 4_000

/** Until it is stopped; with `once`, until one run is done. */
export async function work(session: Session, command: readonly string[], options: WorkOptions): Promise<void> {
  const workspaceId = options.workspace ?? session.settings.workspaceId
  if (!workspaceId) throw usage('Which workspace?', 'Give --workspace, or set one with: atrium profile set --workspace')
  const { terminal } = session
  const kinds = options.kinds?.split(',').map(kind => kind.trim())
  while (!terminal.signal.aborted) {
    const body = { ...(kinds && { kinds }), wait: waitSeconds }
    const claim = (await call(session, 'threads.runs.claim', { path: { workspaceId }, body })) as Claim | null
    if (!claim) continue
    terminal.stderr.write(`atrium: ${claim.run.id}, attempt ${claim.run.attempt}\n`)
    const status = await carryOut(session, workspaceId, claim, command)
    terminal.stderr.write(`atrium: ${claim.run.id} ${status}\n`)
    if (options.once) return
  }
}

type Outcome = 'succeeded' | 'failed' | 'lost'

async function carryOut(
  session: Session,
  workspaceId: string,
  { run, token, leaseSeconds, context }: Claim,
  command: readonly string[],
): Promise<Outcome> {
  const credential = { token }
  const path = { workspaceId, id: run.threadId, runId: run.id }
  const folder = mkdtempSync(join(tmpdir(), 'atrium-run-'))
  const file = join(folder, 'context.json')
  const given = JSON.stringify({ run, context })
  writeFileSync(file, given, { mode: 0o600 })
  const child = start(session, command, given, {
    ATRIUM_TOKEN: token,
    ATRIUM_BASE_URL: session.settings.baseUrl,
    ATRIUM_WORKSPACE: workspaceId,
    ATRIUM_THREAD: run.threadId,
    ATRIUM_RUN: run.id,
    ATRIUM_CONTEXT_FILE: file,
  })
  let isLost = false
  const lose = (error: unknown) => {
    if (!(error instanceof RequestError) || error.status !== 401) return
    isLost = true
    child.process.kill()
  }
  const beat = () => call(session, 'threads.runs.heartbeat', { path }, credential).catch(lose)
  const beating = setInterval(beat, (leaseSeconds * 1000) / 2)
  try {
    await beat()
    for await (const line of child.lines) {
      if (line.trim() === '' || isLost) continue
      const body = { workspaceId, threadId: run.threadId, text: line }
      await call(session, 'messages.post', { body }, credential).catch(error => {
        lose(error)
        if (!isLost) throw error
      })
    }
    const error = await child.ended
    if (isLost) return 'lost'
    const body = error === null ? { status: 'succeeded' } : { status: 'failed', error: error.slice(-mostError) }
    await call(session, 'threads.runs.finish', { path, body }, credential)
    return error === null ? 'succeeded' : 'failed'
  } finally {
    clearInterval(beating)
    child.process.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Child = { process: ChildProcess; lines: AsyncIterable<string>; ended: Promise<string | null> }

/** `ended` is null where it went well, otherwise what the program said last. */
function start({ terminal }: Session, command: readonly string[], given: string, env: Record<string, string>): Child {
  const [program = '', ...words] = command
  const child = spawn(program, words, {
    env: { ...terminal.env, ATRIUM_API_KEY: undefined, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-mostError)
    terminal.stderr.write(text)
  })
  // A program that does not read what it is given is no failure.
  child.stdin.on('error', () => {})
  child.stdin.end(given)
  const ended = new Promise<string | null>(resolve => {
    child.on('error', error => resolve(error.message))
    child.on('close', code => resolve(code === 0 ? null : said.trim() || `The program ended with ${code}.`))
  })
  return { process: child, lines: linesOf(child.stdout.setEncoding('utf8')), ended }
}
