// Which credential a request carries: key header, bearer or cookie; and whether another site's page may use it.
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { isLoopbackHost } from '../config.ts'
import { type Provider, providerOf } from './providers.ts'

/** `token` is null where nothing usable came; `isAmbiguous` where several headers came together. */
export type Presented = {
  token: string | null
  from: 'key' | 'telemetry' | 'bearer' | 'cookie' | null
  isAmbiguous: boolean
}

const nothing: Presented = { token: null, from: null, isAmbiguous: false }

/** The cookie is ignored beside a header; a key is accepted in its own header only, a cookie holds a session only. */
export function presentedCredential(headers: IncomingHttpHeaders, cookieName: string): Presented {
  const key = headers['x-api-key']
  const authorization = headers.authorization
  const telemetry = headers['x-telemetry-token']
  if (key !== undefined && authorization !== undefined) return { ...nothing, isAmbiguous: true }
  if (telemetry !== undefined) {
    if (key !== undefined || authorization !== undefined) return { ...nothing, isAmbiguous: true }
    const token = sentAs('telemetry', typeof telemetry === 'string' ? telemetry : '')
    return { token, from: 'telemetry', isAmbiguous: false }
  }
  if (key !== undefined)
    return { token: sentAs('key', typeof key === 'string' ? key : ''), from: 'key', isAmbiguous: false }
  if (authorization !== undefined)
    return { token: sentAs('bearer', bearerOf(authorization)), from: 'bearer', isAmbiguous: false }
  const cookie = cookieOf(headers.cookie, cookieName)
  if (!cookie) return nothing
  return { token: sentAs('cookie', cookie), from: 'cookie', isAmbiguous: false }
}

/**
 * At the MCP server: a key in its header or, since many clients can send nothing else, as bearer; or another token that
 * is no session. Null where nothing came, empty where it can open nothing.
 */
export function presentedToMcp(headers: IncomingHttpHeaders): string | null {
  const { 'x-api-key': key, authorization } = headers
  if (key !== undefined && authorization !== undefined) return ''
  if (key !== undefined) return sentAs('key', typeof key === 'string' ? key : '')
  return authorization === undefined ? null : sentAs('mcp', bearerOf(authorization))
}

/** An empty token stands for one that can open nothing: what it is, or the way it came, opens no door. */
function sentAs(way: Provider['sent'][number], token: string): string {
  return providerOf(token)?.sent.includes(way) ? token : ''
}

function bearerOf(authorization: string): string {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
}

function cookieOf(header: string | undefined, name: string): string | null {
  if (!header) return null
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return null
}

export function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-session' : 'session'
}

/** An empty token takes the cookie back. */
export function sessionCookie(publicUrl: string, token: string, expires: Date, now: Date): string {
  const maxAge = Math.max(0, Math.floor((expires.getTime() - now.getTime()) / 1000))
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const name = cookieName(publicUrl)
  return `${name}=${token}; Path=/; Expires=${expires.toUTCString()}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

/** Whether a browser says that the request comes from a page that is not ours. */
export function isFromAnotherSite(headers: IncomingHttpHeaders, config: Pick<Config, 'PUBLIC_URL'>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin } = headers
  return origin !== undefined && !isOurOrigin(origin, config.PUBLIC_URL)
}

export function isOurOrigin(origin: string, publicUrl: string): boolean {
  const ours = new URL(publicUrl)
  if (origin === ours.origin) return true
  if (!isLoopbackHost(ours.hostname) || !URL.canParse(origin)) return false
  // On one's own machine 127.0.0.1, localhost and [::1] are the same place.
  const theirs = new URL(origin)
  return theirs.protocol === ours.protocol && theirs.port === ours.port && isLoopbackHost(theirs.hostname)
}
