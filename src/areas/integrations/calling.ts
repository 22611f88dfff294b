// One call to a target: bounded in time and size, its answer without our secrets, its failure in words.
import { type Fetch, ForbiddenAddress } from '../../kit/context.ts'
import { hiding, hidingCut } from './hiding.ts'

export type Outgoing = {
  url: string
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
  timeoutSeconds: number
  /** Never shown: neither sent headers nor answers hold them. */
  secrets: readonly string[]
}

export type Answer = {
  /** Null where there was no answer. */
  code: number | null
  contentType: string | null
  text: string | null
  /** Why it did not go well, for people; null where it did. */
  error: string | null
}

const mostShown = 4_096

/** The status decides: of the body only the beginning is read, and what goes wrong after the head does not matter. */
export async function call(ask: Fetch, outgoing: Outgoing, mostBytes = mostShown): Promise<Answer> {
  const { url, method, headers, body, timeoutSeconds, secrets } = outgoing
  const hide = hiding(secrets)
  try {
    const response = await ask(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs: timeoutSeconds * 1_000,
      maxBytes: Number.MAX_SAFE_INTEGER,
      isStreamed: true,
    })
    const text = hidingCut(secrets)(await beginning(response, mostBytes))
    const { status } = response
    const type = response.headers.get('content-type')
    return { code: status, contentType: type && hide(type), text, error: response.ok ? null : refusalOf(status) }
  } catch (error) {
    return { code: null, contentType: null, text: null, error: hide(wordsFor(error, timeoutSeconds)) }
  }
}

function refusalOf(status: number): string {
  if (status >= 300 && status < 400) return `The target answered ${status}; redirects are not followed.`
  return `The target answered ${status}.`
}

/** Whole characters, and none that a database cannot hold. */
async function beginning(response: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  try {
    while (reader && size < most) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      size += value.length
    }
  } catch {
    // It ended in the middle; what came is shown.
  }
  await reader?.cancel().catch(() => {})
  const text = new TextDecoder().decode(Buffer.concat(parts).subarray(0, most))
  return text.replaceAll('\0', '').replace(/\uFFFD$/, '')
}

const words: Record<string, string> = {
  ECONNREFUSED: 'Nobody listens at the address of the target.',
  ECONNRESET: 'The target closed the connection before it answered.',
  UND_ERR_SOCKET: 'The target closed the connection before it answered.',
  ENOTFOUND: 'The name of the target is not known.',
  EAI_AGAIN: 'The name of the target cannot be looked up now.',
  EHOSTUNREACH: 'There is no way to the target.',
  ENETUNREACH: 'There is no way to the target.',
  EPIPE: 'The target closed the connection before it answered.',
}

function wordsFor(error: unknown, timeoutSeconds: number): string {
  const { name, code = '', message } = error as Error & { code?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return `The target did not answer within ${timeoutSeconds} s.`
  if (error instanceof ForbiddenAddress) return `The address may not be called: ${message}.`
  if (words[code]) return words[code]
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'The target does not speak TLS.'
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|TLS/.test(code))
    return `The certificate of the target is not trusted (${code}).`
  if (code.startsWith('HPE_') || /not one of HTTP/.test(message)) return 'The target does not answer in HTTP.'
  return `The target could not be called${code ? ` (${code})` : ''}.`
}
