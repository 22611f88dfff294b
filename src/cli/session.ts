// What a command works with: the terminal, the settings, the document, and requests with the right credential.

import { type OperationRequest, spell } from '../client/request.ts'
import { type Credential, deliver, headersOf, type Outgoing, readResult } from '../client/transport.ts'
import type { Digest, Entry } from './digest.ts'
import type { Documents } from './documents.ts'
import { CliError } from './failures.ts'
import { send as sendPlain } from './http.ts'
import type { Settings } from './profiles.ts'
import type { Terminal } from './terminal.ts'
import { traced } from './trace.ts'

export type Session = {
  version: string
  terminal: Terminal
  settings: Settings
  documents: Documents
  digest: Digest
  retries: number
  /** Each request is logged to stderr. */
  isVerbose: boolean
}

export const clientId = 'atrium-cli'

/** The credential in its order: flag, environment, keyring, file; a login that is about to end is renewed first. */
export async function credentialOf(session: Session, resource: '/v1' | '/mcp' = '/v1'): Promise<Credential> {
  const { given, stored: login, profile } = session.settings
  if (given) return given
  if (!login) return {}
  const stored = await (await import('./logins.ts')).openLogin(session.terminal, profile, login)
  if (stored.kind === 'api_key') return { apiKey: stored.secret }
  if (stored.kind === 'token') return { token: stored.secret }
  const kept = stored.accessTokens[resource]
  if (kept && Date.parse(kept.expires) - Date.now() > 30_000) return { token: kept.token }
  const { renew } = await import('./oauth.ts')
  return { token: await renew(session, resource) }
}

export function outgoing(session: Session, request: OperationRequest, credential: Credential): Outgoing {
  const { method, path, body, contentType } = request
  const headers = { ...headersOf(credential, contentType), 'user-agent': `atrium-cli/${session.version}` }
  return { method, url: session.settings.baseUrl + path, headers, body }
}

/** The raw answer; where the service sends Retry-After, it waits and tries again. */
export async function send(session: Session, request: OperationRequest, credential?: Credential): Promise<Response> {
  const { terminal, retries } = session
  const { stderr, signal } = terminal
  const used = credential ?? (await credentialOf(session))
  return await deliver(outgoing(session, request, used), {
    send: senderOf(session),
    retries,
    signal,
    onWait: ({ seconds, why }) => {
      if (stderr.isTTY || seconds > 2) stderr.write(`atrium: ${why}; trying again in ${Math.ceil(seconds)} s\n`)
    },
  })
}

/** How the requests of this command are sent. */
export function senderOf({ isVerbose, terminal }: Pick<Session, 'isVerbose' | 'terminal'>): typeof fetch {
  return isVerbose ? traced(sendPlain, terminal) : sendPlain
}

type CallInput = { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** An operation of the document by its id, for commands of our own. */
export async function call(
  session: Session,
  id: string,
  { path = {}, query = {}, body }: CallInput = {},
  credential?: Credential,
): Promise<unknown> {
  const entry = find(session.digest, id)
  if (!entry) throw new CliError('failed', `The service has no operation ${id}.`, 'Is it an Atrium of this age?')
  return await readResult(await send(session, spell(entry.method, entry.path, { path, query, body }), credential))
}

export function find(digest: Digest, id: string): Entry | undefined {
  return digest.entries.find(entry => entry.id === id)
}
