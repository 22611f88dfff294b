// What can go wrong, its exit code, and the one line that says what to do.
import { ConnectionError, RequestError } from '../client/transport.ts'
import type { Terminal } from './terminal.ts'

/** Printed by `atrium help exit-codes` and in docs/cli.md; a script may rely on them. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'something else went wrong' },
  usage: { code: 2, meaning: 'wrong command, flag or input; nothing was sent' },
  not_found: { code: 3, meaning: 'no such record (404, 410)' },
  refused: { code: 4, meaning: 'not logged in, login ended, or not allowed (401, 403)' },
  server: { code: 5, meaning: 'the service failed (5xx)' },
  invalid: { code: 6, meaning: 'the service refused the input or its state (400, 402, 409, 413)' },
  limited: { code: 7, meaning: 'over the rate limit after all retries (429)' },
  network: { code: 8, meaning: 'the service could not be reached' },
  interrupted: { code: 130, meaning: 'interrupted (Ctrl-C)' },
} as const

export type FailureKind = Exclude<keyof typeof exitCodes, 'ok'>

/** `next` is what to do about it. */
export class CliError extends Error {
  readonly kind: FailureKind
  readonly next: string | undefined

  constructor(kind: FailureKind, message: string, next?: string) {
    super(message)
    this.name = 'CliError'
    this.kind = kind
    this.next = next
  }
}

export function usage(message: string, next?: string): CliError {
  return new CliError('usage', message, next)
}

type Told = {
  kind: FailureKind
  message: string
  next?: string | undefined
  status?: number
  metadata?: unknown
  retryable: boolean
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'refused'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 429) return 'limited'
  if (status >= 500) return 'server'
  return status >= 400 ? 'invalid' : 'failed'
}

const nextSteps: Partial<Record<number, string>> = {
  401: 'Run: atrium login',
  429: 'Wait a minute and try again.',
  503: 'Try again in a moment.',
}

function tell(error: unknown, isInterrupted: boolean): Told {
  if (isInterrupted) return { kind: 'interrupted', message: 'Interrupted.', retryable: true }
  if (error instanceof CliError) {
    return { kind: error.kind, message: error.message, next: error.next, retryable: error.kind === 'network' }
  }
  if (error instanceof RequestError) {
    const { status, title, detail, metadata } = error
    const kind = kindOfStatus(status)
    const message = detail ? `${title}: ${detail}` : title
    const retryable = kind === 'server' || kind === 'limited'
    return { kind, message, next: nextSteps[status], status, metadata, retryable }
  }
  if (error instanceof ConnectionError) {
    const next = 'Is the service running, and is --base-url right?'
    return { kind: 'network', message: `${error.message}.`, next, retryable: true }
  }
  return { kind: 'failed', message: (error as Error)?.message ?? String(error), retryable: false }
}

/** For a person on a terminal a line, for a program JSON; the exit code either way. */
export function report(error: unknown, { stderr, signal }: Pick<Terminal, 'stderr' | 'signal'>): number {
  const told = tell(error, signal.aborted)
  const { code } = exitCodes[told.kind]
  if (stderr.isTTY) {
    const line = [told.message, told.next].filter(Boolean).join(' ').replaceAll('\n', ' ')
    stderr.write(`atrium: ${line}\n`)
  } else stderr.write(`${JSON.stringify({ error: { code, ...told } })}\n`)
  return code
}
