// A browser without a window, and the steps of an application that wants in; for tests of the authorization server.
import { createHash, randomBytes } from 'node:crypto'
import { hashPassword } from '../../src/kit/passwords.ts'
import { sql } from '../../src/kit/sql.ts'
import { type Answer, password, platform, type TestCaller, type TestPlatform } from './platform.ts'
import { freePort } from './service.ts'

/** Keeps cookies by name and path as far as our pages need it. */
export function browser(on: TestPlatform) {
  const jar = new Map<string, { value: string; path: string }>()
  const base = on.config.PUBLIC_URL

  async function visit(url: string, form?: Record<string, string | string[]>, headers: Record<string, string> = {}) {
    const { pathname, search } = new URL(url, base)
    const cookie = [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(form ?? {})) for (const one of [value].flat()) body.append(name, one)
    const answer = await on.request({
      method: form ? 'POST' : 'GET',
      url: `${pathname}${search}`,
      headers: {
        accept: 'text/html',
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: base }),
        ...headers,
      },
      ...(form && { payload: body.toString() }),
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat() as string[]) keep(line)
    return answer
  }

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map(part => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const path = attributes.find(part => /^path=/i.test(part))?.slice(5) ?? '/'
    const isGone = attributes.some(part => /^expires=thu, 01 jan 1970/i.test(part))
    if (isGone) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { value: pair.slice(pair.indexOf('=') + 1), path })
  }

  /** Follows redirects as long as they stay here. */
  async function follow(answer: Answer): Promise<Answer> {
    let current = answer
    while (current.status >= 300 && current.status < 400) {
      const to = new URL(current.headers.location, base)
      if (to.origin !== base) return current
      current = await visit(to.href)
    }
    return current
  }

  return {
    jar,
    visit,
    follow,
    open: async (url: string) => await follow(await visit(url)),
    /** Sends the page's form, with what it already holds. */
    async submit(page: Answer, fields: Record<string, string | string[]>): Promise<Answer> {
      const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1] ?? ''
      return await follow(await visit(action, { ...formOf(page.text), ...fields }))
    },
    /** As if the user had logged in before. */
    logIn(caller: TestCaller): void {
      jar.set('session /', { value: caller.token, path: '/' })
    },
  }
}

/** The values that a form would send as it stands. */
export function formOf(html: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {}
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? ''
    if (!name) continue
    if (!input.includes('type="checkbox"')) fields[name] = value
    else if (/ checked/.test(input)) fields[name] = [...[fields[name] ?? []].flat(), value]
  }
  const select = /<select name="([^"]*)">(.*?)<\/select>/s.exec(html)
  if (select?.[1]) fields[select[1]] = /<option value="([^"]*)"/.exec(select[2] ?? '')?.[1] ?? ''
  return fields
}

export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const cliRedirect = 'http://127.0.0.1:49152/callback'

export function authorizeUrl(params: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, value)
  return `/oauth/authorize?${query}`
}

export type Tokens = {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
  id_token?: string
}

export function tokenRequest(on: TestPlatform, form: Record<string, string>, headers: Record<string, string> = {}) {
  return on.request({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
    payload: new URLSearchParams(form).toString(),
  })
}

type FlowOptions = {
  clientId?: string
  redirectUri?: string
  scope?: string
  resource?: string
  /** What the user changes on the consent page. */
  choose?: Record<string, string | string[]>
  headers?: Record<string, string>
  verifier?: string
}

/** From the request to the code, as a logged-in user who lets the application in. */
export async function authorize(on: TestPlatform, user: TestCaller, options: FlowOptions = {}) {
  const { clientId = 'atrium-cli', redirectUri = cliRedirect, scope, resource, choose = {} } = options
  const { verifier, challenge } = pkce()
  const agent = browser(on)
  agent.logIn(user)
  const page = await agent.open(
    authorizeUrl({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'some state',
      scope,
      resource,
    }),
  )
  if (page.status !== 200) return { page, answer: page, agent, verifier, code: '', redirectUri, clientId }
  const answer = await agent.submit(page, { workspace: user.workspaceId, ...choose, intent: 'allow' })
  const code = new URL(answer.headers.location ?? 'http://none').searchParams.get('code') ?? ''
  return { page, answer, agent, verifier, code, redirectUri, clientId }
}

/** Code and tokens in one go. */
export async function tokensFor(on: TestPlatform, user: TestCaller, options: FlowOptions = {}): Promise<Tokens> {
  const { code, verifier, redirectUri, clientId, page, answer } = await authorize(on, user, options)
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  const tokens = await tokenRequest(on, { ...form, client_id: clientId }, options.headers)
  if (tokens.status !== 200)
    throw new Error(`${tokens.text} ${page.status} ${answer.status} ${answer.text.slice(0, 4000)}`)
  return tokens.body
}

/** A client of the workspace that acts for itself, and a token of it. */
export async function ownClient(on: TestPlatform, owner: TestCaller, scopes: readonly string[]) {
  const fields = { workspaceId: owner.workspaceId, name: 'Nightly sync', type: 'confidential', scopes }
  const { result } = await on.call('oauth_clients.post', { ...fields, grants: ['client_credentials'] }, owner)
  const form = { grant_type: 'client_credentials', client_id: result.id, client_secret: result.clientSecret }
  const { body } = await tokenRequest(on, form)
  return { id: result.id as string, caller: { ...owner, userId: '', ...bearer(body.access_token) } }
}

export function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}

/** Gives a test user a password to log in with. */
export async function setPassword(on: TestPlatform, userId: string): Promise<string> {
  const hash = await hashPassword(password)
  await on.database.query(sql`update users set password_hash = ${hash} where id = ${userId}`)
  return password
}

/** A platform that really listens, where its metadata says it does. */
export async function listeningPlatform(env: Record<string, string> = {}): Promise<TestPlatform> {
  const port = await freePort()
  const made = await platform({ env: { PORT: String(port), ...env } })
  await made.app.listen({ port, host: '127.0.0.1' })
  return made
}
