// What a 2025 client declared when it began, kept by the client itself: its session id is a sealed note, and any
// process can read it.
import { type ClientCapabilities, isInitializeRequest } from '@modelcontextprotocol/server'

export type Session = { credentialId: string; version: string; capabilities: ClientCapabilities }

/** What is sealed here nobody else can make or change; `open` throws on anything else. */
export type Seal = { seal(text: string): string; open(sealed: string): string }

/** Null where there is nothing to remember: the client cannot be asked. */
export function beginSession({ seal }: Seal, credentialId: string, body: unknown): string | null {
  if (!isInitializeRequest(body)) return null
  const { protocolVersion, capabilities } = body.params
  if (!capabilities.elicitation) return null
  const session: Session = { credentialId, version: protocolVersion.slice(0, 20), capabilities: askable(capabilities) }
  return seal(JSON.stringify(session))
}

/** Null where the id is not one of ours or was given to another credential. */
export function sessionOf({ open }: Seal, credentialId: string, id: string): Session | null {
  let session: Session
  try {
    session = JSON.parse(open(id))
  } catch {
    return null
  }
  return session.credentialId === credentialId ? session : null
}

/** Only the names: it is sent along with every request. */
function askable({ elicitation, sampling }: ClientCapabilities): ClientCapabilities {
  return {
    ...(elicitation && { elicitation: named(elicitation, ['form', 'url']) }),
    ...(sampling && { sampling: named(sampling, ['context', 'tools']) }),
  }
}

function named(declared: object, names: readonly string[]): Record<string, Record<string, never>> {
  return Object.fromEntries(names.filter(name => Object.hasOwn(declared, name)).map(name => [name, {}]))
}
